/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The front over all runs on a landscape, of a page that was made with --criteria: a chart for each two criteria, and a
 * table. */

const nameAndUnit = ({ name, unit }) => (unit ? `${name}, ${unit}` : name);

function addFrontTable(parent, { front, criteria }) {
  const rows = front.map((member) => [
    { text: member.tuner, class: "name" },
    whole(member.trial),
    ...criteria.map(({ name }) => short(member.criteria[name], 6)),
    {
      text: typeof member.configuration === "string" ? member.configuration : JSON.stringify(member.configuration),
      class: "text",
    },
  ]);
  parent.append(
    el("h3", {}, "Front over all runs"),
    table(["<contender", "trial", ...criteria.map(nameAndUnit), "<configuration"], rows, [
      "Trials that no other dominates: ",
      sure("exact"),
      " for these runs. The reference point of the hypervolume is the worst of all trials: ",
      criteria.map(({ name, worst }) => `${name} ${short(worst, 6)}`).join(", "),
      ".",
    ]),
  );
}

/* The points [x, y] that no other dominates, by x. */
function frontOf(points, { better: betterX }, { better: betterY }) {
  const cost = (value, better) => (better === "larger" ? -value : value);
  const order = [...points].sort(
    (a, b) => cost(a[0], betterX) - cost(b[0], betterX) || cost(a[1], betterY) - cost(b[1], betterY),
  );
  let best = Infinity;
  const kept = order.filter(([, y]) => {
    const isBetter = cost(y, betterY) < best;
    if (isBetter) best = cost(y, betterY);
    return isBetter;
  });
  return kept.sort((a, b) => a[0] - b[0]);
}

/* The border of what these points dominate, from one side of the box to the other. */
function stairsOf(points, criterionX, criterionY) {
  const isLarger = criterionX.better === "larger";
  const inward = isLarger ? [...points].reverse() : points; /* from the best x to the worst */
  const stairs = [[inward[0][0], criterionY.worst]];
  inward.forEach(([x, y], i) => {
    if (i) stairs.push([x, inward[i - 1][1]]);
    stairs.push([x, y]);
  });
  return [...stairs, [criterionX.worst, inward.at(-1)[1]]];
}

/* Over more than a decade and a half the axis is logarithmic, if it can be. */
const isWide = (values) => Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 30;

function frontSpec(data, { front, criteria, sample }, i, k) {
  const known = ([x, y]) => isNumber(x) && isNumber(y);
  const pair = (member) => [member.criteria[criteria[i].name], member.criteria[criteria[k].name]];
  const border = frontOf(front.map(pair).filter(known), criteria[i], criteria[k]);
  const tuners = [...new Set(front.map((member) => member.tuner))];
  const colors = new Map(data.contenders.map(({ name }, at) => [name, data.colors.get(at)]));
  const groups = [
    { name: "trials", color: "soft", faint: true, points: sample.map((values) => [values[i], values[k]]).filter(known) },
    { name: "front", color: "exact", points: border, stairs: border.length ? stairsOf(border, criteria[i], criteria[k]) : [] },
    ...tuners.map((tuner) => ({
      name: tuner,
      color: colors.get(tuner),
      points: front.filter((member) => member.tuner === tuner).map(pair).filter(known),
    })),
  ];
  /* One row for each point, by x, and room beside them, which the library leaves on linear axes only. */
  const rows = groups.flatMap(({ points }, group) => points.map(([x, y]) => ({ x, y, group }))).sort((a, b) => a.x - b.x);
  const logX = isWide(rows.map(({ x }) => x));
  const logY = isWide(rows.map(({ y }) => y));
  if (logX) {
    const room = (rows.at(-1).x / rows[0].x) ** 0.03;
    rows.unshift({ x: rows[0].x / room });
    rows.push({ x: rows.at(-1).x * room });
  }
  return {
    kind: "front",
    x: rows.map(({ x }) => x),
    xLabel: nameAndUnit(criteria[i]),
    yLabel: nameAndUnit(criteria[k]),
    logX,
    logY,
    corner: [criteria[i].worst, criteria[k].worst],
    series: groups.map(({ points, ...one }, group) => ({
      ...one,
      y: rows.map((row) => (row.group === group ? row.y : null)),
    })),
  };
}

function addFrontCharts(parent, data, front, id) {
  const { criteria } = front;
  const dots = front.sample_every === 1 ? "all successful trials" : `one in ${front.sample_every} successful trials`;
  criteria.forEach((first, i) =>
    criteria.slice(i + 1).forEach((second, next) => {
      const spec = frontSpec(data, front, i, i + 1 + next);
      if (!spec.x.length) return; /* of no trial both are known */
      addFigure(parent, {
        id: `${id}-front-${first.name}-${second.name}`,
        title: `Front of ${first.name} and ${second.name}`,
        spec,
        caption: [
          `Small dots: ${dots} of the runs; large dots: the front over all runs`,
          criteria.length > 2 ? ` in all ${criteria.length} criteria` : "",
          ", by contender; dashed: the border of what it dominates",
          criteria.length > 2 ? " in these two" : "",
          ", up to the worst of all trials: ",
          sure("exact"),
          " for these runs.",
        ],
      });
    }),
  );
}
