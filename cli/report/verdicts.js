/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The report of a store, second part: who is told apart from whom, on one landscape and over all, and where the numbers
 * come from. */

/* ---- Verdicts ---- */

/* The words for -1, 0 and 1, and how they look. */
const verdictClass = (data, word) => ({ [data.words.verdicts[0]]: "worse", [data.words.verdicts[2]]: "better" })[word] ?? "";
const verdictText = (data, sign) => {
  const text = data.words.verdicts[sign + 1];
  return { text, class: verdictClass(data, text) };
};

function addNumbers(parent, data, indices) {
  const rows = indices.map((i) => {
    const [, a, b, pairs, wins, ties, losses, sign] = data.pairs.rows[i];
    return [
      data.contenders[a].name,
      pairs ? verdictText(data, sign) : "not compared",
      data.contenders[b].name,
      between(data.pairs.mean_a[i] - data.pairs.mean_b[i], data.pairs.low[i], data.pairs.high[i]),
      short(data.pairs.p_holm[i], 2),
      `${wins} / ${ties} / ${losses}`,
      fixed(data.pairs.rank_biserial[i], 2),
      sign === 0 && pairs
        ? isNumber(data.pairs.pairs_needed[i])
          ? whole(Math.ceil(data.pairs.pairs_needed[i]))
          : "no end"
        : "",
    ];
  });
  parent.append(
    table(
      ["<a", "<is", "<b", "difference a - b", "p (Holm)", "wins / ties / losses", "effect", "pairs to resolve"],
      rows,
      [
        "Every pair over the seeds that both have: ",
        sure("estimated"),
        " differences of the mean fraction with ",
        data.anytime
          ? `${short(100 * data.confidence)} % intervals and p of bets on signed ranks, both of which hold at any number of seeds, `
          : `${confidence(data)} intervals; p of Wilcoxon's signed ranks, `,
        "adjusted over all pairs of this report; effect is the ",
        "matched rank correlation.",
      ],
    ),
  );
}

function addSigns(parent, data, place, landscape) {
  const cells = ranked(place);
  const sign = (verdict) =>
    verdict === undefined
      ? ""
      : verdict > 0
        ? { text: "+", class: "better" }
        : verdict < 0
          ? { text: "−", class: "worse" }
          : "·";
  const rows = cells.map((row, i) => [
    { text: `${i + 1} ${nameOf(data, row)}`, class: "name" },
    ...cells.map((column) => (row === column ? "" : sign(verdictOf(data, landscape, row.contender, column.contender)))),
  ]);
  parent.append(
    table(
      ["<row against column", ...cells.map((_, i) => String(i + 1))],
      rows,
      [
        "Verdicts: + better, − worse, · not resolved by this many runs; ",
        sure("estimated"),
        `, any of them false with `,
        `probability at most ${data.alpha}.`,
      ],
      { class: "signs" },
    ),
  );
}

/* What is large is made when it is opened. */
function addFolded(parent, title, open, fill) {
  const all = el("details", { open }, el("summary", {}, title));
  if (open) fill(all);
  else all.addEventListener("toggle", () => fill(all), { once: true });
  parent.append(all);
}

function addVerdicts(parent, data, place, landscape) {
  const indices = data.pairs.rows.map((_, i) => i).filter((i) => data.pairs.rows[i][0] === landscape);
  if (!indices.length) return;
  parent.append(el("h3", {}, `Verdicts at ${count(place.compared_at, "trial")}`));
  if (place.cells.length > 3)
    addFolded(parent, "Table of signs", place.cells.length <= 25, (inside) => addSigns(inside, data, place, landscape));
  addFolded(parent, `All ${indices.length} comparisons in numbers`, indices.length <= 15, (inside) =>
    addNumbers(inside, data, indices),
  );
}

/* ---- Over landscapes ---- */

function addOverall(parent, data) {
  const { overall } = data;
  if (!overall) return;
  const order = [...data.contenders.keys()].sort((a, b) => overall.mean_rank[a] - overall.mean_rank[b]);
  const worst = Math.max(...overall.mean_rank);
  const rows = order.map((i) => [
    { text: data.contenders[i].name, class: "name" },
    {
      text: strip(overall.mean_rank[i], overall.mean_rank[i], overall.mean_rank[i] + overall.critical_difference, {
        from: 0.8,
        to: Math.max(worst, overall.mean_rank[order[0]] + overall.critical_difference) + 0.2,
        color: `var(${colorVariable(data.colors.get(i))})`,
      }),
      class: "strip",
    },
    fixed(overall.mean_rank[i], 2),
    between(overall.mean[i], overall.low[i], overall.high[i]),
  ]);
  parent.append(
    el("h2", { id: "overall" }, `Over ${overall.landscapes} landscapes`),
    table(
      ["<contender", "", "mean rank", "mean"],
      rows,
      [
        "Mean ranks (1 is best), each bar as long as Nemenyi's critical difference ",
        fixed(overall.critical_difference, 2),
        ": contenders whose bars do not reach the other's dot are told apart; Friedman p = ",
        short(overall.p, 2),
        overall.p_exact ? " (exact)" : ` (estimated, ${short(overall.p_interval[0], 2)} to ${short(overall.p_interval[1], 2)})`,
        isNumber(overall.p_f) ? `, Iman-Davenport p = ${short(overall.p_f, 2)} (approximate)` : "",
        ". Means of fractions ",
        sure("estimated"),
        ", the landscapes being fixed.",
        overall.landscapes_all_failed
          ? ` Excluded: ${count(overall.landscapes_all_failed, "landscape")} on which no trial succeeded.`
          : "",
      ],
      { class: "wide" },
    ),
  );
}

/* ---- Where the numbers come from ---- */

function addManifest(parent, data) {
  parent.append(
    el("h2", { id: "manifest" }, "Where the numbers come from"),
    el(
      "p",
      {},
      "This page: ",
      el("code", {}, data.command),
      `, opevo ${data.version}. Runs made by opevo `,
      data.versions.trim().split("\n").join(", "),
      `. Bootstrap: ${whole(data.resamples)} resamples, seed ${data.seed}.`,
    ),
    table(
      ["<landscape", "<opened by", "<space file", "<signature", "unit"],
      data.landscapes.map((place) => [
        titleOf(data, place.name),
        el("code", {}, [place.what, place.on && `--on ${place.on}`].filter(Boolean).join(" ")),
        place.space,
        el("code", {}, place.signature),
        place.unit,
      ]),
      "The landscapes as the store knows them; a signature is that of the landscape with its space.",
    ),
    table(
      ["<contender", "<tuner", "<settings", "<budget", "<seeds by landscape"],
      data.contenders.map((contender, i) => [
        contender.name,
        contender.tuner,
        el("code", {}, contender.settings),
        contender.budget,
        seedsOf(data, i),
      ]),
      "The contenders with all their settings, and the seeds of their runs.",
    ),
  );
}

/* One text where all landscapes have the same seeds. */
function seedsOf(data, contender) {
  const seeds = data.landscapes.map(
    (place) => place.cells.find((cell) => cell.contender === contender)?.seeds ?? "none",
  );
  return new Set(seeds).size === 1
    ? seeds[0]
    : seeds.map((text, i) => `${titleOf(data, data.landscapes[i].name)}: ${text}`).join("; ");
}
