/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Figures: dygraphs with error bars, columns, single courses, categories, and the colours of the page. A chart is made
 * when it comes near the window, and again when its specification or the colours change. */

const figures = [];

const paletteSize = 8;
/* A colour is a number of the palette, or the name of a variable of the page. */
const colorVariable = (color) => (typeof color === "string" ? `--${color}` : `--c${color % paletteSize}`);
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/* Each line of the palette again, told apart by its pattern; `border` is its style in the legend. */
const patterns = [
  { dash: null, border: "solid" },
  { dash: [8, 4], border: "dashed" },
  { dash: [2, 3], border: "dotted" },
  { dash: [10, 3, 2, 3], border: "double" },
];
const patternOf = (color) =>
  color === "exact"
    ? { dash: [5, 5], border: "dashed" }
    : patterns[typeof color === "string" ? 0 : Math.floor(color / paletteSize) % patterns.length];

/* The library's own function takes every axis of x for a linear one. */
function domX(chart, x) {
  const area = chart.getArea();
  return area.x + chart.toPercentXCoord(x) * area.w;
}

/* ---- Plotters: each paints one series on the context of its event ---- */

/* Error bars; beside each other, and with dots, over categories. */
function paintIntervals({ dygraph: chart, drawingContext: ctx, color, plotArea }, spec, series, index) {
  const cap = 4;
  const step = Math.min(11, (0.8 * plotArea.w) / (spec.x.length * spec.series.length));
  const shift = spec.categories ? (index - (spec.series.length - 1) / 2) * step : 0;
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = color;
  ctx.lineWidth = 1.3;
  spec.x.forEach((value, i) => {
    if (!isNumber(series.y[i])) return;
    const x = domX(chart, value) + shift;
    if (spec.categories) Dygraph.Circles.DEFAULT(chart, "", ctx, x, chart.toDomYCoord(series.y[i]), color, cap);
    if (!isNumber(series.low?.[i])) return;
    const ends = [series.low[i], series.high[i]].map((y) => (isNumber(y) ? chart.toDomYCoord(y) : plotArea.y));
    ctx.beginPath();
    ctx.moveTo(x, ends[0]);
    ctx.lineTo(x, ends[1]);
    for (const end of ends) {
      ctx.moveTo(x - cap, end);
      ctx.lineTo(x + cap, end);
    }
    ctx.stroke();
  });
  ctx.restore();
}

/* Columns from 0: bars of a histogram, as wide as the steps of x, or stems. */
function paintColumns({ dygraph: chart, drawingContext: ctx, color }, spec, series) {
  const at = spec.x.map((x) => domX(chart, x));
  const width = spec.kind === "stems" ? 3 : Math.max(1, 0.96 * (at[1] - at[0] || 24));
  const zero = chart.toDomYCoord(0);
  ctx.save();
  ctx.fillStyle = color;
  ctx.globalAlpha = spec.kind === "stems" ? 1 : 0.7;
  series.y.forEach((y, i) => isNumber(y) && ctx.fillRect(at[i] - width / 2, zero, width, chart.toDomYCoord(y) - zero));
  ctx.restore();
}

/* Columns of several series beside each other, over categories. */
function paintGroups({ dygraph: chart, drawingContext: ctx, color, plotArea }, spec, series, index) {
  const group = (0.8 * plotArea.w) / spec.x.length;
  const width = group / spec.series.length;
  const zero = chart.toDomYCoord(0);
  ctx.save();
  ctx.fillStyle = color;
  spec.x.forEach((x, i) => {
    if (!isNumber(series.y[i])) return;
    const left = domX(chart, x) - group / 2 + index * width;
    ctx.fillRect(left, zero, Math.max(1, width - 1), chart.toDomYCoord(series.y[i]) - zero);
  });
  ctx.restore();
}

/* Single runs: the best so far jumps at a trial and holds until the next. */
function paintCourses({ dygraph: chart, drawingContext: ctx, color }, spec, series) {
  const x = (value) => domX(chart, value),
    y = (value) => chart.toDomYCoord(value);
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = 0.7;
  ctx.globalAlpha = 0.45;
  for (const course of series.courses ?? []) {
    if (!course.trial.length) continue;
    ctx.beginPath();
    ctx.moveTo(x(course.trial[0]), y(course.best[0]));
    course.trial.forEach((trial, i) => {
      const next = course.trial[i + 1] ?? course.length;
      if (i) ctx.lineTo(x(trial), y(course.best[i]));
      ctx.lineTo(x(next), y(course.best[i]));
    });
    ctx.stroke();
  }
  ctx.restore();
}

/* What a series of dots is drawn as, for its legend too: a filled dot, a ring or a square. */
function paintMark(ctx, mark, x, y) {
  ctx.beginPath();
  if (mark === "square") ctx.rect(x - 4, y - 4, 8, 8);
  else ctx.arc(x, y, mark === "ring" ? 5 : 4, 0, 2 * Math.PI);
  if (mark === "ring") ctx.lineWidth = 2;
  if (mark === "ring") ctx.stroke();
  else ctx.fill();
}
const markStyle = (mark, color) =>
  `width: 0; border: 4px solid ${color}; border-radius: ${mark === "square" ? "0" : "50%"}` +
  (mark === "ring" ? "; width: 10px; height: 10px; border-width: 2px" : "");

/* Dots; with stairs, these and the area between them and the corner in place of dots. */
function paintFront({ dygraph: chart, drawingContext: ctx, color }, spec, series) {
  const at = ([x, y]) => [domX(chart, x), chart.toDomYCoord(y)];
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = color;
  if (series.stairs?.length) {
    ctx.beginPath();
    series.stairs.forEach((point) => ctx.lineTo(...at(point)));
    ctx.setLineDash(patternOf(series.color).dash);
    ctx.stroke();
    ctx.lineTo(...at(spec.corner));
    ctx.globalAlpha = 0.08;
    ctx.fill();
  } else {
    ctx.globalAlpha = series.faint ? 0.45 : 1;
    series.y.forEach((y, i) => {
      if (!isNumber(y)) return;
      if (series.mark) paintMark(ctx, series.mark, ...at([spec.x[i], y]));
      else Dygraph.Circles.DEFAULT(chart, "", ctx, ...at([spec.x[i], y]), color, series.faint ? 1.5 : 4);
    });
  }
  ctx.restore();
}

function plottersOf(spec) {
  const own = (paint) => (event) => paint(event, spec, spec.series[event.setName], Number(event.setName));
  const { errorPlotter, linePlotter } = Dygraph.Plotters;
  if (spec.kind === "histogram" || spec.kind === "stems") return [own(paintColumns)];
  if (spec.kind === "front") return [own(paintFront)];
  if (spec.kind === "columns") return [own(paintGroups)];
  if (spec.categories) return [own(paintIntervals)];
  if (spec.bars) return [own(paintIntervals), linePlotter];
  return [errorPlotter, ...(spec.courses ? [own(paintCourses)] : []), linePlotter];
}

/* ---- Axes ---- */

/* 1, 2 and 5 of each decade; over many decades 1 only. */
function logTicks(low, high) {
  const ticks = [],
    decades = Math.log10(high / low);
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++)
    for (const digit of decades > 3.5 ? [1] : [1, 2, 5]) ticks.push(Number(`${digit}e${k}`));
  return ticks.filter((tick) => tick >= low * 0.9999 && tick <= high * 1.0001);
}

/* A text as markup, which is what the labels of ticks are for the library. */
const escaped = (text) => el("i", {}, text).innerHTML;

function ticksOf(logscale, low, high, ...rest) {
  const ticks = logscale ? logTicks(low, high).map((v) => ({ v, label: short(v) })) : [];
  const all = ticks.length > 1 ? ticks : Dygraph.numericLinearTicks(low, high, ...rest);
  /* A tick at the very end would be left out. */
  return all.map(({ v, label }) => ({ v: v > high ? v : Math.min(v, high - 1e-9 * (high - low)), label }));
}

/* Names of categories, each `every`-th. */
const categoryTicks = (categories, every) =>
  categories.map((name, v) => ({ v, label: v % every ? "" : escaped(name) })).filter(({ label }) => label);

function axisOf(logscale, axisLabelWidth, pixelsPerLabel, categories, every = 1) {
  return {
    logscale,
    axisLabelWidth,
    pixelsPerLabel,
    axisLabelFormatter: (x) => short(x),
    drawGrid: !categories,
    ticker: categories
      ? () => categoryTicks(categories, every)
      : (...range) => ticksOf(logscale, ...range),
  };
}

const rightGap = 22; /* half the width of a label of x */

/* Drags and double clicks of a mouse; a touch scrolls the page. */
const { touchstart, touchmove, touchend, ...mouseOnly } = Dygraph.defaultInteractionModel;

/* Both axes, and how far x reaches: over a plot of `width` pixels with its labels. */
function scalesOf(spec, width) {
  const numbers = spec.series.flatMap((one) => [one.y, one.low ?? [], one.high ?? []].flat()).filter(isNumber);
  const first = spec.x[0],
    steps = spec.x.length - 1;
  const labelWidth = 7 * Math.max(5, ...numbers.map((y) => short(y, 1).length));
  const plotWidth = width - labelWidth - rightGap - 6;
  const half = spec.categories ? 0.5 : 0.1 * Math.abs(first) + 1e-9;
  const cell = spec.categories ? plotWidth / spec.x.length : 2 * rightGap;
  /* Columns are many, with short names that stand in one line. */
  const longest = spec.kind === "columns" ? Math.max(...spec.categories.map((name) => name.length)) : 0;
  const every = Math.ceil((7 * longest + 4) / cell) || 1;
  const fixed = spec.categories || spec.x[steps] === first;
  return {
    dateWindow: fixed ? [first - half, spec.x[steps] + half] : null,
    xRangePad: fixed || spec.logX || !(spec.kind || spec.bars) ? 0 : spec.kind === "histogram" ? plotWidth / (2 * steps) : 14,
    yRangePad: spec.logY ? 14 : null,
    includeZero: spec.fromZero,
    axes: {
      x: axisOf(spec.logX, longest ? every * cell : cell, 45, spec.categories, longest ? every : 1),
      y: axisOf(spec.logY && numbers.some((y) => y > 0), labelWidth, 30),
    },
    interactionModel: fixed ? {} : mouseOnly,
  };
}

/* ---- A chart ---- */

/* The rows [x, y...], where y is [low, y, high] if any series has intervals. */
function rowsOf(spec, intervals) {
  const cell = ({ y, low, high }, i) =>
    !isNumber(y[i]) ? null : intervals ? [low?.[i] ?? y[i], y[i], high?.[i] ?? y[i]] : y[i];
  return spec.x.map((x, i) => [x, ...spec.series.map((series) => cell(series, i))]);
}

/* Names, which hide their lines, and the numbers at a row of the data; `show` changes the row. */
function legendOf(spec, toggle) {
  const format = spec.format ?? ((y) => short(y, 5));
  const place = el("td"),
    cells = spec.series.map(() => el("td"));
  const row = (series, i) => {
    const color = `var(${colorVariable(series.color)})`;
    const style = series.mark
      ? markStyle(series.mark, color)
      : `border-top: 4px ${patternOf(series.color).border} ${color}`;
    const name = el(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        onclick: () => name.setAttribute("aria-pressed", toggle(i)),
      },
      el("span", { class: "line", style }),
      el("span", {}, series.name),
    );
    return el("tr", {}, el("th", {}, name), cells[i]);
  };
  const head = el("tr", { class: "x" }, el("th", {}, spec.xName ?? spec.xLabel), place);
  const show = (at) => {
    place.textContent = spec.categories ? (spec.names ?? spec.categories)[at] : short(spec.x[at], 6);
    spec.series.forEach(({ y, low, high }, i) => {
      cells[i].textContent = between(y[at], low?.[at], high?.[at], format);
    });
  };
  return { node: el("table", { class: "legend" }, head, spec.series.map(row)), show };
}

function makeChart(figure) {
  const { spec, place } = figure;
  const atRest = spec.kind === "front" ? null : spec.kind === "columns" ? 0 : spec.x.length - 1;
  const intervals = spec.series.some((one) => one.low);
  const plot = el("div", { class: "plot" });
  const legend = legendOf(spec, (i) => {
    const visibility = [...figure.chart.visibility()];
    visibility[i] = !visibility[i];
    /* Of no line there is no logarithm, and of one without numbers neither. */
    const drawn = spec.series.some(({ y }, k) => visibility[k] && y.some((value) => value > 0));
    figure.chart.updateOptions({ visibility, axes: { y: { logscale: logY && drawn } } });
    return visibility[i];
  });
  figure.chart?.destroy();
  place.replaceChildren(
    el("div", { class: "axis" }, spec.yLabel),
    plot,
    el("div", { class: "axis x" }, spec.xLabel),
    legend.node,
  );
  legend.show(atRest);
  const scales = scalesOf(spec, plot.clientWidth);
  const logY = scales.axes.y.logscale;
  const lined = spec.kind !== "points" && !spec.categories;
  figure.chart = new Dygraph(plot, rowsOf(spec, intervals), {
    ...scales,
    labels: ["x", ...spec.series.keys()].map(String),
    colors: spec.series.map((one) => cssColor(colorVariable(one.color))),
    series: Object.fromEntries(
      spec.series.map(({ color }, i) => [
        i,
        { strokePattern: patternOf(color).dash, strokeWidth: lined ? (color === "exact" ? 2 : 1.8) : 0 },
      ]),
    ),
    customBars: intervals,
    fillAlpha: 0.16,
    connectSeparatedPoints: spec.bars === true,
    stepPlot: spec.step === true,
    drawPoints: spec.bars === true || spec.kind === "points" || spec.kind === "dots",
    pointSize: spec.kind === "points" ? 3 : 3.5,
    plotter: plottersOf(spec),
    highlightCircleSize: spec.categories ? 0 : 4,
    highlightSeriesOpts: lined && spec.series.length > 1 ? { strokeWidth: 2.6 } : null,
    highlightSeriesBackgroundColor: cssColor("--card"),
    highlightSeriesBackgroundAlpha: 0.35,
    animateBackgroundFade: false,
    highlightCallback: (event, x, points, row) => legend.show(row),
    unhighlightCallback: () => legend.show(atRest),
    legend: "never",
    axisLabelFontSize: onPaper() ? 10 : 12,
    axisLineColor: cssColor("--line"),
    axisLineWidth: 1,
    gridLineColor: cssColor("--grid"),
    gridLineWidth: 1,
    rightGap,
    pixelRatio: onPaper() ? 3 : null,
    resizable: "passive",
  });
}

/* ---- Figures ---- */

const nearWindow = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const figure = figures.find((one) => one.place === entry.target);
      if (entry.isIntersecting && !figure.chart) makeChart(figure);
    }
  },
  { rootMargin: "600px" },
);

/* spec: {x, series: [{name, y, low, high, color, courses}], xLabel, yLabel, ...}, or a function that gives it from the
 * values of the controls; caption a text or nodes. Each control is {label, options: [[value, text]]} or
 * {label, checked}. */
function addFigure(parent, { id, title, caption, spec, controls = {} }) {
  const place = el("div", { class: "chart" });
  const figure = { id, place, chart: null, spec: null };
  const values = {};
  const update = () => {
    figure.spec = typeof spec === "function" ? spec(values) : spec;
    if (figure.chart) makeChart(figure);
  };
  const inputs = Object.entries(controls).map(([key, control]) => {
    const change = (event) => {
      values[key] = control.options ? event.target.value : event.target.checked;
      update();
    };
    values[key] = control.options ? control.options[0][0] : control.checked;
    return control.options
      ? el(
          "label",
          {},
          `${control.label} `,
          el(
            "select",
            { onchange: change },
            control.options.map(([value, text]) => el("option", { value }, text)),
          ),
        )
      : el(
          "label",
          {},
          el("input", { type: "checkbox", checked: control.checked, onchange: change }),
          ` ${control.label}`,
        );
  });
  update();
  figure.update = update;
  figures.push(figure);
  parent.append(
    el(
      "figure",
      { id },
      el("h3", {}, title),
      el("div", { class: "controls" }, inputs, saveButtons(id, () => svgUrl(drawingOf(figure)))),
      place,
      el("figcaption", {}, caption),
    ),
  );
  nearWindow.observe(place);
  return figure;
}

const drawAll = () => figures.forEach((figure) => figure.chart || makeChart(figure));
const redrawAll = () => figures.forEach((figure) => figure.chart && makeChart(figure));
const updateAll = () => figures.forEach((figure) => figure.update());

const onPaper = () => "paper" in document.documentElement.dataset;

function followWindow() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  /* Paper is light, and has all charts, as wide as its columns. */
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.paper = "";
    drawAll();
    redrawAll();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.paper;
    redrawAll();
  });
}
