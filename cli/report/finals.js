/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The finals of runs on a device: their best trials measured again, side by side. */

const configurationText = (configuration) =>
  typeof configuration === "string"
    ? configuration
    : Object.entries(configuration)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");

/* What the next and the library took, by what the winner took; the others are not compared with it. */
function finalistRow(finals, one, i) {
  const library = one.configuration === null;
  const place = i === finals.winner ? "winner" : library ? "library" : i === finals.next ? "next" : `rank ${one.rank}`;
  const ratio = { next: "ratio", library: "library_ratio" }[place];
  return [
    one.kernel ? `${place}, ${one.kernel}` : place,
    { text: library ? finals.library : el("code", {}, configurationText(one.configuration)), class: "text" },
    one.fitness
      ? between(one.result, one.low, one.high, (x) => short(x, 6))
      : library
        ? "not measured"
        : "failed in a round",
    library ? "" : whole(one.won),
    ratio ? between(finals[ratio], finals[`${ratio}_low`], finals[`${ratio}_high`], (x) => fixed(x, 4)) : "",
  ];
}

const verdictWords = {
  faster: "is faster than",
  "not distinguishable": "is not distinguishable from",
  biased: "is not compared, as the measurement tells a kernel from itself, with",
};

/* The kernel of the best trial, measured twice in each round. */
const twinText = ({ null: twin }) =>
  twin
    ? ` A/A, the kernel of the best trial against itself: ratio ${between(twin.ratio, twin.ratio_low, twin.ratio_high, (x) => fixed(x, 4))}, p = ${short(twin.p, 2)}.`
    : "";

/* By rank; `name`: whose finals they are. */
function finalsTable(finals, unit, name) {
  const next = isNumber(finals.next);
  return table(
    ["<", "<finalist", `median, ${unit}`, "rounds won", "time by the winner's"],
    finals.finalists.map((one, i) => finalistRow(finals, one, i)),
    [
      `${name}: its best trials measured again, side by side in `,
      `${count(finals.rounds, "round")}: `,
      sure("estimated"),
      " medians, and ratios by round, with their 95 % intervals. Rounds won: those in which it was better than all others. ",
      next ? `The winner ${verdictWords[finals.verdict]} the next: ` : "",
      next ? `p = ${short(finals.p, 2)} of a sign test, adjusted for all rivals.` : "",
      twinText(finals),
    ],
  );
}

/* What the runs lost, and where. */
function addRegret(parent, data, place) {
  const cells = ranked(place).filter((cell) => cell.regret);
  if (!cells.length) return;
  const part = (regret, key) =>
    regret.split_sure === "exact" && (key === "selection" || key === "noise")
      ? el("span", {}, `${fixed(regret[key])} `, sure("exact"))
      : between(regret[key], ...regret[`${key}_interval`]);
  addFolded(parent, "Regret, split", false, (inside) =>
    inside.append(
      table(
        ["<contender", "regret", "exploration", "selection", "noise", "runs"],
        cells.map((cell) => [
          { text: nameOf(data, cell), class: "name" },
          ...["total", "exploration", "selection", "noise"].map((key) => part(cell.regret, key)),
          whole(cell.regret.runs),
        ]),
        [
          "Mean distance from the optimum (or the best of all finals) to what the search reports at the end of a run, ",
          sure("estimated"),
          ": what was never tried, what was tried and not chosen, and what the measurement of the chosen one flattered.",
        ],
      ),
    ),
  );
}

function addFinals(parent, data, place, landscape) {
  const all = data.finals.filter((one) => one.landscape === landscape);
  if (!all.length) return;
  addFolded(parent, `Finals of ${count(all.length, "run")}`, all.length <= 10, (inside) =>
    inside.append(
      ...all.map(({ contender, seed, finals }) =>
        finalsTable(finals, place.unit, `${data.contenders[contender].name}, seed ${seed}`),
      ),
    ),
  );
}
