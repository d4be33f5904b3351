/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The effect of a setting, as in figures 7 and 8 of the OpEvo paper: the fraction of the optimum over each setting that
 * varies between the contenders of one tuner. Contenders that share all other settings make a line. */

const mostLines = 8;

/* "lambda=8 q=0.5" as a map; words without "=" stand for themselves. */
const settingsOf = (contender) =>
  new Map([
    ...contender.settings
      .split(" ")
      .filter(Boolean)
      .map((word) => {
        const at = word.indexOf("=");
        return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
      }),
    ...(contender.budget ? [["budget", contender.budget]] : []),
  ]);

/* The settings that vary between these cells: [{key, values, numeric}]. */
function varying(data, cells) {
  const maps = cells.map((cell) => settingsOf(data.contenders[cell.contender]));
  const keys = new Set(maps.flatMap((map) => [...map.keys()]));
  return [...keys]
    .map((key) => {
      const values = [...new Set(maps.map((map) => map.get(key)))].filter((value) => value !== undefined);
      const numeric = values.every((value) => value !== "" && Number.isFinite(Number(value)));
      return { key, numeric, values: numeric ? values.sort((a, b) => a - b) : values.sort() };
    })
    .filter(({ values }) => values.length > 1);
}

/* Cells by the settings other than `key` that vary; only groups of two and more. */
function linesOver(data, cells, key, others) {
  const groups = new Map();
  for (const cell of cells) {
    const map = settingsOf(data.contenders[cell.contender]);
    const name = others
      .filter((other) => other.key !== key && map.has(other.key))
      .map((other) => `${other.key}=${map.get(other.key)}`)
      .join(" ");
    if (!map.has(key)) continue;
    if (!groups.has(name)) groups.set(name, new Map());
    groups.get(name).set(map.get(key), cell);
  }
  return [...groups].filter(([, group]) => group.size > 1);
}

function sweepSpec(place, tuner, setting, lines, i) {
  const { key, values, numeric } = setting;
  const meanOf = ([, group]) => Math.max(...[...group.values()].map((cell) => cell.mean[i] ?? 0));
  const best = [...lines].sort((a, b) => meanOf(b) - meanOf(a)).slice(0, mostLines);
  const column = (group, member) => values.map((value) => group.get(value)?.[member][i] ?? null);
  const rows = best.map(([name, group], k) => ({
    name: name || tuner,
    color: k,
    y: column(group, "mean"),
    low: column(group, "low"),
    high: column(group, "high"),
  }));
  if (place.random)
    rows.push({ name: "random search (exact)", color: "exact", y: values.map(() => place.random.mean[i]) });
  return {
    x: numeric ? values.map(Number) : values.map((_, at) => at),
    categories: numeric ? null : values,
    xLabel: key,
    yLabel: `fraction of the ${optimumName(place)}`,
    bars: true,
    format: fixed,
    series: rows,
  };
}

function addSweep(parent, data, place, id, tuner, setting, lines) {
  const known = data.checkpoints
    .concat(place.compared_at, place.horizon)
    .filter((trials) => place.trials.includes(trials) && trials <= place.horizon);
  const choices = [
    place.compared_at,
    ...new Set(known.filter((trials) => trials !== place.compared_at).sort((a, b) => a - b)),
  ];
  addFigure(parent, {
    id: `${id}-sweep-${tuner}-${setting.key}`,
    title: `Effect of ${setting.key} on ${tuner}`,
    controls: {
      trials: { label: "after", options: choices.map((trials) => [String(trials), count(trials, "trial")]) },
    },
    spec: ({ trials }) => sweepSpec(place, tuner, setting, lines, placeOf(place, Number(trials ?? choices[0]))),
    caption: [
      `Mean best fraction over ${setting.key}, ${
        lines.length > mostLines
          ? `the best ${mostLines} of ${lines.length} lines`
          : "one line for each combination of the other settings"
      }: `,
      sure("estimated"),
      `, error bars are ${confidence(data)} `,
      "intervals",
      place.random ? ["; dashed: random search, ", sure("exact"), "."] : ".",
    ],
  });
}

function addSweeps(parent, data, place, id) {
  const tuners = new Set(place.cells.map((cell) => data.contenders[cell.contender].tuner));
  for (const tuner of tuners) {
    const cells = place.cells.filter((cell) => data.contenders[cell.contender].tuner === tuner);
    const settings = varying(data, cells);
    for (const setting of settings) {
      const lines = linesOver(data, cells, setting.key, settings);
      if (lines.length) addSweep(parent, data, place, id, tuner, setting, lines);
    }
  }
}
