/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Tasks that were tuned together, such as those of a network: the latency of the whole over the trials of all tasks,
 * what each task takes of it, and latency and memory of what was measured. */

const mostTasksDrawn = 20;

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const megabytes = (bytes) => bytes / 1e6;
/* 0.00123 as "1.23 ms". */
function timeText(seconds, digits = 4) {
  if (!isNumber(seconds)) return "–";
  const [unit, factor] = [["s", 1], ["ms", 1e3], ["us", 1e6], ["ns", 1e9]].find(([, k]) => seconds * k >= 1) ?? ["ns", 1e9];
  return `${short(seconds * factor, digits)} ${unit}`;
}

/* What a task takes of the whole, and of the sum over the tasks that have a time. */
const costOf = (task, when) => (isNumber(task[when]) ? task.weight * task[when] : null);
const totalOf = (tuning, when) => sum(tuning.tasks.map((task) => costOf(task, when) ?? 0));
const shareOf = (tuning, task, when) => {
  const cost = costOf(task, when);
  return cost === null ? null : cost / totalOf(tuning, when);
};
/* A library has the kernel without tuning where no trial is better. Operators that are tuned together have no such kernel. */
const isUntuned = ({ network }, task) => task.kernel === "default" || (network && task.kernel !== "tuned");
function kernelText({ network }, { kernel, trials }) {
  if (kernel === "tuned") return "tuned";
  const why = { untried: "no trial", failed: "all failed", default: trials > 1 ? "the best" : "the only trial" }[kernel];
  return network || kernel === "default" ? `default: ${why}` : why;
}
/* What a library is made of: the winner of the finals, or else the best trial. */
const finalSum = (tuning) => sum(tuning.tasks.map(({ weight, final, after }) => weight * (final ?? after ?? 0)));

/* Tunings of the same tasks, one after the other, under one heading. */
function networksOf(data) {
  const groups = new Map();
  for (const tuning of data.networks) {
    const key = JSON.stringify([
      tuning.name,
      tuning.aim,
      tuning.tasks.map(({ name, landscape, weight }) => [name, landscape, weight]),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), tuning]);
  }
  return [...groups.values()].map((tunings) => ({ ...tunings[0], tunings }));
}

/* Many operators have one name together. */
const networkTitle = ({ network, name, tasks }) =>
  network ? `Network ${name}` : tasks.length > 4 ? `${tasks.length} tasks: ${tasks[0].name}, …` : `Tasks ${name}`;

/* What is measured for a task of a network is called after it, by the first network that has it. */
function nameTasks(data) {
  data.titles = new Map();
  for (const { network, name, tasks } of data.networks)
    for (const task of tasks) {
      const place = data.landscapes[task.landscape]?.name;
      if (network && place && !data.titles.has(place)) data.titles.set(place, `${name}: ${task.name}`);
    }
}

/* Outcomes of recordings and simulations have no noise. */
const isMeasured = (data, { tasks }) =>
  tasks.some(({ landscape }) => !/^(sim|recorded):/.test(data.landscapes[landscape]?.on ?? ""));
const howSure = (data, network) => (isMeasured(data, network) ? [sure("estimated")] : [sure("exact"), " for these runs"]);

/* By its tuner, and by its seed where that is needed. */
function tuningName(data, { tunings }, tuning) {
  const alike = tunings.filter((one) => one.contender === tuning.contender);
  return nameOf(data, tuning) + (alike.length > 1 ? `, seed ${tuning.seed}` : "");
}

/* ---- Latency ---- */

/* A step function, at each x of all of them; nothing behind its end. */
function stepsAt(xs, { trial, seconds }) {
  let at = 0;
  return xs.map((x) => {
    while (at + 1 < trial.length && trial[at + 1] <= x) at++;
    return trial.length && x <= trial.at(-1) ? 1e3 * seconds[at] : null;
  });
}

function addLatency(parent, data, network, id) {
  const tunings = network.tunings.filter(({ trial }) => trial.length);
  if (!tunings.length) return;
  /* Behind the end of a line is a row without it, to which the last step would be drawn: it stands at the end. */
  const xs = [...new Set(tunings.flatMap(({ trial }) => [...trial, trial.at(-1) + 1e-6]))].sort((a, b) => a - b);
  xs.pop();
  const what = network.aim === "sum" ? "latency of the whole" : "geometric mean of the latencies";
  const left = tunings[0].tasks.filter(({ after }) => !isNumber(after)).length;
  addFigure(parent, {
    id: `${id}-latency`,
    title: network.aim === "sum" ? "Predicted latency" : "Geometric mean of the latencies",
    controls: { logY: { label: "logarithmic", checked: isWide(tunings.flatMap(({ seconds }) => seconds)) } },
    spec: ({ logY }) => ({
      x: xs,
      xLabel: "trials of all tasks",
      yLabel: `${what}, ms`,
      logY,
      step: true,
      format: (y) => short(y, 5),
      series: tunings.map((tuning) => ({
        name: tuningName(data, network, tuning),
        y: stepsAt(xs, tuning),
        color: network.tunings.indexOf(tuning),
      })),
    }),
    caption: [
      network.aim === "sum" ? "Sum over the tasks of weight × time of the best trial so far: " : "Over the best trials so far: ",
      ...(isMeasured(data, network)
        ? [
            sure("estimated"),
            ", without an interval: the best of many noisy trials is lower on average than its kernel is",
            network.network ? ", and kernels are measured alone. " : ". ",
          ]
        : [sure("exact"), " for these runs. "]),
      "A task counts with its first success until a better one",
      left ? `; ${count(left, "task")} without a success ${left === 1 ? "is" : "are"} left out.` : ".",
    ],
  });
}

/* ---- Shares ---- */

const taskOrder = (tuning) =>
  [...tuning.tasks.keys()].sort((a, b) => (costOf(tuning.tasks[b], "after") ?? -1) - (costOf(tuning.tasks[a], "after") ?? -1));

const percentOf = (share) => (share === null ? null : 100 * share);

/* The number behind a name such as "Conv+Relu (12)" is that of the kernel in the library; a few operators have short
 * names. */
function tickOf({ network, tasks }, i) {
  if (network) return tasks[i].name.match(/\((\d+)\)$/)?.[1] ?? String(i);
  return tasks.length <= 8 && tasks.every(({ name }) => name.length <= 10) ? tasks[i].name : String(i + 1);
}

function shareSpec(network, tuning) {
  const timed = taskOrder(tuning).filter((i) => isNumber(tuning.tasks[i].after));
  const order = timed.length ? timed : taskOrder(tuning);
  const drawn = order.slice(0, mostTasksDrawn);
  const rest = order.slice(mostTasksDrawn);
  const column = (when) => [
    ...drawn.map((i) => percentOf(shareOf(tuning, tuning.tasks[i], when))),
    ...(rest.length ? [percentOf(sum(rest.map((i) => shareOf(tuning, tuning.tasks[i], when) ?? 0)))] : []),
  ];
  return {
    kind: "columns",
    x: [...drawn, ...(rest.length ? [null] : [])].map((_, i) => i),
    categories: [...drawn.map((i) => tickOf(network, i) + (isUntuned(network, tuning.tasks[i]) ? "*" : "")), ...(rest.length ? ["…"] : [])],
    names: [
      ...drawn.map((i) => tuning.tasks[i].name + (isUntuned(network, tuning.tasks[i]) ? "* (default kernel)" : "")),
      ...(rest.length ? [`the other ${rest.length}`] : []),
    ],
    fromZero: true,
    xLabel: network.network ? "number of the task" : "task",
    xName: "task",
    yLabel: "share of the sum of weight × time, %",
    format: (y) => (isNumber(y) ? `${y.toFixed(1)} %` : "–"),
    series: [
      { name: "before tuning", y: column("before"), color: "soft" },
      { name: "after tuning", y: column("after"), color: 0 },
    ],
  };
}

function addShares(parent, data, network, id) {
  const { tunings } = network;
  const untuned = tunings.some(({ tasks }) => tasks.some((task) => isUntuned(network, task)));
  const options = tunings.map((tuning, i) => [String(i), tuningName(data, network, tuning)]);
  addFigure(parent, {
    id: `${id}-shares`,
    title: "Share of each task",
    controls: tunings.length > 1 ? { tuning: { label: "tuned by", options } } : {},
    spec: ({ tuning = "0" }) => shareSpec(network, tunings[Number(tuning)]),
    caption: [
      "Before: the first trial of each task that succeeded, which of a network is the analytic start; after: its best trial: ",
      howSure(data, network),
      ". The largest are to the left; the table has all.",
      untuned ? " * the task keeps its default kernel, that without tuning: no trial was better; the table says why." : "",
    ],
  });
}

/* ---- Latency and memory ---- */

function memorySpec(data, network, tunings) {
  const groups = tunings.flatMap((tuning) => {
    const color = network.tunings.indexOf(tuning);
    const name = tunings.length > 1 ? `${tuningName(data, network, tuning)}: ` : "";
    const { bytes, seconds, before, after } = tuning.memory;
    const point = (one) => [[megabytes(one.bytes), 1e3 * one.seconds]];
    return [
      { name: `${name}front`, color, mark: "dot", points: bytes.map((x, i) => [megabytes(x), 1e3 * seconds[i]]) },
      { name: `${name}before tuning`, color, mark: "ring", points: point(before) },
      { name: `${name}best of each task`, color, mark: "square", points: point(after) },
    ];
  });
  const rows = groups.flatMap(({ points }, group) => points.map(([x, y]) => ({ x, y, group }))).sort((a, b) => a.x - b.x);
  const room = 0.03 * (rows.at(-1).x - rows[0].x || rows[0].x || 1);
  rows.unshift({ x: rows[0].x - room });
  rows.push({ x: rows.at(-1).x + room });
  return {
    kind: "front",
    x: rows.map(({ x }) => x),
    xLabel: "memory, MB",
    yLabel: "predicted latency, ms",
    series: groups.map(({ name, color, mark }, group) => ({
      name,
      color,
      mark,
      y: rows.map((row) => (row.group === group ? row.y : null)),
    })),
  };
}

function addMemory(parent, data, network, id) {
  const tunings = network.tunings.filter(({ memory }) => memory?.bytes.length);
  if (!tunings.length) return;
  const [{ memory, tasks }] = tunings;
  const excess = Math.max(...tunings.map((tuning) => tuning.memory.excess));
  const without = tasks.length - memory.after.tasks;
  addFigure(parent, {
    id: `${id}-memory`,
    title: "Front of latency and memory",
    spec: memorySpec(data, network, tunings),
    caption: [
      `Choices of one measured kernel for each task that no other choice dominates, of ${whole(sum(tunings.map((one) => one.memory.kernels)))} kernels. `,
      `Memory: arena (${short(megabytes(memory.arena))} MB) and weights (${short(megabytes(memory.weights))} MB), `,
      "weights in the layouts of the kernels, and the largest scratch memory of a kernel: ",
      sure("exact"),
      ". The front ",
      excess
        ? [sure("bounded"), `: each choice needs at most what is shown, and at most ${short(megabytes(excess))} MB less`]
        : ["is that of all choices: ", sure("exact")],
      " for the measured times, which are ",
      sure("estimated"),
      without ? `. ${count(without, "task")} without a success ${without === 1 ? "is" : "are"} left out.` : ".",
    ],
  });
}

/* ---- The table ---- */

function addTaskTable(parent, data, network, tuning) {
  const hasFinals = tuning.tasks.some(({ final }) => isNumber(final));
  const most = Math.max(...tuning.tasks.flatMap((task) => [shareOf(tuning, task, "before"), shareOf(tuning, task, "after")]));
  const rows = taskOrder(tuning).map((i) => {
    const task = tuning.tasks[i];
    const share = (when) => shareOf(tuning, task, when);
    const name = task.landscape === undefined ? task.name : el("a", { href: `#landscape-${task.landscape}` }, task.name);
    return [
      { text: name, class: "name" },
      short(task.weight),
      { text: kernelText(network, task), class: isUntuned(network, task) ? "soft" : "" },
      task.failed ? `${whole(task.trials)} (${whole(task.failed)} failed)` : whole(task.trials),
      timeText(task.before),
      percent(share("before")),
      timeText(task.after),
      percent(share("after")),
      {
        text: strip(share("after"), null, null, {
          from: 0, to: most || 1, color: isUntuned(network, task) ? "var(--soft)" : "var(--c0)", marks: [share("before")],
        }),
        class: "strip",
      },
      ...(hasFinals ? [between(task.final, task.low, task.high, timeText)] : []),
    ];
  });
  const total = [
    { text: "sum", class: "name" }, "", "", whole(tuning.trials),
    timeText(totalOf(tuning, "before")), "", timeText(totalOf(tuning, "after")), "", { text: "", class: "strip" },
    ...(hasFinals ? [timeText(finalSum(tuning))] : []),
  ];
  total.class = "exact";
  parent.append(
    table(
      ["<task", "weight", "<kernel", "trials", "before", "share", "after", "share", "", ...(hasFinals ? ["finals"] : [])],
      [...rows, total],
      [
        `${tuningName(data, network, tuning)}, ${count(tuning.trials, "trial")} in ${count(tuning.rounds, "round")}. `,
        "Times of one execution, ",
        howSure(data, network),
        "; shares of the sum of weight × time, dot after and dashed line before tuning",
        tuning.tasks.some((task) => isUntuned(network, task))
          ? "; a default kernel, grey, is that which the task has without tuning"
          : "",
        hasFinals
          ? "; finals: the winner measured again beside the next best, a median with its 95 % interval, which hardly has the bias of the best of many; the sum takes the best trial where there are none."
          : ".",
      ],
      { class: "wide" },
    ),
  );
}

/* ---- A network ---- */

/* What tuning gained, as far as the digits show it. */
function tuningGainText(before, after) {
  const times = short(before / after, 3);
  return times === "1" ? "which gained nothing" : `${times} times as fast`;
}

function sayInShort(data, network) {
  const [best] = [...network.tunings].sort((a, b) => (a.seconds.at(-1) ?? Infinity) - (b.seconds.at(-1) ?? Infinity));
  if (!best.seconds.length) return "No trial of any task succeeded.";
  const [before, after] = [best.seconds[0], best.seconds.at(-1)];
  const by = network.tunings.length > 1 ? ` by ${tuningName(data, network, best)}` : "";
  const finals = network.aim === "sum" && best.tasks.some(({ final }) => isNumber(final));
  const known = best.tasks.filter(({ after }) => isNumber(after)).length;
  const untuned = best.tasks.filter((task) => isUntuned(network, task)).length;
  const parts = [
    ...(known < best.tasks.length ? [`${whole(known)} with a success`] : []),
    ...(untuned ? [`${whole(untuned)} with the default kernel still`] : []),
  ];
  const some = parts.length ? ` (${parts.join(", ")})` : "";
  return [
    `${count(best.tasks.length, "task")}${some}; ${network.aim === "sum" ? "predicted latency" : "geometric mean"} `,
    `${timeText(before)} before tuning and ${timeText(after)} after ${count(best.trials, "trial")}${by}, ${tuningGainText(before, after)}`,
    finals ? `; ${timeText(finalSum(best))} with the medians of the finals: ` : ": ",
    howSure(data, network),
    ".",
  ];
}

function addNetwork(parent, data, network, number) {
  const id = `network-${number}`;
  const section = el("section", { id }, el("h2", {}, networkTitle(network)));
  section.append(el("p", { class: "soft" }, sayInShort(data, network)));
  parent.append(section);
  const grid = el("div", { class: "figures" });
  section.append(grid);
  addLatency(grid, data, network, id);
  addShares(grid, data, network, id);
  addMemory(grid, data, network, id);
  network.tunings.forEach((tuning, i) => {
    if (i === 0) addTaskTable(section, data, network, tuning);
    else addFolded(section, `Tasks of ${tuningName(data, network, tuning)}`, false, (inside) => addTaskTable(inside, data, network, tuning));
  });
}

const addNetworks = (parent, data) => networksOf(data).forEach((network, i) => addNetwork(parent, data, network, i));
