/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The report of a store: who is best, how sure that is, and the courses of the runs. */

const mostShown = 6; /* contenders that the charts show at first */
const mostRows = 20; /* of the ranking, before it is opened */

/* ---- The data, by contender ---- */

const nameOf = (data, cell) => data.contenders[cell.contender].name;
const confidence = (data) => `${short(100 * data.confidence)} %`;

/* Index in the grid of a landscape of a number of trials; the last one where there is none. */
const placeOf = (place, trials) => {
  const i = place.trials.indexOf(trials);
  return i < 0 ? place.trials.length - 1 : i;
};
const comparedAt = (place) => placeOf(place, place.compared_at);

/* Cells of a landscape, best mean first. */
function ranked(place) {
  const i = comparedAt(place);
  return [...place.cells].sort((a, b) => (b.mean[i] ?? -1) - (a.mean[i] ?? -1));
}

/* 1, -1 or 0 for a better or worse than b or not resolved; undefined where they were not compared. */
function verdictOf(data, landscape, a, b) {
  const index = data.verdicts.get(`${landscape} ${a} ${b}`) ?? data.verdicts.get(`${landscape} ${b} ${a}`);
  if (index === undefined) return undefined;
  const row = data.pairs.rows[index];
  if (row[3] === 0) return undefined;
  return row[1] === a ? row[7] : -row[7];
}

function indexVerdicts(data) {
  data.verdicts = new Map(data.pairs.rows.map((row, i) => [row.slice(0, 3).join(" "), i]));
}

/* The best of each tuner first, then the best of all; best by the sum of the ranks on the landscapes. */
function chooseShown(data) {
  const ranks = data.contenders.map(() => 0);
  for (const order of data.landscapes.map(ranked)) {
    const places = data.contenders.map((_, i) => order.findIndex((cell) => cell.contender === i));
    places.forEach((at, i) => {
      ranks[i] += at < 0 ? data.contenders.length : at;
    });
  }
  const order = [...data.contenders.keys()].sort((a, b) => ranks[a] - ranks[b]);
  const isFirst = (i, at) =>
    order.findIndex((other) => data.contenders[other].tuner === data.contenders[i].tuner) === at;
  return new Set([...new Set([...order.filter(isFirst), ...order])].slice(0, mostShown));
}

/* Colours by the order of names that are shown first, then the others. */
function giveColors(data) {
  const order = [...data.shown, ...data.contenders.keys()];
  data.colors = new Map();
  for (const contender of order) if (!data.colors.has(contender)) data.colors.set(contender, data.colors.size);
}

const shownCells = (data, place) => ranked(place).filter((cell) => data.shown.has(cell.contender));
const colorOf = (data, cell) => data.colors.get(cell.contender);
const optimumName = (place) => (place.optimum === null ? "best of all runs" : "optimum");

/* ---- In short ---- */

function listNames(names, most = 4) {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function sentenceOf(data, place, landscape) {
  const cells = ranked(place);
  const best = cells[0],
    i = comparedAt(place);
  const compared = cells.slice(1).map((cell) => [cell, verdictOf(data, landscape, best.contender, cell.contender)]);
  const open = compared.filter(([, verdict]) => verdict === 0).map(([cell]) => nameOf(data, cell));
  const beaten = compared.filter(([, verdict]) => verdict === 1).length;
  const parts = [
    el("b", {}, place.name),
    ": ",
    el("b", {}, nameOf(data, best)),
    ` has the highest mean, ${between(best.mean[i], best.low[i], best.high[i])} of the ${optimumName(place)} after `,
    `${count(place.compared_at, "trial")}. `,
  ];
  if (cells.length > 1)
    parts.push(
      `Better than ${beaten} of ${cells.length - 1}`,
      open.length ? `; not told apart from ${listNames(open)}. ` : ". ",
    );
  if (place.random) parts.push(`Random search: ${fixed(place.random.mean[i])} `, sure("exact"), ".");
  return el("li", {}, parts);
}

function addShort(parent, data) {
  const items = data.landscapes.map((place, i) => (place.cells.length ? sentenceOf(data, place, i) : null));
  if (data.overall) {
    const best = data.overall.mean_rank.indexOf(Math.min(...data.overall.mean_rank));
    const near = data.contenders
      .filter(
        (_, i) =>
          i !== best && data.overall.mean_rank[i] < data.overall.mean_rank[best] + data.overall.critical_difference,
      )
      .map((one) => one.name);
    items.unshift(
      el(
        "li",
        {},
        `Over ${data.overall.landscapes} landscapes `,
        el("b", {}, data.contenders[best].name),
        ` has the best mean rank, ${fixed(data.overall.mean_rank[best], 2)} of ${data.contenders.length}; `,
        near.length
          ? `by ranks alone not told apart from ${listNames(near)}.`
          : "all others are told apart by ranks alone.",
      ),
    );
  }
  parent.append(
    el(
      "section",
      { class: "short" },
      el("h3", {}, "In short"),
      el("ul", {}, items),
      el(
        "p",
        { class: "soft" },
        sure("estimated"),
        ` means of runs with their ${confidence(data)} intervals; the `,
        `probability of any false verdict in this report is at most ${data.alpha}. `,
        sure("exact"),
        " formulas over all points of a landscape, without error bars.",
      ),
    ),
  );
}

/* ---- The contenders shown in charts ---- */

function addPicker(parent, data) {
  const change = (contender) => (event) => {
    data.shown[event.target.checked ? "add" : "delete"](contender);
    updateAll();
  };
  parent.append(
    el(
      "details",
      { class: "picker" },
      el("summary", {}, `Contenders in the charts (${data.shown.size} of ${data.contenders.length} at first)`),
      el(
        "div",
        {},
        data.contenders.map((contender, i) =>
          el(
            "label",
            {},
            el("input", { type: "checkbox", checked: data.shown.has(i), onchange: change(i) }),
            el("span", { class: "swatch", style: `background: var(${colorVariable(data.colors.get(i))})` }),
            contender.name,
          ),
        ),
      ),
    ),
    el(
      "p",
      { class: "soft hint" },
      "In a chart: point at it to read numbers, drag to zoom, double-click to go back, ",
      "click a name below it to hide that line.",
    ),
  );
}

/* ---- Ranking ---- */

function verdictCell(data, landscape, best, cell) {
  if (cell === best) return { text: "highest mean", class: "text" };
  const verdict = verdictOf(data, landscape, cell.contender, best.contender);
  if (verdict === undefined) return "not compared";
  return verdict === 0
    ? "not resolved"
    : { text: verdict < 0 ? "worse" : "better", class: verdict < 0 ? "worse" : "better" };
}

function addRanking(parent, data, place, landscape) {
  const i = comparedAt(place),
    cells = ranked(place),
    random = place.random;
  const numbers = cells
    .flatMap((cell) => [cell.low[i], cell.high[i], cell.mean[i]])
    .concat(random?.mean[i])
    .filter(isNumber);
  const scale = { from: Math.min(...numbers), to: Math.max(...numbers), marks: [random?.mean[i]] };
  const pad = 0.04 * (scale.to - scale.from);
  scale.from -= pad;
  scale.to += pad;
  const rows = cells.map((cell) => [
    { text: nameOf(data, cell), class: "name" },
    {
      text: strip(cell.mean[i], cell.low[i], cell.high[i], {
        ...scale,
        color: `var(${colorVariable(colorOf(data, cell))})`,
      }),
      class: "strip",
    },
    between(cell.mean[i], cell.low[i], cell.high[i]),
    fixed(cell.worst[i]),
    percent(cell.within_5[i], 0),
    fixed(cell.score[i]),
    whole(cell.known[i]),
    verdictCell(data, landscape, cells[0], cell),
  ]);
  if (random) {
    const row = [
      { text: "random search, by formula", class: "name" },
      { text: strip(random.mean[i], null, null, { ...scale, color: "var(--exact)" }), class: "strip" },
      el("span", {}, `${fixed(random.mean[i])} `, sure("exact")),
      "",
      percent(random.within_5[i], 0),
      "0",
      "",
      "",
    ];
    row.class = "exact";
    const below = cells.findIndex((cell) => (cell.mean[i] ?? -1) < random.mean[i]);
    rows.splice(below < 0 ? rows.length : below, 0, row);
  }
  const heads = ["<contender", "", "mean", "worst", "within 5 %", "score", "runs", "<against the first"];
  const cut = rows.length > mostRows + 5;
  const first = cut ? rows.filter((row, k) => k < mostRows || row.class) : rows;
  parent.append(
    table(
      heads,
      first,
      [
        cut ? `The best ${mostRows} of ${cells.length}. ` : "",
        `Best fraction of the ${optimumName(place)} after ${count(place.compared_at, "trial")}: `,
        sure("estimated"),
        ` means over runs with their ${confidence(data)} intervals (bars, and in brackets)`,
        random ? "; the dashed line is exact random search, from which the score counts (0) up to the optimum (1)" : "",
        `. Verdicts: paired signed ranks, adjusted for all comparisons of this report.`,
      ],
      { class: "wide" },
    ),
  );
  if (cut)
    addFolded(parent, `All ${cells.length} contenders`, false, (inside) =>
      inside.append(table(heads, rows, ["The same for all contenders: ", sure("estimated"), "."], { class: "wide" })),
    );
}

/* ---- Courses ---- */

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
    rows.push(row("random search, by formula", place.random, true));
    rows.at(-1).class = "exact";
  }
  const heads = data.targets.flatMap((x) => [`reached ${short(100 * x)} %`, "trials to it"]);
  parent.append(
    table(["<contender", ...heads, "area under ECDF"], rows, [
      "Runs that reached a target, expected trials to it, and the area under the ECDF over log trials from 1 to ",
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
    rows.push(row("random search, by formula", random));
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

/* ---- The landscape and its failures ---- */

function addDistribution(parent, place, id) {
  const distribution = place.distribution;
  if (!distribution) return;
  const steps = distribution.quantile.length - 1;
  addFigure(parent, {
    id: `${id}-distribution`,
    title: "The landscape",
    spec: {
      x: distribution.quantile.map((_, i) => (100 * i) / steps),
      xLabel: "% of the points that are ok",
      yLabel: `fraction of the optimum`,
      format: fixed,
      fromZero: true,
      series: [{ name: "at most this", y: distribution.quantile.map((x) => x / place.fractions_of), color: 0 }],
    },
    caption: [
      `Fitness of the ${whole(distribution.ok)} points that are ok, sorted, of ${whole(distribution.points)} allowed: `,
      sure("exact"),
      ".",
    ],
  });
}

function addFailures(parent, data, place) {
  const seen = data.classes.map((_, k) => k).filter((k) => place.cells.some((cell) => cell.outcomes[k]));
  const rows = ranked(place).map((cell) => [
    { text: nameOf(data, cell), class: "name" },
    whole(cell.trials),
    ...seen.map((k) => `${whole(cell.outcomes[k])} (${percent(cell.outcomes[k] / cell.trials)})`),
  ]);
  parent.append(
    table(["<contender", "trials", ...seen.map((k) => data.classes[k])], rows, [
      "Outcomes of all trials by class, counted: ",
      sure("exact"),
      " for these runs.",
    ]),
  );
}

/* ---- The page ---- */

function addPlace(parent, data, place, landscape) {
  const id = `landscape-${landscape}`;
  const section = el("section", { id }, el("h2", {}, place.name));
  section.append(
    el(
      "p",
      { class: "soft" },
      place.optimum === null
        ? [
            `Optimum not known; fractions are of the best of all runs, ${short(place.fractions_of, 6)} ${place.unit}, and the true ones are smaller.`,
          ]
        : [`Optimum ${short(place.optimum, 6)} ${place.unit}. `, sure("exact")],
      ` All contenders are known up to ${count(place.horizon, "trial")}.`,
    ),
  );
  parent.append(section);
  if (!place.cells.length) return;
  addRanking(section, data, place, landscape);
  const grid = el("div", { class: "figures" });
  section.append(grid);
  addConvergence(grid, data, place, id);
  addEcdf(grid, data, place, id);
  addTargets(grid, data, place, id);
  addOverSeconds(grid, data, place, id);
  addSweeps(grid, data, place, id);
  addDistribution(grid, place, id);
  addFolded(section, "Table at the checkpoints", place.cells.length <= 25, (inside) =>
    addCheckpoints(inside, data, place),
  );
  addFolded(section, "Table of targets", place.cells.length <= 25, (inside) => addTargetTable(inside, data, place));
  addVerdicts(section, data, place, landscape);
  addFailures(section, data, place);
}

function studyPage(parent, data) {
  indexVerdicts(data);
  data.shown = chooseShown(data);
  giveColors(data);
  parent.append(
    el(
      "p",
      { class: "soft" },
      `${count(data.runs, "run")} of ${count(data.contenders.length, "contender")} on `,
      `${count(data.landscapes.length, "landscape")}; opevo ${data.version}`,
    ),
  );
  if (data.notes) parent.append(el("p", { class: "notes" }, data.notes.trim()));
  addShort(parent, data);
  const links = data.landscapes.map((place, i) => el("a", { href: `#landscape-${i}` }, place.name));
  parent.append(
    el(
      "nav",
      {},
      links,
      data.overall ? el("a", { href: "#overall" }, "over all landscapes") : null,
      el("a", { href: "#manifest" }, "where the numbers come from"),
    ),
  );
  addPicker(parent, data);
  data.landscapes.forEach((place, i) => addPlace(parent, data, place, i));
  addOverall(parent, data);
  addManifest(parent, data);
}
