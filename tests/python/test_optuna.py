# SPDX-License-Identifier: GPL-3.0-or-later
"""opevo's tuners as a sampler of Optuna."""

from __future__ import annotations

import math
import os
import pickle
import random
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import opevo
from searches import MATMUL, built_in, configs, frozen, main, search, skip

try:
    import optuna
except ImportError as missing:
    skip(f"{missing}; install python3-optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

optuna.logging.set_verbosity(optuna.logging.WARNING)


def matmul(trial: optuna.Trial) -> float:
    """GFLOP/s of the recording that is built in."""
    return built_in()[frozen(opevo.optuna.suggest(trial, MATMUL))]["fitness"]


def asked(study: optuna.Study) -> list:
    """The configurations of a study's trials on the recording."""
    return [
        frozen({n: tuple(trial.params[f"{n}[{i}]"] for i in range(3)) for n in "KXY"})
        for trial in study.trials
    ]


def of_matmul(tuner: str = "qgp", **more: object) -> optuna.Study:
    sampler = opevo.optuna.Sampler(tuner, space=opevo.Space(MATMUL), **more)
    return optuna.create_study(sampler=sampler, direction="maximize")


class SameTrials(unittest.TestCase):
    def test_given_space(self) -> None:
        for tuner in ("qgp", "opevo"):
            study = of_matmul(tuner, seed=5)
            study.optimize(matmul, n_trials=40)
            self.assertEqual(asked(study), configs(search("recorded:", tuner, 40, 5)), tuner)

    def test_times(self) -> None:
        def seconds(trial: optuna.Trial) -> float:
            return built_in()[frozen(opevo.optuna.suggest(trial, MATMUL))]["time_s"]

        sampler = opevo.optuna.Sampler("opevo", seed=6, space=MATMUL)
        study = optuna.create_study(sampler=sampler)
        study.optimize(seconds, n_trials=40)
        self.assertEqual(asked(study), configs(search("recorded:", "opevo", 40, 6)))

    def test_parallel(self) -> None:
        for tuner in ("qgp", "opevo"):
            study = of_matmul(tuner, seed=5)
            built_in()
            study.optimize(matmul, n_trials=40, n_jobs=4)
            expected = configs(search("recorded:", tuner, 40, 5))
            self.assertEqual(sorted(asked(study)), sorted(expected), tuner)

    def test_ask_and_tell_from_one_thread(self) -> None:
        """Trials beyond those that the tuner proposes before it is told any are random ones."""
        study = of_matmul("opevo", seed=5)
        trials = [study.ask() for _ in range(30)]
        values = [matmul(trial) for trial in trials]
        self.assertEqual(len(set(asked(study))), 30)
        for trial, value in zip(reversed(trials), reversed(values)):
            study.tell(trial, value)
        study.optimize(matmul, n_trials=10)
        self.assertEqual(len(study.trials), 40)

    def test_thousand_parameters(self) -> None:
        space = opevo.Space({f"p{i}": {"_type": "discrete", "_value": [1, 2, 4]} for i in range(1000)})

        def total(trial: optuna.Trial) -> float:
            return float(sum(opevo.optuna.suggest(trial, space).values()))

        runs = []
        for _ in range(2):
            study = optuna.create_study(sampler=opevo.optuna.Sampler("opevo", seed=3, space=space))
            study.optimize(total, n_trials=5)
            runs.append([tuple(trial.params.items()) for trial in study.trials])
        self.assertEqual({len(params) for params in runs[0]}, {1000})
        self.assertEqual(len(set(runs[0])), 5)
        self.assertEqual(runs[0], runs[1])

    def test_resumed_by_the_storage(self) -> None:
        expected = configs(search("recorded:", "qgp", 20, 8))
        with tempfile.TemporaryDirectory() as folder:
            storage = f"sqlite:///{folder}/optuna.db"
            study = optuna.create_study(
                storage=storage,
                study_name="s",
                direction="maximize",
                sampler=opevo.optuna.Sampler("qgp", seed=8, space=MATMUL),
            )
            study.optimize(matmul, n_trials=12)
            lost = study.ask()  # A program that is killed leaves its trial running.
            sampler = opevo.optuna.Sampler("qgp", seed=8, space=MATMUL)
            again = optuna.load_study(storage=storage, study_name="s", sampler=sampler)
            again.optimize(matmul, n_trials=8)
            found = asked_of = [trial for trial in again.trials if trial.number != lost.number]
            keys = [
                frozen({n: tuple(trial.params[f"{n}[{i}]"] for i in range(3)) for n in "KXY"})
                for trial in found
            ]
        self.assertEqual(len(asked_of), 20)
        self.assertEqual(keys, expected)

    def test_resumed_by_a_store(self) -> None:
        expected = configs(search("recorded:", "opevo", 30, 8))
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "runs.db")
            first, second = (of_matmul("opevo", seed=8, store=store) for _ in range(2))
            first.optimize(matmul, n_trials=13)
            del first  # What nobody holds any more lets go of the store.
            second.optimize(matmul, n_trials=10)
            second.sampler.close()
            third = of_matmul("opevo", seed=8, store=store)
            third.optimize(matmul, n_trials=7)
        self.assertEqual(asked(second) + asked(third), expected[13:])

    def test_pickled(self) -> None:
        sampler = pickle.loads(pickle.dumps(of_matmul(seed=5).sampler))
        study = optuna.create_study(sampler=sampler, direction="maximize")
        study.optimize(matmul, n_trials=10)
        self.assertEqual(asked(study), configs(search("recorded:", "qgp", 10, 5)))


class Spaces(unittest.TestCase):
    def test_one_changed_line(self) -> None:
        """Without a space, it is the one that the completed trials have in common."""

        def objective(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", -5, 5)
            n = trial.suggest_int("n", 1, 32, log=True)
            kind = trial.suggest_categorical("kind", ["a", "b", None])
            step = trial.suggest_float("step", 0, 1, step=0.25)
            return 1 + (x - 2) ** 2 + abs(n - 8) + (kind != "b") + step

        study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", seed=1))
        study.optimize(objective, n_trials=60)
        self.assertEqual(len(study.trials), 60)
        self.assertLess(study.best_value, 3)

    def test_given_distributions(self) -> None:
        given = {
            "tile": IntDistribution(4, 64, step=4),
            "rate": FloatDistribution(1e-4, 1e-1, log=True),
            "block": CategoricalDistribution([16, 32, 64]),
            "a name": CategoricalDistribution(["x", "y", True]),
        }

        def objective(trial: optuna.Trial) -> float:
            tile = trial.suggest_int("tile", 4, 64, step=4)
            rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
            block = trial.suggest_categorical("block", [16, 32, 64])
            other = trial.suggest_categorical("a name", ["x", "y", True])
            return tile * block / 64 + rate + (other is True)

        study = optuna.create_study(
            sampler=opevo.optuna.Sampler("opevo", space=given, levels=10), direction="maximize"
        )
        study.optimize(objective, n_trials=50)
        self.assertEqual(len({trial.params["rate"] for trial in study.trials} | {0}) <= 11, True)
        self.assertEqual(
            len({tuple(map(str, trial.params.values())) for trial in study.trials}), 50
        )

    def test_values(self) -> None:
        def of(distribution: optuna.distributions.BaseDistribution, levels: int = 5) -> tuple:
            return opevo._optuna_space.values_of("p", distribution, levels)

        self.assertEqual(of(IntDistribution(1, 9, step=2)), (True, [1, 3, 5, 7, 9]))
        self.assertEqual(of(IntDistribution(1, 4, log=True)), (True, [1, 2, 3, 4]))
        self.assertEqual(of(IntDistribution(1, 10000, log=True)), (True, [1, 10, 100, 1000, 10000]))
        self.assertEqual(of(IntDistribution(0, 10000)), (True, [0, 2500, 5000, 7500, 10000]))
        self.assertEqual(of(FloatDistribution(0, 1)), (True, [0, 0.25, 0.5, 0.75, 1]))
        self.assertEqual(of(FloatDistribution(0, 1, step=0.5)), (True, [0, 0.5, 1]))
        self.assertEqual(of(CategoricalDistribution([1, 2, 8])), (True, [1, 2, 8]))
        self.assertEqual(of(CategoricalDistribution([2, 1])), (False, [2, 1]))
        self.assertEqual(of(CategoricalDistribution([False, True])), (False, [False, True]))

    def test_branches(self) -> None:
        space = opevo.Space(
            {
                "op": {
                    "conv": {"n": [1, 3], "X": opevo.factor(4, 2)},
                    "pool": {"n": [2, 4]},
                    "skip": None,
                }
            }
        )

        def objective(trial: optuna.Trial) -> float:
            config = opevo.optuna.suggest(trial, space)
            found.add(frozen(config))
            return 1.0

        found: set = set()
        sampler = opevo.optuna.Sampler("random", space=space)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=100)
        self.assertEqual(found, {frozen(config) for config in space.configs()})
        self.assertLess(len(study.trials), 100, "a study whose search is over ends")

    def test_parameters_outside_the_space(self) -> None:
        given = {"x": IntDistribution(0, 9)}

        def objective(trial: optuna.Trial) -> float:
            return 1 + trial.suggest_int("x", 0, 9) + trial.suggest_float("y", 0, 1)

        study = optuna.create_study(sampler=opevo.optuna.Sampler("random", space=given))
        study.optimize(objective, n_trials=10)
        self.assertEqual(sorted(trial.params["x"] for trial in study.trials), list(range(10)))


def conditional(trial: optuna.Trial) -> float:
    """A switch of two values, of which each has parameters of its own."""
    if trial.suggest_categorical("kind", ["tiles", "rows"]) == "tiles":
        return 1 + abs(trial.suggest_int("a", 1, 32) - 20) + abs(trial.suggest_int("b", 1, 32) - 7)
    return 50 + trial.suggest_int("c", 0, 9)


class DefineByRun(unittest.TestCase):
    def test_branches_are_learned(self) -> None:
        """Random search meets a value of at most 4, 41 of 1024 points, in 60 trials by chance only
        in 9 of 10 cases; qgp learns the slopes, and knows the branch without them."""
        for seed in (1, 2, 3):
            sampler = opevo.optuna.Sampler("qgp", seed=seed)
            study = optuna.create_study(sampler=sampler)
            study.optimize(conditional, n_trials=60)
            self.assertEqual(len(study.trials), 60)
            self.assertLessEqual(study.best_value, 3)
            space = sampler._searches[study.study_name].codec.space
            self.assertEqual(space.size, 32 * 32 + 10)

    def test_no_tuner_ends_the_study(self) -> None:
        for tuner in (each["name"] for each in opevo.tuners()):
            study = optuna.create_study(sampler=opevo.optuna.Sampler(tuner))
            study.optimize(conditional, n_trials=40)
            self.assertEqual(len(study.trials), 40, tuner)

    def test_same_trials_again(self) -> None:
        def params(n_jobs: int) -> list:
            study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", seed=4))
            study.optimize(conditional, n_trials=30, n_jobs=n_jobs)
            return [frozen(trial.params) for trial in study.trials]

        self.assertEqual(params(1), params(1))
        self.assertEqual(len(params(4)), 30)

    def test_a_space_that_grows_while_a_trial_begins(self) -> None:
        """Optuna asks for the space of a trial, then for its values: trials that end between show
        more parameters, and Optuna refuses values of those."""
        for tuner in ("qgp", "random"):
            sampler = opevo.optuna.Sampler(tuner, seed=1)
            study = optuna.create_study(sampler=sampler)
            study.enqueue_trial({"kind": "rows"})
            study.optimize(conditional, n_trials=1)
            number = study.ask().number
            begun = study.trials[number]
            known = sampler.infer_relative_search_space(study, begun)
            self.assertEqual(set(known), {"kind", "c"})
            for _ in range(8):  # Of the 1034 points that are known then, 1024 have a and b.
                study.enqueue_trial({"kind": "tiles"})
                study.optimize(conditional, n_trials=1)
                sampler.infer_relative_search_space(study, begun)
                values = sampler.sample_relative(study, begun, known)
                self.assertLessEqual(set(values), set(known))

    def test_every_choice_of_a_switch_is_tried(self) -> None:
        """Of 20 choices each opens 64 points but for the last, which is the best one: a uniform
        draw over points of the space that is known meets it once in a thousand."""

        def objective(trial: optuna.Trial) -> float:
            kind = trial.suggest_categorical("kind", list(range(20, 0, -1)))
            return 1.0 if kind == 1 else kind + trial.suggest_int(f"x{kind}", 0, 63)

        study = optuna.create_study(sampler=opevo.optuna.Sampler("random", seed=1))
        study.optimize(objective, n_trials=60)
        self.assertEqual({trial.params["kind"] for trial in study.trials}, set(range(1, 21)))

    def test_resumed_by_the_storage(self) -> None:
        def run(pieces: list[int]) -> list:
            with tempfile.TemporaryDirectory() as folder:
                storage = f"sqlite:///{folder}/optuna.db"
                optuna.create_study(storage=storage, study_name="s")
                for n in pieces:
                    sampler = opevo.optuna.Sampler("opevo", seed=8)
                    study = optuna.load_study(storage=storage, study_name="s", sampler=sampler)
                    study.optimize(conditional, n_trials=n)
                self.assertEqual(len({frozen(t.params) for t in study.trials[10:]}), 12)
                return [frozen(trial.params) for trial in study.trials[10:]]

        self.assertEqual(run([22]), run([22]))
        # The independent sampler of a resumed study begins anew, so only what it drew may differ.
        self.assertEqual(len(run([11, 11])), 12)

    def test_a_store(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sampler = opevo.optuna.Sampler("random", store=str(Path(folder, "runs.db")))
            study = optuna.create_study(sampler=sampler)
            study.optimize(conditional, n_trials=20)
            sampler.close()
        self.assertEqual(len(study.trials), 20)

    def test_trees(self) -> None:
        """Of random trees of parameters the one that is learned explains every trial."""
        rng = random.Random(1)

        def grow(depth: int, count: list[int]) -> list:
            node = []
            for _ in range(rng.randint(1, 2)):
                count[0] += 1
                opens = depth < 3 and rng.random() < 0.6
                children = [grow(depth + 1, count) if opens else [] for _ in range(2)]
                node.append((f"p{count[0]}", children))
            return node

        for _ in range(20 if "OPEVO_TEST_LONG" in os.environ else 2):
            tree = grow(0, [0])

            def walk(trial: optuna.Trial, node: list) -> None:
                for name, children in node:
                    walk(trial, children[trial.suggest_categorical(name, [0, 1])])

            def objective(trial: optuna.Trial) -> float:
                walk(trial, tree)
                return 1.0

            study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
            study.optimize(objective, n_trials=300)
            learned = opevo._optuna_space.learn(study.trials)
            codec = opevo._optuna_space.Flat(learned, 8)
            for trial in study.trials:
                self.assertTrue(opevo._optuna_space.explains(learned, set(), trial))
                config = codec.encode(trial)
                assert config is not None
                self.assertEqual(codec.decode(config), trial.params)
            self.assertLessEqual({frozen(codec.encode(trial)) for trial in study.trials},
                                 {frozen(config) for config in codec.space.configs()})

    def test_what_no_switch_decides_is_random(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            n = trial.suggest_int("n", 1, 3)
            return 1 + n + sum(trial.suggest_int(f"x{i}", 0, 4) for i in range(n))

        study = optuna.create_study(sampler=opevo.optuna.Sampler("random"))
        study.optimize(objective, n_trials=50)
        self.assertEqual(len(study.trials), 50)
        self.assertEqual({trial.params["n"] for trial in study.trials}, {1, 2, 3})

    def test_ranges_that_depend_on_a_switch(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            small = trial.suggest_categorical("small", [True, False])
            return 1 + abs(trial.suggest_int("x", 0, 3 if small else 255) - (2 if small else 200))

        study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", seed=2))
        study.optimize(objective, n_trials=50)
        self.assertEqual(study.best_value, 1)
        for trial in study.trials:
            self.assertLessEqual(trial.params["x"], 3 if trial.params["small"] else 255)


class Outcomes(unittest.TestCase):
    space = {"x": IntDistribution(0, 9)}

    def stored(self, objective: object, directions: list[str], **more: object) -> list:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder, "runs.db"))
            tuner = "nsga2" if len(directions) > 1 else "random"
            sampler = opevo.optuna.Sampler(tuner, space=self.space, store=store, **more)
            self.study = optuna.create_study(directions=directions, sampler=sampler)
            self.study.optimize(objective, n_trials=10, catch=(ZeroDivisionError,))
            return opevo.call("runs", store + ":1", "--trials")["trials"]

    def test_states(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            x = trial.suggest_int("x", 0, 9)
            if x == 3:
                raise optuna.TrialPruned
            if x == 4:
                raise ZeroDivisionError
            return 1.0 + x

        trials = self.stored(objective, ["minimize"])
        found = {trial["configuration"]["x"]: trial for trial in trials}
        self.assertEqual((found[3]["outcome"], found[4]["outcome"]), ("timeout", "crashed"))
        self.assertEqual([found[x]["outcome"] for x in (0, 1, 9)], ["ok"] * 3)
        self.assertEqual(found[9]["time_s"], 10)
        states = {trial.params["x"]: trial.state for trial in self.study.trials}
        self.assertEqual((states[3], states[4]), (TrialState.PRUNED, TrialState.FAIL))

    def test_constraints(self) -> None:
        trials = self.stored(
            lambda trial: 1.0 + trial.suggest_int("x", 0, 9),
            ["maximize"],
            constraints_func=lambda trial: (trial.params["x"] - 4, -1.0),
        )
        for trial in trials:
            expected = "ok" if trial["configuration"]["x"] <= 4 else "infeasible"
            self.assertEqual(trial["outcome"], expected)
        kept = {trial.params["x"]: trial.system_attrs["constraints"] for trial in self.study.trials}
        self.assertEqual(list(kept[7]), [3, -1])

    def test_several_objectives(self) -> None:
        def objective(trial: optuna.Trial) -> tuple[float, float]:
            x = trial.suggest_int("x", 0, 9)
            return abs(x - 4), -abs(x - 6)

        trials = self.stored(objective, ["minimize", "maximize"])
        self.assertEqual(len(trials), 10)
        self.assertEqual({trial.params["x"] for trial in self.study.best_trials}, {4, 5, 6})

    def test_real_values(self) -> None:
        fitness = []
        for direction, sign in (("minimize", 1), ("maximize", -1)):
            trials = self.stored(
                lambda trial: sign * (trial.suggest_int("x", 0, 9) - 5.0),
                [direction],
                values="real",
            )
            found = {trial["configuration"]["x"]: trial["fitness"] for trial in trials}
            fitness.append([found[x] for x in range(10)])
            self.assertEqual(fitness[-1], sorted(fitness[-1], reverse=True))
            self.assertGreater(min(fitness[-1]), 0)
        self.assertEqual(fitness[0], fitness[1])

    def test_values_out_of_range_do_not_end_the_study(self) -> None:
        """One value of ten is 0, negative or infinite, and the best finite one is found."""
        bad = {"minimize": math.inf, "maximize": -math.inf}
        for direction, sign in (("minimize", 1), ("maximize", -1)):
            for odd in (0.0, -3.0, bad[direction], -bad[direction], 1e-300, 1e300):
                for space in (self.space, None):

                    def objective(trial: optuna.Trial) -> float:
                        x = trial.suggest_int("x", 0, 9)
                        return odd if x == 4 else sign * (1.0 + x)

                    sampler = opevo.optuna.Sampler("random", space=space)
                    study = optuna.create_study(direction=direction, sampler=sampler)
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)
                        study.optimize(objective, n_trials=10)
                    found = [trial.params["x"] for trial in study.trials]
                    self.assertEqual(sorted(found), list(range(10)), (direction, odd, space))
                    sampler.close()

    def test_infinite_values_are_failures(self) -> None:
        trials = self.stored(
            lambda trial: math.inf if trial.suggest_int("x", 0, 9) == 4 else 1.0, ["minimize"]
        )
        found = {trial["configuration"]["x"]: trial["outcome"] for trial in trials}
        self.assertEqual([found[x] for x in (3, 4, 5)], ["ok", "crashed", "ok"])
        trials = self.stored(
            lambda trial: (math.inf if trial.suggest_int("x", 0, 9) == 4 else 1.0, 2.0),
            ["minimize", "minimize"],
        )
        self.assertEqual(sum(trial["outcome"] == "crashed" for trial in trials), 1)

    def test_fixed_parameters_are_asked_again(self) -> None:
        sampler = opevo.optuna.Sampler("random", space=self.space)
        study = optuna.create_study(sampler=sampler)
        study.enqueue_trial({"x": 7})
        study.enqueue_trial({"x": 7})
        study.optimize(lambda trial: 1.0 + trial.suggest_int("x", 0, 9), n_trials=12)
        found = [trial.params["x"] for trial in study.trials]
        self.assertEqual(found[:2], [7, 7])
        self.assertEqual(set(found), set(range(10)))

    def test_errors(self) -> None:
        def tell(value: float, **more: object) -> None:
            sampler = opevo.optuna.Sampler("random", space=self.space, **more)
            study = optuna.create_study(sampler=sampler)
            study.optimize(lambda trial: value + 0 * trial.suggest_int("x", 0, 9), n_trials=1)

        for value in (-1.0, 0.0, 1e10):
            with self.assertWarnsRegex(UserWarning, 'not from 1e-12 to 1e.*values="real"'):
                tell(value)
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                tell(value, values="real")
        with self.assertRaisesRegex(opevo.Error, "levels=1"):
            tell(1.0, levels=1)
        with self.assertRaisesRegex(opevo.Error, "nsga2"):
            sampler = opevo.optuna.Sampler("qgp", space=self.space)
            study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)
            study.optimize(lambda trial: (1.0 + trial.suggest_int("x", 0, 9), 2.0), n_trials=1)
        with self.assertRaisesRegex(opevo.Error, "did you mean qgp"):
            study = optuna.create_study(sampler=opevo.optuna.Sampler("qpg", space=self.space))
            study.optimize(lambda trial: 1.0 + trial.suggest_int("x", 0, 9), n_trials=1)


class Threads(unittest.TestCase):
    def test_threads_that_wait_for_each_other_go_on(self) -> None:
        """Each thread holds several trials that nobody tells: none waits for ever."""
        study = of_matmul("opevo", seed=1)
        done = []

        def take() -> None:
            for _ in range(12):
                study.ask()
            done.append(1)

        threads = [threading.Thread(target=take, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)
        self.assertEqual(len(done), 2)


if __name__ == "__main__":
    main()
