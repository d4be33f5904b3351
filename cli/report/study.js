/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The report of a store: who is best, and how sure that is. */

const mostShown = 6; /* contenders that the charts show at first */

/* ---- The data, by contender ---- */

const nameOf = (data, cell) => data.contenders[cell.contender].name;
const confidence = (data) => `${data.intervals} ${short(100 * data.confidence)} %`;

/* Index in the grid of a landscape of a number of trials; the last one if there is none. */
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
const betterOf = (place) => (place.better === "smaller" ? " (smaller is better)" : "");
const optimumName = (place) => (place.optimum === null ? "best of all runs" : "optimum");

/* A landscape as headings name it: a task of a network by that, as its own name is all definitions. */
const titleOf = (data, name) => data.titles?.get(name) ?? name;

/* ---- In short ---- */

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/* A sentence with the sign of what is exact. */
const withSure = (text) => text.split("(exact)").flatMap((part, i) => (i ? [sure("exact"), part] : [part]));

const mostShort = 8; /* lines that are shown at first */

function addShort(parent, data) {
  const items = data.short.map(({ where, who, rest }) =>
    el("li", {}, el("b", {}, titleOf(data, where)), ": ", el("b", {}, who), " ", withSure(rest)),
  );
  const long = items.length > mostShort;
  parent.append(
    el(
      "section",
      { class: "short" },
      long ? null : el("h3", {}, "In short"),
      data.null?.biased ? el("p", { class: "worse" }, `${data.null.sentence}.`) : null,
      long
        ? el("details", {}, el("summary", {}, `In short, ${items.length} lines`), el("ul", {}, items))
        : el("ul", {}, items),
      el(
        "p",
        { class: "soft" },
        sure("estimated"),
        ` means of runs with their ${confidence(data)} intervals; the `,
        `probability of any false verdict in this report is at most ${data.alpha}. `,
        data.null && !data.null.biased ? `${data.null.sentence}. ` : "",
        sure("exact"),
        " formulas over all points of a landscape, without error bars.",
      ),
      el("p", { class: "soft" }, capital(data.standing.trim()), "."),
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
  );
}

const addHint = (parent) =>
  parent.append(
    el(
      "p",
      { class: "soft hint" },
      "In a chart: point at it to read numbers, drag to zoom, double-click to go back, ",
      "click a name below it to hide that line.",
    ),
  );

/* ---- Ranking ---- */

/* Of a contender against the first. */
const verdictCell = (data, cell) => ({ text: cell.against_first, class: verdictClass(data, cell.against_first) });

function addRanking(parent, data, place) {
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
    verdictCell(data, cell),
  ]);
  if (random) {
    const row = [
      { text: data.words.random, class: "name" },
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
  const [name, ...others] = data.words.ranking;
  const heads = [name, "", ...others];
  /* Without comparisons there are neither scores nor verdicts. */
  if (!data.pairs) for (const row of [heads, ...rows]) row.splice(5, 1), row.pop();
  const cut = rows.length > data.words.rows + 5;
  const first = cut ? rows.filter((row, k) => k < data.words.rows || row.class) : rows;
  parent.append(
    table(
      heads,
      first,
      [
        cut ? `The best ${data.words.rows} of ${cells.length}. ` : "",
        `Best fraction of the ${optimumName(place)} after ${count(place.compared_at, "trial")}: `,
        sure("estimated"),
        ` means over runs with their ${confidence(data)} intervals (bars, and in brackets)`,
        random ? "; the dashed line is exact random search, from which the score counts (0) up to the optimum (1)" : "",
        data.pairs ? ". Verdicts: paired signed ranks, adjusted for all comparisons of this report." : ".",
      ],
      { class: "wide" },
    ),
  );
  if (cut)
    addFolded(parent, `All ${cells.length} contenders`, false, (inside) =>
      inside.append(table(heads, rows, ["The same for all contenders: ", sure("estimated"), "."], { class: "wide" })),
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

function addFailures(parent, data, place, landscape) {
  const seen = data.classes.map((_, k) => k).filter((k) => place.cells.some((cell) => cell.outcomes[k]));
  const rows = ranked(place).map((cell) => [
    { text: nameOf(data, cell), class: "name" },
    whole(cell.trials),
    ...seen.map((k) => `${whole(cell.outcomes[k])} (${percent(cell.outcomes[k] / cell.trials)})`),
  ]);
  parent.append(
    el("h3", {}, "Outcomes of the trials"),
    table(["<contender", "trials", ...seen.map((k) => data.classes[k])], rows, [
      "Outcomes of all trials by class, counted: ",
      sure("exact"),
      " for these runs.",
    ]),
  );
  const first = data.failures.filter((one) => one.landscape === landscape);
  if (!first.length) return;
  const reasons = first.map((one) => [
    one.outcome,
    whole(one.count),
    `run ${one.run}${one.store ? ` of ${one.store}` : ""}, trial ${one.trial}`,
    { text: one.message, class: "text" },
  ]);
  parent.append(
    table(["<outcome", "trials", "<first", "<message"], reasons, [
      "The first failure of each class, and its message.",
    ]),
  );
}

/* ---- The page ---- */

function addPlace(parent, data, place, landscape) {
  const id = `landscape-${landscape}`;
  const title = titleOf(data, place.name);
  const section = el("section", { id }, el("h2", {}, title));
  if (title !== place.name) section.append(el("p", { class: "soft" }, el("code", {}, place.name)));
  section.append(
    el(
      "p",
      { class: "soft" },
      !place.fractions_of
        ? "No trial of any run succeeded."
        : place.optimum === null
          ? [
              `The optimum is not known; the best of all runs is ${short(place.best, 6)} ${place.unit}${betterOf(place)}, and the true fractions are smaller.`,
            ]
          : [`Optimum ${short(place.optimum, 6)} ${place.unit}${betterOf(place)}. `, sure("exact")],
      ` All contenders are known up to ${count(place.horizon, "trial")}.`,
    ),
  );
  parent.append(section);
  if (!place.cells.length) return;
  addRanking(section, data, place);
  const front = (data.fronts ?? []).find((one) => one.landscape === landscape && one.front.length);
  if (front) addFrontTable(section, front);
  const grid = el("div", { class: "figures" });
  section.append(grid);
  if (front) addFrontCharts(grid, data, front, id);
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
  addRegret(section, data, place);
  addFinals(section, data, place, landscape);
  addFailures(section, data, place, landscape);
}

const mostLinks = 12; /* to landscapes, shown at first */

function addLinks(parent, data) {
  const links = data.landscapes.map((place, i) => el("a", { href: `#landscape-${i}` }, titleOf(data, place.name)));
  const many = links.length > mostLinks;
  parent.append(
    el(
      "nav",
      {},
      networksOf(data).map((network, i) => el("a", { href: `#network-${i}` }, networkTitle(network))),
      many ? null : links,
      data.overall ? el("a", { href: "#overall" }, "over all landscapes") : null,
      el("a", { href: "#manifest" }, "where the numbers come from"),
    ),
  );
  if (many) parent.append(el("details", {}, el("summary", {}, `${links.length} landscapes`), el("nav", {}, links)));
}

function studyPage(parent, data) {
  indexVerdicts(data);
  data.shown = chooseShown(data);
  giveColors(data);
  nameTasks(data);
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
  addLinks(parent, data);
  if (data.contenders.length > 1) addPicker(parent, data);
  addHint(parent);
  addNetworks(parent, data);
  data.landscapes.forEach((place, i) => addPlace(parent, data, place, i));
  addOverall(parent, data);
  addEdits(parent, data);
  addManifest(parent, data);
}
