/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Figures: uPlot with intervals, single courses, categories, and the colours of the page. A chart is made when it
 * comes near the window, and again when its specification, its width or the colours change. */

const figures = [];

const paletteSize = 8;
const colorVariable = (index) => (index === "exact" ? "--exact" : `--c${index % paletteSize}`);
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dashes = [null, [8, 4], [2, 3], [10, 3, 2, 3]];

/* ---- Painting below the lines ---- */

function paintBand(u, x, series) {
  const ctx = u.ctx;
  let open = [];
  const close = () => {
    if (open.length > 1) {
      ctx.beginPath();
      open.forEach((i, k) =>
        ctx[k ? "lineTo" : "moveTo"](u.valToPos(x[i], "x", true), u.valToPos(series.high[i], "y", true)),
      );
      open.reverse().forEach((i) => ctx.lineTo(u.valToPos(x[i], "x", true), u.valToPos(series.low[i], "y", true)));
      ctx.fill();
    }
    open = [];
  };
  x.forEach((_, i) => (isNumber(series.low[i]) && isNumber(series.high[i]) ? open.push(i) : close()));
  close();
}

/* Error bars; `shift` pixels to the right, and with dots, where series stand side by side. */
function paintBars(u, x, series, shift) {
  const ctx = u.ctx,
    cap = 4 * devicePixelRatio;
  if (shift !== null) {
    x.forEach((value, i) => {
      if (!isNumber(series.y[i])) return;
      ctx.beginPath();
      ctx.arc(u.valToPos(value, "x", true) + shift, u.valToPos(series.y[i], "y", true), cap, 0, 2 * Math.PI);
      ctx.fill();
    });
  }
  if (!series.low) return;
  ctx.beginPath();
  x.forEach((value, i) => {
    if (!isNumber(series.low[i]) || !isNumber(series.y[i])) return;
    const at = u.valToPos(value, "x", true) + (shift ?? 0);
    const low = u.valToPos(series.low[i], "y", true);
    const high = isNumber(series.high[i]) ? u.valToPos(series.high[i], "y", true) : u.bbox.top;
    ctx.moveTo(at, low);
    ctx.lineTo(at, high);
    for (const end of [low, high]) {
      ctx.moveTo(at - cap, end);
      ctx.lineTo(at + cap, end);
    }
  });
  ctx.stroke();
}

/* Single runs: the best so far jumps at a trial and holds until the next. */
function paintCourses(u, series) {
  const ctx = u.ctx;
  const x = (value) => u.valToPos(value, "x", true),
    y = (value) => u.valToPos(value, "y", true);
  for (const course of series.courses) {
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
}

function paint(spec, u) {
  const ctx = u.ctx;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  spec.series.forEach((series, i) => {
    if (!u.series[i + 1].show) return;
    ctx.fillStyle = ctx.strokeStyle = cssColor(colorVariable(series.color));
    if (spec.courses && series.courses) {
      ctx.lineWidth = devicePixelRatio * 0.7;
      ctx.globalAlpha = 0.45;
      paintCourses(u, series);
    }
    ctx.globalAlpha = spec.bars ? 0.9 : 0.16;
    ctx.lineWidth = devicePixelRatio * 1.3;
    const shift = spec.categories ? (i - (spec.series.length - 1) / 2) * 11 * devicePixelRatio : null;
    if (spec.bars) paintBars(u, spec.x, series, shift);
    else if (series.low) paintBand(u, spec.x, series);
  });
  ctx.restore();
}

/* ---- Scales ---- */

/* The range of y over what is shown between from and to, intervals included. */
function rangeOfY(spec, u, from, to) {
  let low = Infinity,
    high = -Infinity;
  const take = (y) => {
    if (!isNumber(y) || (spec.logY && y <= 0)) return;
    low = Math.min(low, y);
    high = Math.max(high, y);
  };
  spec.series.forEach((series, k) => {
    if (u.series.length > k + 1 && !u.series[k + 1].show) return;
    spec.x.forEach((x, i) => {
      if (x < from || x > to) return;
      take(series.y[i]);
      if (series.low) [series.low[i], series.high[i]].forEach(take);
    });
  });
  if (low > high) return spec.logY ? [1, 10] : [0, 1];
  if (spec.logY) return [low / 1.3, high * 1.3];
  if (spec.fromZero) low = Math.min(0, low);
  const pad = 0.05 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [spec.fromZero && low === 0 ? 0 : low - pad, high + pad];
}

function rangeOfX(spec, min, max) {
  if (spec.categories) return [-0.5, spec.categories.length - 0.5];
  if (spec.padX) {
    const pad = spec.padX * (max - min || 1);
    return [min - pad, max + pad];
  }
  return min === max ? [min * 0.9 - 1e-9, max * 1.1 + 1e-9] : [min, max];
}

function scales(spec) {
  let whole = true;
  return {
    x: {
      time: false,
      distr: spec.logX ? 3 : 1,
      range: (u, min, max) => {
        const all = whole || (min === spec.x[0] && max === spec.x[spec.x.length - 1]);
        whole = false;
        return all ? rangeOfX(spec, min, max) : [min, max];
      },
    },
    y: {
      distr: spec.logY ? 3 : 1,
      range: (u) => rangeOfY(spec, u, u.scales.x.min ?? -Infinity, u.scales.x.max ?? Infinity),
    },
  };
}

/* 1, 2 and 5 of each decade; over many decades 1 only. */
function logTicks(low, high) {
  const ticks = [],
    decades = Math.log10(high / low);
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++)
    for (const digit of decades > 3.5 ? [1] : [1, 2, 5]) ticks.push(Number(`${digit}e${k}`));
  return ticks.filter((tick) => tick >= low * 0.9999 && tick <= high * 1.0001);
}

function axis(spec, which) {
  const log = which === "x" ? spec.logX : spec.logY;
  const options = {
    label: which === "x" ? spec.xLabel : spec.yLabel,
    labelSize: 22,
    labelGap: 2,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    stroke: () => cssColor("--soft"),
    grid: { stroke: () => cssColor("--grid"), width: 1 },
    ticks: { stroke: () => cssColor("--line"), width: 1, size: 5 },
    values: (u, ticks) => ticks.map((tick) => (tick == null ? "" : short(tick))),
    size:
      which === "x"
        ? 36
        : (u, values) => 10 + 7.2 * Math.max(4, ...(values ?? []).map((value) => String(value ?? "").length)),
  };
  if (log) options.splits = (u, k, low, high) => logTicks(low, high);
  if (log) options.filter = (u, ticks) => ticks;
  if (which === "x" && spec.categories) {
    options.splits = () => spec.categories.map((_, i) => i);
    options.values = () => spec.categories;
    options.grid.show = false;
  }
  return options;
}

/* ---- A chart ---- */

function lineOf(spec, series, i) {
  const bars = spec.kind === "histogram";
  const color = () => cssColor(colorVariable(series.color));
  const format = spec.format ?? ((x) => short(x, 5));
  return {
    label: series.name,
    stroke: color,
    width: spec.kind === "points" || spec.categories ? 0 : series.color === "exact" ? 2 : 1.8,
    dash: series.color === "exact" ? [5, 5] : dashes[Math.floor(series.color / paletteSize) % dashes.length],
    fill: bars ? () => `${color()}66` : undefined,
    paths: bars
      ? uPlot.paths.bars({ size: [0.96, Infinity] })
      : spec.kind === "points" || spec.categories
        ? () => null
        : spec.kind === "stems"
          ? uPlot.paths.bars({ size: [0.02, 3, 3] })
          : undefined,
    points: {
      show: !spec.categories && (spec.kind === "points" || spec.bars || spec.kind === "dots"),
      size: spec.kind === "points" ? 6 : 7,
      fill: color,
      stroke: color,
    },
    spanGaps: spec.bars === true,
    value: (u, y, k, at) => (y == null || at == null ? "–" : between(y, series.low?.[at], series.high?.[at], format)),
  };
}

function makeChart(figure) {
  const { spec, place } = figure;
  const last = spec.x.length - 1;
  const xFormat = spec.categories ? (x) => spec.categories[x] : (x) => short(x, 6);
  figure.chart?.destroy();
  place.replaceChildren();
  figure.width = place.clientWidth;
  figure.chart = new uPlot(
    {
      width: figure.width,
      height: spec.height ?? 270,
      scales: scales(spec),
      axes: [axis(spec, "x"), axis(spec, "y")],
      series: [
        { label: spec.xName ?? spec.xLabel, value: (u, x) => (x == null ? "–" : xFormat(x)) },
        ...spec.series.map((series, i) => lineOf(spec, series, i)),
      ],
      cursor: { focus: { prox: 24 }, y: false, drag: { x: !spec.categories, y: false } },
      focus: { alpha: 0.35 },
      legend: { markers: { width: 3, fill: (u, i) => cssColor(colorVariable(spec.series[i - 1]?.color ?? "exact")) } },
      hooks: {
        drawAxes: [(u) => paint(spec, u)],
        ready: [(u) => u.setLegend({ idx: last })],
        setCursor: [(u) => u.cursor.idx == null && queueMicrotask(() => u.setLegend({ idx: last }))],
      },
    },
    [spec.x, ...spec.series.map((series) => series.y.map((y) => (isNumber(y) ? y : null)))],
    place,
  );
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
      inputs.length ? el("div", { class: "controls" }, inputs) : null,
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

function followWindow() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  new ResizeObserver(() => {
    for (const figure of figures) if (figure.chart && figure.place.clientWidth !== figure.width) makeChart(figure);
  }).observe(document.getElementById("report"));
  /* Paper is light, and has all charts. */
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
