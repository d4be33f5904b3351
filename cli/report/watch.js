/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The page of `opevo watch`: the same parts as those of reports, made again when their data change. */

const watchEvery = 1000; /* ms between questions for what is new */

/* 3725 seconds as "1 h 2 min". */
function durationText(seconds) {
  if (!isNumber(seconds)) return "unknown";
  const parts = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor((seconds % 86400) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "min"],
    [Math.floor(seconds % 60), "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return first < 0 ? "less than 1 s" : parts.slice(first, first + 2).map(([value, unit]) => `${value} ${unit}`).join(" ");
}

const stateText = (state) => (state === "open" ? "not ended" : state === "planned" ? state : `ended: ${state}`);

/* ---- Parts ---- */

/* Where the store stands: how many runs and trials, and when they are done. */
function standPart(main, data) {
  const { counts } = data;
  const states = [
    [counts.open, "not ended"],
    [counts.ended, "ended"],
    [counts.planned, "planned"],
  ].filter(([n]) => n);
  const isBehind = counts.trials < counts.stored;
  const isDone = counts.runs && !counts.open && !counts.planned;
  main.append(
    data.trouble ? el("p", { class: "notes" }, `The store cannot be read just now: ${data.trouble}`) : "",
    el(
      "div",
      { class: "short", id: "stand" },
      el("p", {}, el("strong", {}, count(counts.runs, "run")), `: ${states.map(([n, state]) => `${whole(n)} ${state}`).join(", ") || "none yet"}.`),
      el(
        "p",
        {},
        el("strong", {}, count(counts.trials, "trial")),
        isBehind ? ` read of ${whole(counts.stored)}` : "",
        `, ${whole(counts.failed)} failed; cost ${short(counts.cost_s, 3)} s`,
        isNumber(counts.pace) ? `; ${short(counts.pace, 3)} trials/s` : "",
        ". ",
        isDone ? "All runs have ended." : counts.runs ? `Time left: ${durationText(counts.left_s)}. ` : "",
        isDone || !counts.runs ? "" : sure("estimated"),
      ),
    ),
  );
}

function runsPart(main, data) {
  if (!data.runs.length) return;
  const link = (run) => el("a", { href: `?run=${run}` }, String(run));
  main.append(
    el("h2", { id: "runs" }, "Runs"),
    table(
      ["<run", "<objective", "<tuner", "seed", "trials", "failed", "best", "at trial", "<state", "<time left"],
      data.runs.map((one) => [
        link(one.run),
        { text: one.objective.length > 60 ? `${one.objective.slice(0, 60)}…` : one.objective, class: "name" },
        one.tuner,
        String(one.seed),
        one.wanted ? `${whole(one.trials)} of ${whole(one.wanted)}` : whole(one.trials),
        whole(one.failed),
        isNumber(one.best) ? `${short(one.best, 6)} ${one.unit}` : "–",
        one.best_trial ? whole(one.best_trial) : "–",
        stateText(one.state),
        one.state === "open" ? durationText(one.left_s) : "",
      ]),
      [
        data.runs.length < data.counts.runs - data.counts.planned
          ? `${data.runs.length} runs, those that have not ended first, then the last ones. `
          : "",
        "A run by its number: its own page.",
      ],
      { id: "all-runs" },
    ),
  );
}

function failedPart(main, data) {
  if (!data.failures.length) return;
  main.append(
    el("h2", { id: "all-failures" }, "Failures of all runs"),
    table(
      ["<outcome", "trials", "<first", "<its message"],
      data.failures.map((one) => [one.outcome, whole(one.count), `run ${one.run}, trial ${one.trial}`, { text: one.message || "–", class: "text" }]),
      [sure("exact"), " for the trials that were read."],
    ),
  );
}

/* Those landscapes of which several runs are known. */
function studyPart(main, data) {
  const places = (data.landscapes ?? []).filter((place) => place.cells.some((cell) => cell.runs > 1) || place.cells.length > 1);
  if (places.length)
    main.append(
      el("p", { class: "soft" }, "Means of the runs so far. Verdicts are made when a study has ended: opevo report, opevo analyze."),
    );
  places.forEach((place) => {
    const id = `landscape-${data.landscapes.indexOf(place)}`;
    const section = el("section", { id }, el("h2", {}, titleOf(data, place.name)));
    main.append(section);
    addRanking(section, data, place);
    const grid = el("div", { class: "figures" });
    section.append(grid);
    addConvergence(grid, data, place, id);
  });
}

/* One run by the page of its report. */
function onePart(main, data) {
  const { run } = data;
  if (data.runs.length !== 1) main.append(el("h2", { id: "run" }, `Run ${run.run}: ${run.tuner}`));
  if (run.digested < run.trials) main.append(el("p", { class: "notes" }, `Read so far: ${whole(run.digested)} of ${whole(run.trials)} trials.`));
  if (!run.stop && !run.planned)
    main.append(el("p", {}, `Time left of the run: ${run.wanted ? durationText(run.left_s) : "it has no number of trials"}. `, sure("estimated")));
  runPage(main, { command: data.command, version: data.version, ...run });
}

/* ---- The page ---- */

/* A part is made again only if its data changed, so that what a reader opened or zoomed stays as long as it can. */
function showPart(main, name, data, draw) {
  const key = JSON.stringify(data);
  const old = main.querySelector(`:scope > [data-part="${name}"]`);
  if (old.dataset.key === key) return;
  for (let i = figures.length - 1; i >= 0; i--)
    if (old.contains(figures[i].place)) {
      nearWindow.unobserve(figures[i].place);
      figures[i].chart?.destroy();
      figures.splice(i, 1);
    }
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  const height = old.offsetHeight;
  old.style.minHeight = `${height}px`; /* the page does not jump */
  old.replaceChildren();
  draw(old);
  for (const one of old.querySelectorAll("details > summary")) if (open.has(one.textContent)) one.parentElement.open = true;
  old.style.minHeight = "";
  old.dataset.key = key;
}

function showWatched(main, data, memory) {
  const { run, landscapes, contenders, networks } = data;
  showPart(main, "stand", [data.trouble, data.counts], (part) => standPart(part, data));
  if (data.trouble) return; /* the rest stays as it was */
  if (landscapes) {
    data.shown = memory.shown ?? new Set();
    if (data.shown.size < Math.min(mostShown, contenders.length)) data.shown = memory.shown = chooseShown(data);
    giveColors(data);
    nameTasks(data);
  }
  showPart(main, "networks", networks ?? [], (part) => networks?.length && addNetworks(part, data));
  showPart(main, "one", run ?? null, (part) => run && onePart(part, data));
  showPart(main, "study", landscapes ?? null, (part) => landscapes && studyPart(part, data));
  showPart(main, "failed", run && data.runs.length === 1 ? [] : data.failures, (part) => data.runs.length > 1 && failedPart(part, data));
  showPart(main, "runs", data.asked || data.runs.length === 1 ? [] : data.runs, (part) => data.runs.length > 1 && !data.asked && runsPart(part, data));
}

function watchPage(main, page) {
  const note = el("p", { class: "soft", id: "link", role: "status" }, "Asking for the data.");
  const hold = el("input", { type: "checkbox", id: "hold" });
  const query = new URLSearchParams(location.search).get("run");
  const memory = {};
  let tag = null;
  main.append(
    el("div", { class: "controls" }, el("label", {}, hold, " hold the page"), query ? el("a", { href: "./" }, "all runs") : null, note),
    ...["stand", "networks", "one", "study", "failed", "runs"].map((name) => el("div", { "data-part": name })),
  );
  const ask = async () => {
    try {
      const answer = await fetch(`data${query ? `?run=${encodeURIComponent(query)}` : ""}`, {
        headers: tag ? { "If-None-Match": tag } : {},
        cache: "no-store",
      });
      if (answer.status !== 304) {
        if (!answer.ok) throw new Error(await answer.text());
        tag = answer.headers.get("ETag");
        const data = await answer.json();
        showWatched(main, data, memory);
        Object.assign(page, data);
      }
      note.textContent = `Seen ${new Date().toLocaleTimeString()}.`;
    } catch (error) {
      note.textContent = `No answer at ${new Date().toLocaleTimeString()}: what stands here is older. ${error.message}`;
    }
  };
  const next = async () => {
    if (!hold.checked) await ask();
    else note.textContent = "Held.";
    setTimeout(next, watchEvery);
  };
  next();
}
