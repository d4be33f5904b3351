/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The report of a landscape: what it holds, and what it is like under each topology. */

const pairsOf = (object) => Object.entries(object);

/* ---- What it holds ---- */

function landscapeShort(data) {
  const facts = data.landscape,
    { analysis, optimum } = facts;
  const exact = sure(facts.sure);
  const items = [
    el(
      "li",
      {},
      `${whole(facts.evaluated)} points evaluated, ${percent(facts.outcomes.ok / facts.evaluated)} of them ok. `,
      exact,
    ),
  ];
  if (optimum) {
    items.push(
      el(
        "li",
        {},
        "Optimum: ",
        el("b", {}, `${short(optimum.result, 6)} ${optimum.unit}`),
        ` at `,
        el("code", {}, configuration(optimum.configuration)),
        `; ${count(facts.within_5_percent, "point")} within 5 % of it. `,
        sure(facts.sure),
      ),
    );
  }
  if (analysis) {
    const [best] = analysis.topologies,
      search = best.first_improvement;
    items.push(
      el(
        "li",
        {},
        `To reach ${short(100 * search.target, 4)} % of the optimum, `,
        "restarted first improvement needs ",
        el("b", {}, `${short(search.expected_trials)} trials`),
        ` under ${best.topology}`,
        analysis.topologies.length > 1 ? ", the cheapest topology" : "",
        `; random search ${short(search.random_search)}. `,
        sure("exact"),
      ),
    );
  }
  return el("section", { class: "short" }, el("h3", {}, "In short"), el("ul", {}, items));
}

const configuration = (values) =>
  pairsOf(values)
    .map(([name, value]) => `${name}=${[value].flat().join(",")}`)
    .join(" ");

function addOutcomes(parent, data) {
  const facts = data.landscape;
  const rows = pairsOf(facts.outcomes)
    .filter(([, n]) => n)
    .map(([name, n]) => [name, whole(n), percent(n / facts.evaluated, 2)]);
  parent.append(
    table(["<outcome", "points", "share"], rows, [
      `Outcomes of the ${whole(facts.evaluated)} evaluated points, of ${whole(facts.points)} of the space: `,
      sure(facts.sure),
      ".",
    ]),
  );
}

function addHistogram(parent, data) {
  const { distribution: d, landscape: facts } = data;
  if (!d) return;
  addFigure(parent, {
    id: "histogram",
    title: "Distribution of the fitness",
    spec: {
      kind: "histogram",
      x: d.bars.map((_, i) => d.low + (i + 0.5) * d.width),
      xLabel: facts.unit,
      yLabel: "points",
      xName: "middle of the bar",
      fromZero: true,
      format: whole,
      series: [{ name: "points", y: d.bars, color: 0 }],
    },
    caption: ["Points that are ok by their fitness: counts, ", sure("exact"), "."],
  });
  const steps = d.quantile.length - 1;
  addFigure(parent, {
    id: "quantiles",
    title: "Sorted points",
    spec: {
      x: d.quantile.map((_, i) => (100 * i) / steps),
      xLabel: "% of the points that are ok",
      yLabel: facts.unit,
      fromZero: true,
      series: [{ name: "at most this", y: d.quantile, color: 0 }],
    },
    caption: ["The fitness that so many of the points that are ok do not exceed: ", sure("exact"), "."],
  });
}

/* ---- Topologies side by side ---- */

function addTopologies(parent, data) {
  const { topologies, population } = data.landscape.analysis;
  const random = topologies[0].first_improvement.random_search;
  const costs = topologies
    .map((one) => one.first_improvement.expected_trials)
    .filter(isNumber)
    .concat(random);
  const scale = { from: 0, to: 1.02 * Math.max(...costs), marks: [random] };
  const bestQ = (one) => one.improvement?.reduce((a, b) => (b.probability > a.probability ? b : a));
  const rows = topologies.map((one, i) => {
    const search = one.first_improvement,
      q = bestQ(one);
    return [
      { text: one.topology, class: "name" },
      {
        text: strip(search.expected_trials, null, null, { ...scale, color: `var(--c${i % paletteSize})` }),
        class: "strip",
      },
      search.expected_trials === null ? "never" : short(search.expected_trials),
      short(search.sd, 3),
      percent(search.success, 2),
      whole(one.local_optima.count),
      fixed(one.centrality.share[1]),
      fixed(one.autocorrelation?.r[1]),
      fixed(one.fitness_distance.pearson),
      ...(population ? [short(q.q), percent(q.probability, 2)] : []),
    ];
  });
  parent.append(
    el("h2", { id: "topologies" }, "Topologies"),
    table(
      [
        "<topology",
        "",
        "expected trials",
        "sd",
        "success",
        "local optima",
        "centrality 5 %",
        "r(1)",
        "fdc",
        ...(population ? ["best q", "child better"] : []),
      ],
      rows,
      [
        `Cost of restarted first improvement to ${short(100 * topologies[0].first_improvement.target, 4)} % of the optimum under each `,
        `topology, the dashed line being random search (${short(random)}): `,
        sure("exact"),
        "; the proportion of centrality ",
        sure("bounded"),
        ` within ${short(Math.max(...topologies.map((one) => one.centrality.bound)), 1)}`,
        population
          ? `; the last two columns are one child of OpEvo after ${count(population.seen, "random trial")}.`
          : ".",
      ],
      { class: "wide" },
    ),
  );
}

/* Whether the optimum can be reached: of how many pieces the graph is, with and without its failures. */
function addGraphs(parent, topologies) {
  const pieces = ({ components, largest, of_the_optimum: own }) =>
    components === 1
      ? "1"
      : `${whole(components)}, the optimum in one of ${count(own, "point")}${own === largest ? ", the largest" : ""}`;
  const rows = topologies.map((one) => [
    { text: one.topology, class: "name" },
    whole(one.node_count),
    whole(one.edges),
    pieces(one.connected_allowed),
    pieces(one.connected_ok),
    percent(one.first_improvement.neutral_edges, 2),
    fixed(one.first_improvement.moves, 2),
    whole(one.local_optima.failures),
  ]);
  parent.append(
    table(
      [
        "<topology",
        "nodes",
        "edges",
        "components",
        "components without failures",
        "neutral edges",
        "moves to an optimum",
        "optima that failed",
      ],
      rows,
      [
        "Connected components of the graph of each topology under the constraints, and without failed points; edges between ",
        "points of equal fitness; the mean number of moves of one search; and local optima that are failures among failures: ",
        sure("exact"),
        ".",
      ],
      { class: "wide" },
    ),
  );
}

/* ---- One topology, or several, in a chart ---- */

const mostTopologies = 6;
const label = (text) => (text.length > 46 ? `${text.slice(0, 44)}…` : text);

function compare(topologies, lines) {
  return topologies.slice(0, mostTopologies).map((one, i) => ({ name: label(one.topology), color: i, ...lines(one) }));
}

function addSmoothness(parent, topologies) {
  const defined = topologies.filter((one) => one.autocorrelation);
  if (!defined.length) return;
  addFigure(parent, {
    id: "autocorrelation",
    title: "Autocorrelation",
    spec: {
      x: defined[0].autocorrelation.r.map((_, s) => s),
      xLabel: "steps of the random walk",
      yLabel: "r",
      format: fixed,
      bars: true,
      series: compare(defined, (one) => ({ y: one.autocorrelation.r })),
    },
    caption: [
      `Correlation of the ${defined[0].scale === "log" ? "logarithm of the " : ""}fitness at both ends of a random walk: `,
      sure("exact"),
      "; slow decay means a smooth landscape.",
    ],
  });
  addFigure(parent, {
    id: "spectrum",
    title: "Spectrum",
    controls: chooseOne(defined),
    spec: ({ which }) => {
      const { eigenvalue, share } = defined[which ?? 0].autocorrelation;
      return {
        kind: "stems",
        x: eigenvalue,
        xLabel: "eigenvalue of the walk",
        yLabel: "share of the variance",
        fromZero: true,
        format: (x) => short(x, 3),
        series: [{ name: "share", y: share, color: Number(which ?? 0) }],
      };
    },
    caption: [
      "Where the variance of the fitness lies in the spectrum of the walk (near 1: smooth): nodes of a Gauss rule whose ",
      "moments are exact; the shares are ",
      sure(defined.every((one) => one.autocorrelation.spectrum_sure === "exact") ? "exact" : "bounded"),
      ".",
    ],
  });
}

const chooseOne = (topologies) =>
  topologies.length > 1
    ? { which: { label: "under", options: topologies.map((one, i) => [String(i), label(one.topology)]) } }
    : {};

function addOptima(parent, data, topologies) {
  addFigure(parent, {
    id: "optima",
    title: "Local optima and their basins",
    controls: chooseOne(topologies),
    spec: ({ which }) => {
      const listed = [...topologies[which ?? 0].local_optima.largest_basins].sort((a, b) => a.fitness - b.fitness);
      return {
        kind: "points",
        x: listed.map((one) => one.fitness),
        xLabel: data.landscape.unit,
        yLabel: "basin",
        logY: true,
        format: (x) => percent(x, 3),
        series: [{ name: "basin", y: listed.map((one) => one.basin || null), color: Number(which ?? 0) }],
      };
    },
    caption: [
      "Probability that one search by first improvement from a uniform point ends in a local optimum, over its fitness: ",
      sure("exact"),
      "; the largest basins, at most 300.",
    ],
  });
  addFigure(parent, {
    id: "distance",
    title: "Fitness and distance to the optimum",
    controls: chooseOne(topologies),
    spec: ({ which }) => {
      const shells = topologies[which ?? 0].fitness_distance.shells;
      const spread = (sign) => shells.map((shell) => (isNumber(shell.sd) ? shell.mean + sign * shell.sd : shell.mean));
      return {
        x: shells.map((_, i) => i),
        xLabel: "steps to the optimum",
        yLabel: data.landscape.unit,
        kind: "dots",
        series: [
          {
            name: "mean (± sd)",
            y: shells.map((shell) => shell.mean),
            low: spread(-1),
            high: spread(1),
            color: Number(which ?? 0),
          },
        ],
      };
    },
    caption: [
      "Mean fitness of the points at each distance from the optimum, band one standard deviation (not an interval): ",
      sure("exact"),
      ".",
    ],
  });
}

const chooseMeasure = {
  measure: {
    label: "show",
    options: [
      ["probability", "probability"],
      ["gain", "expected gain"],
    ],
  },
};

/* Of one child, or of a generation between its bounds: the probability to be better, or the gain. */
function overQ(data, topologies, measure, title, pick) {
  const gain = measure === "gain";
  return {
    x: topologies[0].improvement.map((one) => one.q),
    xLabel: "q",
    yLabel: gain ? `gain, ${data.landscape.unit}` : `P(${title})`,
    fromZero: true,
    format: gain ? (x) => short(x, 5) : (x) => percent(x, 3),
    series: compare(topologies, ({ improvement }) => pick(improvement, gain)),
  };
}

function addImprovement(parent, data, topologies) {
  const { population } = data.landscape.analysis;
  if (!population) return;
  const after = `after ${count(population.seen, "trial")} whose best is ${short(population.best, 5)} ${data.landscape.unit}`;
  const most = topologies.length > mostTopologies ? `; the ${mostTopologies} cheapest topologies.` : ".";
  addFigure(parent, {
    id: "improvement",
    title: "Improvement over q",
    controls: chooseMeasure,
    spec: ({ measure }) =>
      overQ(data, topologies, measure, "child is better", (improvement, gain) => ({
        y: improvement.map((c) => (gain ? c.gain : c.probability)),
      })),
    caption: [
      `Probability that one child of OpEvo is better than all before, ${after}, and by how much it is expected to be: `,
      sure("exact"),
      most,
    ],
  });
  const between = (low, high) => ({ y: low.map((x, i) => (x + high[i]) / 2), low, high });
  addFigure(parent, {
    id: "generation",
    title: "A generation over q",
    controls: chooseMeasure,
    spec: ({ measure }) =>
      overQ(data, topologies, measure, "some child is better", (improvement, gain) =>
        between(
          improvement.map((c) => (gain ? c.best_low : c.some_low)),
          improvement.map((c) => (gain ? c.best_high : c.some_high)),
        ),
      ),
    caption: [
      `Probability that some of ${count(population.children, "child", "children")} is better, ${after}, and the expected gain `,
      "of the best of them: ",
      sure("bounded"),
      ", the band runs from the lower to the upper bound, the line in its middle",
      most,
    ],
  });
}

function addImportance(parent, topologies) {
  const found = topologies.find((one) => one.interaction);
  if (!found) return;
  const { first, total, order, higher, sure: how, last_rounds: bound } = found.interaction;
  const names = Object.keys(found.local_optima.largest_basins[0]?.configuration ?? {});
  const places = total.map((_, i) => i).sort((a, b) => total[b] - total[a]);
  const rows = places.map((i) => [
    { text: names[i] ?? `parameter ${i + 1}`, class: "name" },
    {
      text: strip(total[i], Math.min(first[i], total[i]), total[i], {
        from: 0,
        to: Math.max(...total),
        color: "var(--c0)",
      }),
      class: "strip",
    },
    percent(first[i], 2),
    percent(total[i], 2),
  ]);
  parent.append(
    el("h2", { id: "importance" }, "Importance of the parameters"),
    table(
      ["<parameter", "", "alone", "with interactions"],
      rows,
      [
        "Share of the variance of the fitness that a parameter explains alone (left end of the bar) and with all its interactions (dot): ",
        sure("exact"),
        `. By order of interaction ${order
          .slice(1)
          .map((share, k) => `${k + 1}: ${percent(share, 2)}`)
          .join(", ")}; higher: ${percent(higher, 2)}: `,
        sure(how),
        how === "exact" ? "." : ` from below, the fits' last rounds gained ${short(bound, 2)}.`,
      ],
      { class: "wide" },
    ),
  );
}

function addLaws(parent, data) {
  if (!data.laws?.length) return;
  const urlOf = (law) => `data:image/svg+xml,${encodeURIComponent(law.svg)}`;
  const drawn = data.laws.map((law) => law.parameter);
  const others = Object.keys(data.landscape.optimum?.configuration ?? {}).filter((name) => !drawn.includes(name));
  parent.append(
    el("h2", { id: "laws" }, "The walk on each parameter's graph"),
    el(
      "div",
      { class: "laws" },
      data.laws.map((law) =>
        el(
          "figure",
          { class: Number(/width="([0-9.]+)"/.exec(law.svg)?.[1]) > 700 ? "large" : null },
          el("h3", {}, law.parameter),
          el("div", { class: "controls" }, saveButtons(`law-${law.parameter}`, () => urlOf(law))),
          el("img", { alt: `law of the walk on ${law.values}, ${law.topology}`, src: urlOf(law) }),
          el("figcaption", {}, sure("bounded"), ` within ${short(law.bound, 1)} in the 1-norm`),
        ),
      ),
    ),
    el(
      "p",
      { class: "soft" },
      `Where a q-random walk with q = ${data.law_q} from the optimum's value (ringed) ends.`,
      others.length ? ` Not drawn, having one value or too many: ${others.join(", ")}.` : "",
    ),
  );
}

/* ---- The page ---- */

function landscapePage(parent, data) {
  const facts = data.landscape;
  parent.append(el("p", { class: "soft" }, `A landscape of ${whole(facts.points)} points; opevo ${data.version}`));
  if (data.notes) parent.append(el("p", { class: "notes" }, data.notes));
  parent.append(landscapeShort(data));
  addHint(parent);
  const grid = el("div", { class: "figures" });
  parent.append(grid);
  addHistogram(grid, data);
  addOutcomes(parent, data);
  if (facts.analysis) {
    const { topologies } = facts.analysis;
    addTopologies(parent, data);
    addGraphs(parent, topologies);
    const details = el("div", { class: "figures" });
    parent.append(details);
    addImprovement(details, data, topologies);
    addSmoothness(details, topologies);
    addOptima(details, data, topologies);
    addImportance(parent, topologies);
  }
  addLaws(parent, data);
  parent.append(
    el("h2", { id: "manifest" }, "Where the numbers come from"),
    el(
      "p",
      {},
      "This page: ",
      el("code", {}, data.command),
      `, opevo ${data.version}. Signature of the space: `,
      el("code", {}, data.space_signature),
      facts.analysis?.population
        ? `. Population: ${facts.analysis.population.given}, seed ${facts.analysis.population.seed}`
        : "",
      ". docs/landscape-analysis.md defines every number.",
    ),
  );
}
