/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Saving single charts as SVG or PNG. A drawing that is SVG is saved as it is; a chart of dygraphs is painted once more,
 * on a context that writes SVG, with the texts around it where the page has them. */

/* The drawing by itself: with a size, a background, and colours in place of the page's variables. */
function standAlone(node) {
  const copy = node.cloneNode(true);
  const [, , width, height] = node.getAttribute("viewBox").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(svg("rect", { width, height, fill: "var(--card)" }));
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, name) => cssColor(name))
    .replaceAll("currentColor", cssColor("--ink"));
}

function save(name, url) {
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

const svgUrl = (node) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standAlone(node))}`;

/* The address of a picture at twice the size of the drawing at another address. */
function pngUrl(url) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const [width, height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
      const canvas = el("canvas", { width, height });
      canvas.getContext("2d").drawImage(image, 0, 0, width, height);
      resolve(canvas.toDataURL("image/png"));
    };
    image.onerror = () => reject(new Error("The drawing cannot be made a picture."));
    image.src = url;
  });
}

/* Buttons that save what `urlOf` gives when they are pressed: the address of a drawing. */
const saveButtons = (name, urlOf) => [
  el("button", { type: "button", onclick: () => save(`${name}.svg`, urlOf()) }, "SVG"),
  el("button", { type: "button", onclick: async () => save(`${name}.png`, await pngUrl(urlOf())) }, "PNG"),
];

/* ---- Charts of dygraphs ---- */

const digits2 = (x) => String(Math.round(100 * x) / 100);

/* Of a canvas what the plotters use, as elements of SVG. */
class SvgContext {
  nodes = [];
  path = "";
  kept = [];
  state = { strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, globalAlpha: 1, dash: [] };

  static {
    for (const name of ["strokeStyle", "fillStyle", "lineWidth", "globalAlpha"])
      Object.defineProperty(SvgContext.prototype, name, {
        get() {
          return this.state[name];
        },
        set(value) {
          this.state[name] = value;
        },
      });
  }
  save() {
    this.kept.push({ ...this.state });
  }
  restore() {
    this.state = this.kept.pop() ?? this.state;
  }
  setLineDash(dash) {
    this.state.dash = dash ?? [];
  }
  clearRect() {}
  clip() {}
  beginPath() {
    this.path = "";
  }
  closePath() {
    this.path += "Z";
  }
  moveTo(x, y) {
    this.path += `M${digits2(x)} ${digits2(y)}`;
  }
  lineTo(x, y) {
    this.path += `${this.path ? "L" : "M"}${digits2(x)} ${digits2(y)}`;
  }
  rect(x, y, width, height) {
    this.path += `M${digits2(x)} ${digits2(y)}h${digits2(width)}v${digits2(height)}h${digits2(-width)}Z`;
  }
  /* Plotters draw whole circles only. */
  arc(x, y, radius) {
    const half = (sign) => `a${radius} ${radius} 0 1 0 ${digits2(sign * 2 * radius)} 0`;
    this.path += `M${digits2(x - radius)} ${digits2(y)}${half(1)}${half(-1)}Z`;
  }
  /* A colour with its own opacity becomes one with that of the element. */
  add(kind, style, more) {
    const own = /^rgba\(([^)]*),\s*([\d.]+)\)$/.exec(style);
    const opacity = this.state.globalAlpha * (own ? Number(own[2]) : 1);
    const paint = { fill: "none", [kind]: own ? `rgb(${own[1]})` : style, [`${kind}-opacity`]: opacity };
    if (this.path) this.nodes.push(svg("path", { d: this.path, ...paint, ...more }));
  }
  stroke() {
    const dash = this.state.dash.length ? { "stroke-dasharray": this.state.dash.join(" ") } : {};
    this.add("stroke", this.state.strokeStyle, { "stroke-width": this.state.lineWidth, ...dash });
  }
  fill() {
    this.add("fill", this.state.fillStyle, {});
  }
  fillRect(x, y, width, height) {
    const path = this.path;
    this.path = "";
    this.rect(x, y, width, height);
    this.fill();
    this.path = path;
  }
}

/* The texts within an element, a line each, where they stand; `origin` is the corner that they are told from. */
function textsIn(element, origin) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const style = getComputedStyle(node.parentElement);
    const lines = [];
    for (const { index, 0: word } of node.data.matchAll(/\S+\s*/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.trimEnd().length);
      const box = range.getBoundingClientRect();
      const last = lines.at(-1);
      if (last && Math.abs(last.box.top - box.top) < 2) last.words += word;
      else lines.push({ box, words: word });
    }
    const dim = node.parentElement.closest("[aria-pressed=false]") ? 0.5 : 1;
    for (const { box, words } of lines)
      nodes.push(
        svg(
          "text",
          {
            x: digits2(box.left - origin.left),
            y: digits2(box.bottom - origin.top - 0.22 * box.height),
            fill: style.color,
            "fill-opacity": dim,
            "font-size": parseFloat(style.fontSize),
            "font-weight": style.fontWeight,
            "font-family": "system-ui, sans-serif",
          },
          words.trimEnd(),
        ),
      );
  }
  return nodes;
}

/* The sign of each series that stands before its name. */
function signsIn(figure, origin) {
  const context = new SvgContext();
  [...figure.place.querySelectorAll(".legend .line")].forEach((sign, i) => {
    const { color, mark } = figure.spec.series[i];
    const box = sign.getBoundingClientRect();
    const [x, y] = [box.left - origin.left, (box.top + box.bottom) / 2 - origin.top];
    context.strokeStyle = context.fillStyle = cssColor(colorVariable(color));
    context.lineWidth = 2.5;
    context.setLineDash(patternOf(color).dash);
    context.beginPath();
    if (mark) paintMark(context, mark, x + 5, y);
    else {
      context.moveTo(x, y);
      context.lineTo(x + 16, y);
      context.stroke();
    }
  });
  return context.nodes;
}

/* A chart with its title, its axes and the names of its series, as one drawing. */
function drawingOf(figure) {
  if (!figure.chart) makeChart(figure);
  const { chart, place } = figure;
  const frame = place.parentElement.getBoundingClientRect();
  const heading = place.parentElement.querySelector("h3").getBoundingClientRect();
  const origin = { left: place.getBoundingClientRect().left - 4, top: place.getBoundingClientRect().top - heading.height - 6 };
  const width = Math.ceil(frame.right - origin.left);
  const height = Math.ceil(place.getBoundingClientRect().bottom - origin.top + 6);
  const area = chart.getArea();
  const plot = place.querySelector(".plot").getBoundingClientRect();
  const context = new SvgContext();
  const { hidden_ctx_: shown, plotter_: plotter } = chart;
  chart.hidden_ctx_ = plotter.elementContext = context;
  chart.renderGraph_(false);
  chart.hidden_ctx_ = plotter.elementContext = shown;
  chart.renderGraph_(false);
  const title = textsIn(place.parentElement.querySelector("h3"), { left: origin.left, top: heading.top - 2 });
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}` },
    svg("clipPath", { id: "plot" }, svg("rect", { x: area.x, y: area.y, width: area.w, height: area.h })),
    svg(
      "g",
      { transform: `translate(${digits2(plot.left - origin.left)} ${digits2(plot.top - origin.top)})` },
      svg("g", { "clip-path": "url(#plot)" }, ...context.nodes),
    ),
    ...title,
    ...signsIn(figure, origin),
    ...textsIn(place, origin),
  );
}
