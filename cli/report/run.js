/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The page of one run: what its trials say of the program that was tuned. Charts are drawings of their own, each of
 * which can be saved. */

/* ---- Scales and drawings ---- */

/* On a telephone drawings are made narrower, not smaller: their letters stay as large. */
const isNarrow = () => window.innerWidth < 560;
const plotSize = () => ({ width: isNarrow() ? 350 : 1100, height: 300, left: 64, right: 12, top: 14, bottom: 40 });

/* Ticks of a linear axis at 1, 2 or 5 times a power of ten. */
function linearTicks(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(i * step);
  return ticks;
}

/* Powers of ten, or their halves and fifths where there are few. */
function logTicks(low, high) {
  const all = [1, 2, 5].flatMap((m) => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) ticks.push(m * 10 ** e);
    return ticks;
  });
  const inside = all.filter((t) => t >= low * 0.999 && t <= high * 1.001).sort((a, b) => a - b);
  return inside.length > 8 ? inside.filter((t) => Math.abs(Math.log10(t) % 1) < 1e-9) : inside;
}

/* From values to pixels between `from` and `to`; logarithmic where the values cover more than a factor of 20. */
function scaleOf(values, from, to, { log = null, pad = 0.04 } = {}) {
  const known = values.filter(isNumber);
  let low = Math.min(...known),
    high = Math.max(...known);
  const isLog = log ?? (low > 0 && high / low > 20);
  const f = isLog ? Math.log : (x) => x;
  if (low === high) [low, high] = isLog ? [low / 1.5, high * 1.5] : [low - 1, high + 1];
  const room = pad * (f(high) - f(low));
  const [a, b] = [f(low) - room, f(high) + room];
  const back = isLog ? Math.exp : (x) => x;
  return {
    at: (x) => from + ((f(x) - a) / (b - a)) * (to - from),
    ticks: isLog && b - a > Math.log(8) ? logTicks(back(a), back(b)) : linearTicks(back(a), back(b), 6),
  };
}

const text = (x, y, content, more = {}) => {
  const node = svg("text", { x, y, fill: "var(--soft)", "font-size": 12, "font-family": "system-ui, sans-serif", ...more });
  node.append(content);
  return node;
};
const line = (x1, y1, x2, y2, more = {}) => svg("line", { x1, y1, x2, y2, stroke: "var(--grid)", ...more });
const titled = (node, words) => {
  const title = svg("title", {});
  title.append(words);
  node.append(title);
  return node;
};

function drawing(width, height, label) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "drawing" });
}

function yAxis(node, scale, size, label) {
  for (const tick of scale.ticks) {
    const y = scale.at(tick);
    node.append(line(size.left, y, size.width - size.right, y));
    node.append(text(size.left - 6, y + 4, short(tick, 3), { "text-anchor": "end" }));
  }
  const middle = (size.top + size.height - size.bottom) / 2;
  node.append(text(12, middle, label, { "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }));
}

/* ---- A chart ---- */

/* A drawing with its title, its caption and buttons that save it. */
function chartFigure(title, name, node, caption, legend) {
  const buttons = el(
    "div",
    { class: "controls" },
    saveButtons(name, () => svgUrl(node)),
    legend ?? null,
  );
  return el("figure", { id: `chart-${name}` }, el("h3", {}, title), buttons, node, el("figcaption", {}, caption));
}

const swatch = (color, words) => el("span", {}, el("span", { class: "swatch", style: `background: ${color}` }), words);

/* ---- Trials ---- */

function bestSoFar(run) {
  const steps = [];
  run.trial.result.forEach((y, i) => {
    const last = steps.length ? steps[steps.length - 1].y : null;
    if (isNumber(y) && (last === null || (run.better === "smaller" ? y < last : y > last)))
      steps.push({ x: run.trial.number[i], y });
  });
  return steps;
}

function trialsChart(run) {
  const size = plotSize();
  const last = Math.max(1, run.trial.number[run.trial.number.length - 1] ?? 1);
  const node = drawing(size.width, size.height, `${run.unit} of each trial`);
  const bottom = size.height - size.bottom;
  const hasFailures = run.trial.result.some((y) => !isNumber(y));
  const x = scaleOf([1, last], size.left + 8, size.width - size.right - 8, { log: false, pad: 0 });
  const y = scaleOf([...run.trial.result, run.optimum], bottom - (hasFailures ? 22 : 0), size.top);
  yAxis(node, y, size, run.unit);
  for (const tick of linearTicks(1, last, isNarrow() ? 4 : 10).filter((t) => t >= 1 && t === Math.round(t))) {
    node.append(line(x.at(tick), bottom, x.at(tick), bottom + 4, { stroke: "var(--soft)" }));
    node.append(text(x.at(tick), bottom + 17, whole(tick), { "text-anchor": "middle" }));
  }
  node.append(text((size.left + size.width) / 2, size.height - 6, "trial", { "text-anchor": "middle" }));
  if (isNumber(run.optimum))
    node.append(line(size.left, y.at(run.optimum), size.width - size.right, y.at(run.optimum), { stroke: "var(--exact)", "stroke-dasharray": "5 4" }));
  const steps = bestSoFar(run);
  let path = "";
  steps.forEach((step, i) => {
    path += `${i ? "V" : `M${x.at(step.x)} `}${y.at(step.y)}H${x.at(steps[i + 1]?.x ?? last)}`;
  });
  if (path) node.append(svg("path", { d: path, fill: "none", stroke: "var(--c1)", "stroke-width": 2 }));
  const dot = run.trial.number.length > 600 ? 1.6 : 3;
  run.trial.number.forEach((number, i) => {
    const result = run.trial.result[i];
    const outcome = run.classes[run.trial.outcome[i]];
    const words = `trial ${number}: ${isNumber(result) ? `${short(result, 6)} ${run.unit}` : outcome}\n${run.trial.configuration[i] ?? ""}`;
    const mark = isNumber(result)
      ? svg("circle", { cx: x.at(number), cy: y.at(result), r: dot, fill: "var(--c0)", "fill-opacity": 0.65 })
      : svg("path", { d: `M${x.at(number) - dot} ${bottom - 6 - dot}l${2 * dot} ${2 * dot}m0 ${-2 * dot}l${-2 * dot} ${2 * dot}`, stroke: "var(--bad)" });
    node.append(titled(mark, words));
  });
  return chartFigure(
    `${run.unit} of each trial, ${run.better} is better`,
    "trials",
    node,
    (run.trial.number.length < run.trials ? `A sample of ${whole(run.trial.number.length)} of ${whole(run.trials)} trials, with all that were the best so far. ` : "") +
      "Each dot is a trial that succeeded, each cross one that failed. The steps are the best so far, which is biased: the best " +
      "of many noisy measurements looks better than its configuration is." +
      (isNumber(run.optimum) ? " The dashed line is the known optimum." : ""),
    [swatch("var(--c0)", "trial"), swatch("var(--c1)", "best so far"), hasFailures ? swatch("var(--bad)", "failed") : null],
  );
}

/* ---- Configurations ---- */

function topTable(run) {
  const top = run.top.slice(0, isNarrow() ? 3 : 8);
  const differs = run.parameters.map((_, p) => top.some((one) => one.values[p] !== top[0].values[p]));
  const heads = ["<parameter", ...top.map((one) => `trial ${one.trial}${one.kernel ? `, ${one.kernel}` : ""}`)];
  const results = top.map((one) => ({ text: between(one.result, one.low, one.high, (v) => short(v, 5)), class: "better" }));
  const rows = [[{ text: `result, ${run.unit}`, class: "name" }, ...results]];
  run.parameters.forEach((name, p) =>
    rows.push([
      { text: name, class: "name" },
      ...top.map((one) => ({ text: one.values[p] || "–", class: differs[p] ? "" : "soft" })),
    ]),
  );
  return table(
    heads,
    rows,
    [
      "The best configurations side by side; values that all of them share are grey. Intervals are of the median of a trial's own " +
        "samples, 95 %, where it has six or more: ",
      sure("estimated"),
    ],
    { id: "top" },
  );
}

/* ---- Effects ---- */

/* A factor of the result, from an effect on ln f. */
const factorOf = (run) => (effect) => (isNumber(effect) ? Math.exp(run.better === "smaller" ? -effect : effect) : null);

function effectChart(run, effect, number, range) {
  const factor = factorOf(run);
  const size = { width: isNarrow() ? 350 : 560, height: 220, left: 56, right: 10, top: 12, bottom: 24 };
  const step = (size.width - size.left - size.right) / effect.levels.length;
  const slanted = effect.levels.some((level) => 7 * Math.min(14, level.label.length) > step - 4);
  if (slanted) size.height += size.bottom = 62;
  const node = drawing(size.width, size.height, `effect of ${effect.name}`);
  const bottom = size.height - size.bottom;
  const y = scaleOf(range, bottom, size.top, { log: true });
  const shift = Math.min(9, step / 5);
  yAxis(node, y, size, "factor");
  node.append(line(size.left, y.at(1), size.width - size.right, y.at(1), { stroke: "var(--exact)", "stroke-dasharray": "4 3" }));
  effect.levels.forEach((level, i) => {
    const x = size.left + (i + 0.5) * step;
    const bars = [
      [level.mean, level.mean_low, level.mean_high, "var(--soft)", x - shift, "all its trials"],
      [level.model, level.model_low, level.model_high, "var(--c0)", x + shift, "model"],
    ];
    for (const [value, low, high, color, at, what] of bars) {
      if (!isNumber(value)) continue;
      const ends = [factor(low), factor(high)].map((end) => (isNumber(end) ? Math.min(bottom, Math.max(size.top, y.at(end))) : null));
      if (isNumber(ends[0])) node.append(line(at, ends[0], at, ends[1], { stroke: color, "stroke-width": 2, "stroke-opacity": 0.6 }));
      const words = `${effect.name} = ${level.label}, ${what}: ${between(factor(value), Math.min(factor(low), factor(high)), Math.max(factor(low), factor(high)))} of the mean, ${count(level.trials, "trial")}`;
      node.append(titled(svg("circle", { cx: at, cy: y.at(factor(value)), r: 4, fill: color }), words));
    }
    const label = level.label.length > 14 ? `${level.label.slice(0, 13)}…` : level.label;
    node.append(
      text(x, bottom + 16, label, slanted ? { "text-anchor": "end", transform: `rotate(-35 ${x} ${bottom + 16})` } : { "text-anchor": "middle" }),
    );
  });
  return chartFigure(
    effect.name,
    `effect-${number}`,
    node,
    `importance ${isNumber(effect.importance) ? percent(effect.importance) : "unknown"}`,
  );
}

function importanceTable(run) {
  return table(
    ["<parameter", "<importance", ""],
    run.effects.rows.map((effect) => [
      { text: effect.name, class: "name" },
      {
        text: el("span", { class: "bar", style: `width: ${Math.max(1, Math.round(160 * Math.min(1, effect.importance)))}px` }),
        class: "text",
      },
      percent(effect.importance),
    ]),
    [
      `Share of the variance of the logarithm of the result over ${count(run.effects.trials, "successful trial")} that the model ` +
        `gives to each parameter; the whole model explains ${percent(run.effects.explained)}. `,
      sure("estimated"),
    ],
    { id: "importance" },
  );
}

function effectsPart(main, run) {
  const { rows } = run.effects;
  const factor = factorOf(run);
  const most = 24;
  main.append(el("h2", { id: "effects" }, "Effect of each parameter"));
  if (!rows.length) {
    main.append(el("p", {}, "No parameter has had two values among the successful trials."));
    return;
  }
  if (isNumber(run.effects.explained)) main.append(importanceTable(run));
  const range = rows.flatMap((effect) =>
    effect.levels.flatMap((level) => [level.mean, level.model, level.model_low, level.model_high].map(factor)),
  );
  main.append(
    el(
      "p",
      {},
      swatch("var(--soft)", "all trials with the value, whatever the other parameters "),
      " ",
      swatch("var(--c0)", "by the model, the other parameters held fixed "),
    ),
    el(
      "p",
      { class: "soft" },
      `The result divided by its (geometric) mean: ${run.better === "smaller" ? "below" : "above"} 1 is better. Bars are 95 % ` +
        "intervals. A search tries good values together, so the two may differ; the model is additive and takes interactions " +
        "for noise (docs/report.md). ",
      sure("estimated"),
      rows.length > most ? ` The ${most} most important of ${rows.length} are drawn.` : "",
    ),
    el("div", { class: "figures" }, rows.slice(0, most).map((effect, i) => effectChart(run, effect, i + 1, [1, ...range]))),
  );
}

/* ---- Failures ---- */

function failuresPart(main, run) {
  if (!run.failures.length) return;
  main.append(
    el("h2", { id: "failures" }, "Failures"),
    table(
      ["<outcome", "trials", "first at trial", "<its message"],
      run.failures.map((one) => [one.outcome, whole(one.count), whole(one.trial), one.message || "–"]),
      [`${whole(run.failed)} of ${whole(run.trials)} trials failed. `, sure("exact")],
      { id: "failed" },
    ),
  );
}

/* ---- Who measured ---- */

function workersPart(main, run) {
  const workers = run.workers ?? [];
  if (!workers.length) return;
  main.append(
    el("h2", { id: "workers" }, "Workers"),
    table(
      ["<worker", "<host", "<device", "trials", "faults", "<state", "<last words"],
      workers.map((one) => [
        el("code", {}, one.command),
        one.host || "–",
        one.device || "–",
        whole(one.measured),
        whole(one.faults),
        one.state || "–",
        one.words || "–",
      ]),
      ["Which worker measured how many trials. ", sure("exact")],
      { id: "measured-by" },
    ),
  );
  if (run.devices.length < 2) return;
  const [first] = run.devices;
  main.append(
    table(
      ["<device", "trials", "succeeded", `best, ${run.unit}`, `median, ${run.unit}`, "median over the first"],
      run.devices.map((one) => [
        one.device,
        whole(one.trials),
        whole(one.succeeded),
        isNumber(one.best) ? short(one.best, 6) : "–",
        isNumber(one.median) ? short(one.median, 6) : "–",
        isNumber(one.median) && isNumber(first.median) ? short(one.median / first.median, 3) : "–",
      ]),
      [
        "The run has trials of several devices, whose results are not comparable as they are: each device measured other " +
          "configurations, so the last column is not an estimate of their speeds. ",
        sure("exact"),
      ],
      { id: "by-device" },
    ),
  );
}

/* ---- The front ---- */

const mostMembers = 12; /* rows that are shown at first */

/* By all criteria of the run. */
function frontPart(main, run) {
  if (!run.front?.front.length) return;
  const named = { ...run.front, front: run.front.front.map((member) => ({ tuner: run.tuner, ...member })) };
  const grid = el("div", { class: "figures" });
  main.append(el("h2", { id: "front" }, "Front"), grid);
  addFrontCharts(grid, { contenders: [{ name: run.tuner }], colors: new Map([[0, 0]]) }, named, "run");
  addFrontTable(main, { ...named, front: named.front.slice(0, mostMembers) });
  if (named.front.length > mostMembers)
    addFolded(main, `All ${named.front.length} trials of the front`, false, (inside) => addFrontTable(inside, named));
}

/* ---- The generation ---- */

/* The values of each parameter with their shares, as bars. */
const chancesTable = (parameters, word, caption, id) =>
  table(
    ["<parameter", "values", `<${word}`],
    parameters.map(({ name, values, likeliest }) => [
      { text: name, class: "name" },
      whole(values),
      {
        text: el(
          "span",
          {},
          likeliest.map(({ value, p }) =>
            el(
              "span",
              { class: "chance" },
              el("span", { class: "bar", style: `width: ${Math.max(1, Math.round(60 * p))}px` }),
              ` ${value} ${percent(p)}`,
            ),
          ),
        ),
        class: "text",
      },
    ]),
    caption,
    { id },
  );

/* What the next children of the tuner opevo are like. */
function lawPart(main, law) {
  main.append(
    el("h2", { id: "law" }, `The law of generation ${whole(law.generation)}`),
    chancesTable(
      law.parameters,
      "value and its probability",
      [
        `Of a child of ${count(law.parents.length, "parent")} (trials ${law.parents.map(({ trial }) => trial).join(", ")}), weighted by fitness, `,
        `with q = ${short(law.q)}, before duplicates are handled; the likeliest values of each parameter: `,
        sure("bounded"),
        ` within ${short(law.bound, 2)} in the 1-norm over all parameters.`,
      ],
      "generation",
    ),
  );
}

/* Who the parents of the next children of the tuner nsga2 are. */
function evolutionPart(main, { generation, kept, crossover, mutation, q, by_dominance, parents, parts, parameters }) {
  const how = by_dominance ? "tournaments of shuffled pairs, by dominance" : "tournaments of two that are drawn uniformly";
  const chosen = [
    `A parent of generation ${whole(generation)}, one of ${whole(kept)}, by ${how}: `,
    sure("exact"),
    `. A child has two, and is a crossover of both with probability ${short(crossover, 3)}; it is then mutated with probability ${short(mutation, 3)}`,
    parameters.length ? `, by a walk that goes on with probability ${short(q, 3)}` : "",
    ". Children that are known are made again.",
  ];
  main.append(
    el("h2", { id: "evolution" }, `The law of generation ${whole(generation)}`),
    table(
      ["<parent", "probability"],
      parents.map(({ candidate, p }) => [{ text: el("code", {}, candidate), class: "text" }, percent(p)]),
      chosen,
      { id: "evolution-parents" },
    ),
  );
  if (parts.length)
    main.append(
      table(
        ["<edit", "probability"],
        parts.map(({ part, p }) => [{ text: el("code", {}, part), class: "text" }, percent(p)]),
        ["The edits that a parent has most often: ", sure("exact"), "."],
        { id: "evolution-parts" },
      ),
    );
  if (parameters.length)
    main.append(
      chancesTable(
        parameters,
        "value and its probability",
        ["The likeliest values of each parameter of a parent: ", sure("exact"), "."],
        "evolution-values",
      ),
    );
}

/* What the last trials of any tuner were like. */
function recentPart(main, { trials, parameters, candidates }) {
  const parts = new Map();
  for (const text of candidates)
    for (const part of new Set(text.split(/\s*[;\n]\s*/).filter(Boolean))) parts.set(part, (parts.get(part) ?? 0) + 1);
  const edits = [...parts].sort((a, b) => b[1] - a[1]).slice(0, 24);
  if (!parameters.length && !edits.length) return;
  main.append(
    el("h2", { id: "recent" }, `The last ${count(trials, "trial")}`),
    parameters.length
      ? chancesTable(
          parameters,
          "value and its share",
          ["The most frequent values of each parameter in the last trials: ", sure("exact"), " for these."],
          "recent-values",
        )
      : table(
          ["<part of a candidate", "share"],
          edits.map(([part, n]) => [{ text: el("code", {}, part), class: "text" }, percent(n / trials)]),
          ["The edits that most of the last candidates have: ", sure("exact"), " for these."],
          { id: "recent-edits" },
        ),
  );
}

/* ---- The page ---- */

function bestLine(run) {
  if (!run.best) return el("p", {}, "No trial succeeded.");
  const share = isNumber(run.optimum)
    ? ` = ${percent(run.better === "smaller" ? run.optimum / run.best.result : run.best.result / run.optimum, 2)} of the optimum`
    : "";
  const roof = isNumber(run.roof)
    ? ` = ${percent(run.share_of_roof, 1)} of the measured roof of the device, ${short(run.roof, 4)} ${run.unit} (estimated)`
    : "";
  return el(
    "p",
    {},
    el("strong", {}, `best ${between(run.best.result, run.best.low, run.best.high, (v) => short(v, 6))} ${run.unit}`),
    `${share}${roof}, at trial ${whole(run.best.trial)}${run.best.kernel ? `, ${run.best.kernel}` : ""}${run.best.origin === "default" ? ", the analytic start" : ""}: `,
    el("code", {}, run.best.configuration),
  );
}

function runPage(main, run) {
  main.append(
    el(
      "div",
      { class: "short" },
      bestLine(run),
      el("p", {}, `${count(run.trials, "trial")}, ${whole(run.failed)} failed; cost ${short(run.cost_s, 3)} s; ${run.stop ? `stopped by: ${run.stop}` : "not ended"}.`),
    ),
  );
  if (run.trial.result.some(isNumber)) main.append(el("h2", { id: "over-trials" }, "Trials"), trialsChart(run));
  if (run.top.length) main.append(el("h2", { id: "configurations" }, "Best configurations"), topTable(run));
  if (run.finals?.finalists)
    main.append(el("h2", { id: "finals" }, "Finals"), finalsTable(run.finals, run.unit, "The run"));
  frontPart(main, run);
  if (run.law) lawPart(main, run.law);
  if (run.evolution) evolutionPart(main, run.evolution);
  else if (run.recent.trials) recentPart(main, run.recent);
  if (run.effects) effectsPart(main, run);
  failuresPart(main, run);
  workersPart(main, run);
  main.append(
    el("h2", { id: "origin" }, "Where the numbers come from"),
    table(
      ["<", "<"],
      [
        ["made by", el("code", {}, run.command)],
        ["opevo", `${run.version}; the run: ${run.made_by}`],
        ["objective", run.objective],
        ["tuner", `${run.tuner} ${run.settings}`.trim()],
        ["seed", String(run.seed)],
        ["started", run.started || "–"],
      ],
      "The run, and the command that makes this page.",
    ),
  );
}
