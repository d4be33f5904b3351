/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Edits of an evolved kernel: what each gains, and a graph of what they need and how their gains add up. */

const gainText = (said) => (isNumber(said.gain) ? percent(said.gain, 2) : said.status);

/* Nodes on a circle of radius 180; an arrow to an edit that is needed, a dashed line for epistasis of half a percent. */
function editGraph(list, pairs) {
  const at = (i, radius) => {
    const angle = (2 * Math.PI * i) / list.length;
    return [240 + radius * Math.sin(angle), 240 - radius * Math.cos(angle)];
  };
  const line = (from, to, attributes) => {
    const [x, y] = at(from, 180);
    const [u, v] = at(to, 180);
    const inset = 18 / Math.hypot(u - x, v - y);
    const ends = { x1: x + (u - x) * inset, y1: y + (v - y) * inset, x2: u - (u - x) * inset, y2: v - (v - y) * inset };
    return svg("line", { ...ends, ...attributes });
  };
  const arrow = { stroke: "currentColor", "marker-end": "url(#needs)" };
  const lines = pairs.flatMap(({ first, second, epistasis, first_needs_second, second_needs_first }) => [
    first_needs_second ? line(first - 1, second - 1, arrow) : null,
    second_needs_first ? line(second - 1, first - 1, arrow) : null,
    isNumber(epistasis) && Math.abs(epistasis) >= 0.005
      ? line(first - 1, second - 1, { stroke: epistasis > 0 ? "#2a7f3f" : "#b03030", "stroke-dasharray": "5 4" })
      : null,
  ]);
  const nodes = list.flatMap(({ alone }, i) => {
    const [x, y] = at(i, 180);
    const fill = isNumber(alone.gain) ? "#dcefe0" : "#f3dcdc";
    return [
      svg("circle", { cx: x, cy: y, r: 18, fill, stroke: "#333" }),
      svg("text", { x, y, fill: "#222", "text-anchor": "middle", "dominant-baseline": "central" }, String(i + 1)),
    ];
  });
  const head = svg("path", { d: "M0 0 L8 4 L0 8 z", fill: "currentColor" });
  const box = { viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" };
  const marker = svg("defs", {}, svg("marker", { id: "needs", ...box }, head));
  const size = { viewBox: "0 0 480 480", width: 480, height: 480, class: "edits", role: "img" };
  return svg("svg", { ...size, "aria-label": "Graph of edits" }, marker, ...lines.filter((one) => one), ...nodes);
}

function addEdits(parent, data) {
  for (const { file, explained } of data.edits) {
    const { whole, list, pairs, unchecked } = explained;
    const section = el("section", {}, el("h2", {}, `Edits of ${file}`));
    parent.append(section);
    section.append(
      el("p", { class: "soft" }, `${count(list.length, "edit")}, which gain ${gainText(whole)} of the base cost together.`),
      unchecked ? el("p", { class: "soft" }, `Variants were not checked for ${unchecked}.`) : "",
      table(
        ["edit", "alone", "list without it", "<text"],
        list.map(({ edit, alone, without }, i) => [
          String(i + 1),
          gainText(alone),
          gainText(without),
          { text: el("code", {}, edit), class: "text" },
        ]),
        ["Gains in cost, as a share of that of the base, on the search cases; or why the variant fails."],
      ),
    );
    const graph = editGraph(list, pairs);
    if (list.length > 1)
      section.append(
        el(
          "figure",
          {},
          el("div", { class: "controls" }, saveButtons("edits", () => svgUrl(graph))),
          graph,
          el(
            "figcaption",
            {},
            "Arrow: fails alone and not with the other. Dashed: together more (green) or less (red) than the sum, by half a percent of the base cost or more. Red node: fails alone.",
          ),
        ),
      );
  }
}
