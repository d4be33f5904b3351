/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Elements, numbers and tables. All text goes through text nodes and attributes, never through markup, so that a
 * name may hold anything. */

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null));
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/* ---- Numbers ---- */

const isNumber = (x) => typeof x === "number" && Number.isFinite(x);
/* `digits` after the point, or a dash for what is not known. */
const fixed = (x, digits = 3) => (isNumber(x) ? x.toFixed(digits) : "–");
/* Significant digits, without an exponent where it is not needed. */
function short(x, digits = 4) {
  if (!isNumber(x)) return "–";
  if (x !== 0 && (Math.abs(x) >= 1e9 || Math.abs(x) < 1e-4)) return Number(x.toPrecision(digits)).toExponential();
  return Number(x.toPrecision(digits)).toLocaleString("en-US", { maximumFractionDigits: 12 });
}
const whole = (x) => (isNumber(x) ? x.toLocaleString("en-US") : "–");
const percent = (x, digits = 1) => (isNumber(x) ? `${(100 * x).toFixed(digits)} %` : "–");
/* "0.93 (0.91 to 0.95)"; of an exact number there is no interval. */
function between(x, low, high, format = fixed) {
  if (!isNumber(x)) return "–";
  if (!isNumber(low) && !isNumber(high)) return format(x);
  return `${format(x)} (${format(low)} to ${isNumber(high) ? format(high) : "never"})`;
}
const count = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

/* How sure a number is: exact, bounded, estimated or approximate. */
const sure = (how) => el("span", { class: `sure ${how}` }, how);

/* ---- Tables ---- */

/* heads: texts, those that start with "<" aligned left; rows: arrays of cells, each a text, a node, or
 * {text, class}. */
function table(heads, rows, caption, attributes = {}) {
  const left = heads.map((head) => head.startsWith("<"));
  const cell = (content, i) => {
    const plain = content == null || typeof content !== "object" || content instanceof Node;
    const { text, class: extra = "" } = plain ? { text: content ?? "" } : content;
    return el("td", { class: `${left[i] ? "text" : ""} ${extra}`.trim() || null }, text);
  };
  const body = rows.map((row) => el("tr", { class: row.class }, row.map(cell)));
  return el(
    "figure",
    { class: "table" },
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { ...attributes, class: `data ${attributes.class ?? ""}`.trim() },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((head, i) => el("th", { class: left[i] ? "text" : null }, head.replace(/^</, ""))),
          ),
        ),
        el("tbody", {}, body),
      ),
    ),
    el("figcaption", {}, caption),
  );
}

/* A strip with a number and its interval on the common scale [from, to]; marks are other numbers on it. */
function strip(x, low, high, { from, to, color, marks = [] }) {
  const at = (value) => `${Math.min(100, Math.max(0, (100 * (value - from)) / (to - from || 1)))}%`;
  const node = svg("svg", { role: "img", "aria-label": between(x, low, high) });
  node.append(svg("line", { x1: "0", x2: "100%", y1: 12, y2: 12, stroke: "var(--grid)" }));
  for (const mark of marks.filter(isNumber))
    node.append(
      svg("line", { x1: at(mark), x2: at(mark), y1: 0, y2: 24, stroke: "var(--exact)", "stroke-dasharray": "3 3" }),
    );
  if (isNumber(low) && isNumber(high))
    node.append(
      svg("line", {
        x1: at(low),
        x2: at(high),
        y1: 12,
        y2: 12,
        stroke: color,
        "stroke-width": 7,
        "stroke-opacity": 0.35,
      }),
    );
  if (isNumber(x)) node.append(svg("circle", { cx: at(x), cy: 12, r: 5, fill: color }));
  return node;
}
