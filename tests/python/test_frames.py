# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws, landscapes, stores and studies as frames."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import opevo
from searches import built_in, frozen, main, skip

try:
    import pandas
except ImportError as missing:
    skip(f"{missing}; install python3-pandas")


class Laws(unittest.TestCase):
    def test_complete_graph(self) -> None:
        """The closed form: on J vertices the start keeps ((1 - q)(J - 1) + q) / ((J - 1) + q)."""
        q, j = 0.3, 7
        law = opevo.law(opevo.choice(list("abcdefg")), "c", q)
        self.assertAlmostEqual(law["c"], ((1 - q) * (j - 1) + q) / ((j - 1) + q), places=12)
        self.assertAlmostEqual(law.sum(), 1, places=12)
        self.assertLess(law.attrs["bound"], 1e-12)
        self.assertEqual(law.attrs["start"], "c")

    def test_tuples(self) -> None:
        law = opevo.law("factor(8,3)", (8, 1, 1))
        self.assertEqual(len(law), 10)
        self.assertEqual(law.idxmax(), (8, 1, 1))
        self.assertEqual(law[(8, 1, 1)], law.max())
        pandas.testing.assert_series_equal(opevo.law(opevo.factor(8, 3), [8, 1, 1], 0.5), law)
        self.assertEqual(list(opevo.law(opevo.discrete([3, 1, 2])).index), [1, 2, 3])

    def test_classes_of_values(self) -> None:
        """The permutations of 12 are too many to be listed: classes of equal probability are."""
        law = opevo.law(opevo.permutation(12), q=0.5)
        counts = law.attrs["counts"]
        self.assertEqual(sum(counts.values()), 479001600)
        self.assertAlmostEqual(sum(law[value] * counts[value] for value in counts), 1, places=10)

    def test_topology(self) -> None:
        complete = opevo.law(opevo.factor(8, 2, topology="complete"), (8, 1))
        self.assertEqual(complete.attrs["topology"], "complete")
        self.assertAlmostEqual(complete[(1, 8)], complete[(2, 4)], places=12)

    def test_errors(self) -> None:
        for arguments in (("factor(0,3)",), ("factor(8,3)", (8, 2, 1)), ("factor(8,3)", None, 1.5)):
            with self.assertRaisesRegex(opevo.Error, "[.]$"):
                opevo.law(*arguments)

    def test_without_pandas(self) -> None:
        script = """if True:
            import sys
            sys.modules["pandas"] = None
            import opevo
            law = opevo.law("factor(8,2)", (8, 1))
            assert type(law) is dict and list(law) == [(8, 1), (4, 2), (2, 4), (1, 8)], law
            try:
                opevo.landscape()
            except opevo.Error as error:
                assert "pandas" in str(error), error
        """
        subprocess.run([sys.executable, "-c", script], check=True)


class Landscapes(unittest.TestCase):
    def test_recorded(self) -> None:
        frame = opevo.landscape()
        self.assertEqual(len(frame), 9261)
        self.assertEqual(list(frame.columns[:3]), ["K", "X", "Y"])
        for row in frame.sample(50, random_state=1).itertuples():
            trial = built_in()[frozen({"K": row.K, "X": row.X, "Y": row.Y})]
            self.assertEqual((row.outcome, row.result), (trial["outcome"], trial["result"]))
        self.assertEqual(frame.attrs["unit"], "GFLOP/s")
        self.assertEqual(frame.result.max(), frame.attrs["optimum"]["result"])

    def test_simulated(self) -> None:
        frame = opevo.landscape("sim:gtx1080ti", "matmul(8,8,8)")
        self.assertEqual(dict(frame.outcome.value_counts()), {"ok": 2400, "build-error": 1600})
        failed = frame[frame.outcome != "ok"]
        self.assertTrue(failed.message.str.len().min() > 0)
        self.assertTrue(failed.time_s.isna().all())
        self.assertEqual(frame.fitness.max(), frame.attrs["optimum"]["fitness"])

    def test_sample(self) -> None:
        frame = opevo.landscape("sim:gtx1080ti", "mm1", sample=30, seed=3)
        self.assertEqual(len(frame.drop_duplicates(["K", "X", "Y"])), 30)
        with self.assertRaisesRegex(opevo.Error, "sample=N"):
            opevo.landscape("sim:gtx1080ti", "mm1")

    def test_another_space(self) -> None:
        space = opevo.Space({n: opevo.factor(32, 3) for n in "KXY"}, ["K[0] == 1", "X[0] == 1"])
        frame = opevo.landscape("recorded:", space=space)
        self.assertEqual(len(frame), 6 * 6 * 21)

    def test_every_point_of_branches_and_failures(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "b.csv").write_text(
                "op,n,outcome,time_ms,status\na,1,u,2,ok\na,2,u,,timeout\nb,,v,4,ok\n"
            )
            space = opevo.Space({"op": {"a": {"n": [1, 2]}, "b": None}, "outcome": ["u", "v"]})
            described = {"format": "tuning-landscape 1", "space": space.json}
            Path(folder, "b.json").write_text(json.dumps(described))
            recorded = opevo.landscape(f"recorded:{folder}/b.csv")
            everything = opevo.landscape(f"recorded:{folder}/b.csv", only_recorded=False)
        self.assertEqual(list(recorded["outcome"]), ["ok", "timeout", "ok"])
        self.assertEqual(list(recorded["config.outcome"]), ["u", "u", "v"])
        self.assertTrue(pandas.isna(recorded["n"].iloc[2]))
        self.assertEqual(everything.outcome.value_counts()["unrecorded"], 3)

    def test_errors(self) -> None:
        with self.assertRaisesRegex(opevo.Error, "nowhere"):
            opevo.landscape("recorded:nowhere.csv")
        with self.assertRaises(opevo.Error):
            opevo.landscape("sim:nothing", "mm1")


class Studies(unittest.TestCase):
    plan = {
        "study": 1,
        "objectives": ["recorded:"],
        "tuners": ["random", {"tuner": "opevo", "settings": {"q": [0.5, 0.8]}}],
        "seeds": 8,
        "budget": {"trials": 60},
    }

    def test_study(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store, path = Path(folder, "runs.db"), Path(folder, "plan.json")
            analysis = opevo.study(self.plan, store)
            path.write_text(json.dumps(self.plan))
            again = opevo.study(path, store)
            pandas.testing.assert_frame_equal(analysis.statistics, again.statistics)
            runs = opevo.runs(store)
            trials = opevo.trials(store, 3)
            self.assertEqual([name for name in os.listdir(".") if "opevo-plan" in name], [])
            selected = opevo.analyze(store, at="20,40", tuner=["random"])
        self.assertEqual(len(runs), 24)
        self.assertEqual((len(trials), trials.result.max()), (60, runs.best[2]))
        self.assertEqual(list(trials.trial), list(range(1, 61)))
        means = analysis.table("mean")
        last = means[means.columns[-1]]["recorded:matmul32"]
        by_hand = runs.groupby(["tuner", "settings"]).best.mean() / runs.optimum[0]
        self.assertAlmostEqual(last["random"], by_hand["random"].iloc[0], places=12)
        self.assertEqual(len(analysis.verdicts()), 3)
        self.assertEqual(analysis.json["runs"], 24)
        self.assertIn(20, set(selected.table("mean").columns.astype(float)))

    def test_several_stores(self) -> None:
        """Parts of a study count as their whole, also where two have the same run. As each has a
        plan of its own, what compares them is registered in none."""
        with tempfile.TemporaryDirectory() as folder:
            seeds = [{**self.plan, "seeds": [*range(*ends)]} for ends in ((1, 9), (1, 6), (5, 9))]
            stores = [Path(folder, f"{name}.db") for name in ("whole", "first", "second")]
            for plan, store in zip(seeds, stores):
                opevo.study(plan, store)
            whole = opevo.analyze(stores[0])
            parts = opevo.analyze(*stores[1:])
        registered = whole.statistics.statistic == "registered"
        self.assertEqual(set(whole.statistics[registered].value), {1})
        self.assertEqual(set(parts.statistics[registered].value), {0})
        pandas.testing.assert_frame_equal(whole.statistics[~registered],
                                          parts.statistics[~registered])
        self.assertEqual(parts.json["runs"], 24)
        key = ["objective", "tuner", "settings", "seed", "best"]
        pandas.testing.assert_frame_equal(
            whole.runs[key].sort_values(key, ignore_index=True),
            parts.runs[key].sort_values(key, ignore_index=True),
        )
        self.assertEqual(set(parts.runs.store), {str(store) for store in stores[1:]})

    def test_errors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "runs.db")
            with self.assertRaisesRegex(opevo.Error, "tuners"):
                opevo.study({**self.plan, "tuners": ["nothing"]}, store)
            with self.assertRaisesRegex(opevo.Error, "runs.db"):
                opevo.analyze(store)


class Recordings(unittest.TestCase):
    def frame(self) -> "pandas.DataFrame":
        rows = [
            {"tile": tile, "on": on, "name": name, "ms": 1 + abs(tile - 4) + on}
            for tile in (1, 2, 4, 8)
            for on in (True, False)
            for name in ("x", "y")
        ]
        rows[3]["ms"] = float("nan")
        return pandas.DataFrame(rows)

    def test_a_frame_is_a_landscape(self) -> None:
        frame = self.frame()
        recording = opevo.Recording(frame, result="ms:ms")
        points = opevo.landscape(recording)
        self.assertEqual(len(points), 16)
        self.assertEqual(points.attrs["unit"], "1/s")
        self.assertEqual((points.outcome == "ok").sum(), 15)
        joined = points.assign(on=points.on.astype(str) == "True").merge(
            frame, on=["tile", "on", "name"]
        )
        self.assertEqual(len(joined), 16)
        ran = joined[joined.outcome == "ok"]
        self.assertLess((ran.time_s - ran.ms / 1e3).abs().max(), 1e-15)
        self.assertIn("column tile is a discrete parameter of 4 values", recording.inferred)

    def test_a_study_of_a_frame(self) -> None:
        plan = {
            "study": 1,
            "objectives": [opevo.Recording(self.frame(), result="ms:ms")],
            "tuners": ["random", "opevo"],
            "seeds": 3,
            "budget": {"trials": 16},
        }
        with tempfile.TemporaryDirectory() as folder:
            analysis = opevo.study(plan, Path(folder, "s.db"))
        self.assertEqual(len(analysis.runs), 6)

    def test_repeated_rows(self) -> None:
        frame = pandas.concat([self.frame(), self.frame().assign(ms=lambda f: 3 * f.ms)])
        with self.assertRaisesRegex(opevo.Error, "already in line 2"):
            opevo.Recording(frame, result="ms:ms")
        points = opevo.landscape(opevo.Recording(frame, result="ms:ms", average=True))
        best = points.loc[points.result.idxmin()]
        self.assertAlmostEqual(best.time_s, 2e-3)


if __name__ == "__main__":
    main()
