/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The report of a store, its courses: fractions and shares over trials and seconds, and the same in tables. */

function series(data, place, pick, courses) {
  const rows = shownCells(data, place).map((cell) => ({
    ...pick(cell),
    name: nameOf(data, cell),
    color: colorOf(data, cell),
    courses:
      courses &&
      cell.courses.map((course) => ({
        trial: course.trial,
        length: course.length,
        best: course.fitness.map((x) => x / place.fractions_of),
      })),
  }));
  if (place.random)
    rows.push({ ...pick(place.random), low: null, high: null, name: "random search (exact)", color: "exact" });
  return rows;
}

const axisControl = (checked = true) => ({ logX: { label: "logarithmic", checked } });

function addConvergence(parent, data, place, id) {
  addFigure(parent, {
    id: `${id}-convergence`,
    title: "Convergence",
    controls: { ...axisControl(), courses: { label: "single runs", checked: false } },
    spec: ({ logX, courses }) => ({
      x: place.trials,
      xLabel: "trials",
      yLabel: `fraction of the ${optimumName(place)}`,
      logX,
      courses,
      format: fixed,
      series: series(data, place, ({ mean, low, high }) => ({ y: mean, low, high }), true),
    }),
    caption: [
      "Mean best fraction of the ",
      optimumName(place),
      " so far: ",
      sure("estimated"),
      ` from the runs known that far, bands are ${confidence(data)} intervals of the mean`,
      place.random ? ["; dashed: random search, ", sure("exact"), "."] : ".",
    ],
  });
}

function addOverSeconds(parent, data, place, id) {
  if (!place.seconds.length) return;
  addFigure(parent, {
    id: `${id}-seconds`,
    title: "Over the seconds that trials cost",
    controls: axisControl(),
    spec: ({ logX }) => ({
      x: place.seconds,
      xLabel: "seconds",
      yLabel: `fraction of the ${optimumName(place)}`,
      logX,
      format: fixed,
      series: series(data, place, ({ over_seconds: { mean, low, high } }) => ({ y: mean, low, high })),
    }),
    caption: [
      "Mean best fraction within so many seconds, ",
      sure("estimated"),
      ", bands as before; the dashed line turns ",
      "seconds into trials at the mean cost of a trial: ",
      sure("approximate"),
      ".",
    ],
  });
}

function addEcdf(parent, data, place, id) {
  addFigure(parent, {
    id: `${id}-ecdf`,
    title: "ECDF of run lengths",
    controls: axisControl(),
    spec: ({ logX }) => ({
      x: place.trials,
      xLabel: "trials",
      yLabel: "share of (run, target) pairs",
      logX,
      format: fixed,
      fromZero: true,
      series: series(data, place, ({ ecdf }) => ({ y: ecdf })),
    }),
    caption: [
      `Share of pairs of a run and a target (${data.targets.join(", ")} of the ${optimumName(place)}) reached, `,
      sure("estimated"),
      " without an interval",
      place.random ? ["; dashed: its expectation for random search, ", sure("exact")] : "",
      ". The areas below have intervals.",
    ],
  });
}

function addTargets(parent, data, place, id) {
  addFigure(parent, {
    id: `${id}-targets`,
    title: "Trials to a target",
    spec: () => ({
      x: data.targets.map((_, i) => i),
      categories: data.targets.map((x) => percent(x, Number.isInteger(100 * x) ? 0 : 1)),
      bars: true,
      logY: true,
      xLabel: `target, of the ${optimumName(place)}`,
      yLabel: "expected trials",
      xName: "target",
      series: series(data, place, ({ targets: { ert, low, high } }) => ({ y: ert, low, high })),
    }),
    caption: [
      "Expected running time (all trials spent before the target / runs that reached it), ",
      sure("estimated"),
      ` with ${confidence(data)} intervals; no point: no run reached it.`,
    ],
  });
}

function addTargetTable(parent, data, place) {
  const row = (name, cell, exact) => [
    { text: name, class: "name" },
    ...data.targets.flatMap((_, k) => [
      exact ? percent(cell.targets.share[k]) : `${cell.targets.reached[k]} of ${cell.runs}`,
      exact
        ? short(cell.targets.ert[k])
        : cell.targets.reached[k]
          ? between(cell.targets.ert[k], cell.targets.low[k], cell.targets.high[k], (x) => short(x, 3))
          : "never",
    ]),
    exact ? fixed(cell.area) : between(cell.area, cell.area_low, cell.area_high),
  ];
  const rows = ranked(place).map((cell) => row(nameOf(data, cell), cell, false));
  if (place.random) {
    rows.push(row(data.words.random, place.random, true));
    rows.at(-1).class = "exact";
  }
  const heads = data.targets.flatMap((x) => [`reached ${short(100 * x)} %`, "ERT"]);
  parent.append(
    table(["<contender", ...heads, "area"], rows, [
      "Runs that reached a target, expected running time (ERT) to it in trials, and the area under the ECDF over log trials from 1 to ",
      whole(place.horizon),
      ": ",
      sure("estimated"),
      ` with ${confidence(data)} intervals`,
      place.random ? ["; random search ", sure("exact")] : "",
      ".",
    ]),
  );
}

/* The numbers at the checkpoints up to the horizon. */
function addCheckpoints(parent, data, place) {
  const at = data.checkpoints.filter((trials) => trials <= place.horizon).map((trials) => placeOf(place, trials));
  if (!at.length) return;
  const row = (name, cell) => [
    { text: name, class: "name" },
    ...at.flatMap((i) => [
      between(cell.mean[i], cell.low[i], cell.high[i]),
      fixed(cell.sd[i]),
      percent(cell.within_1[i], 0),
    ]),
  ];
  const rows = ranked(place).map((cell) => row(nameOf(data, cell), cell));
  if (place.random) {
    const random = { ...place.random, low: [], high: [] };
    rows.push(row(data.words.random, random));
    rows.at(-1).class = "exact";
  }
  parent.append(
    table(["<contender", ...at.flatMap((i) => [`mean at ${whole(place.trials[i])}`, "sd", "within 1 %"])], rows, [
      `Fraction of the ${optimumName(place)} after so many trials: means with ${confidence(data)} intervals, standard deviation `,
      "over runs, share of runs within 1 %: ",
      sure("estimated"),
      place.random ? ["; random search ", sure("exact")] : "",
      ".",
    ]),
  );
}
