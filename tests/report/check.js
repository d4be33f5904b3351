/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* Runs in a copy of a page: draws all charts and compares what they hold with the JSON of `opevo analyze`. */
(function () {
  const { data, figures, drawAll } = window.opevoReport;
  const expected = JSON.parse(document.getElementById("expected").textContent);
  const wrong = [];
  let compared = 0;
  const same = (what, a, b) => {
    compared++;
    if (!(a === b || (a == null && b == null))) wrong.push(`${what}: ${a} for ${b}`);
  };
  drawAll();

  for (const figure of figures) {
    if (!figure.chart) wrong.push(`${figure.id}: no chart`);
    else if (!figure.place.querySelector("canvas")) wrong.push(`${figure.id}: no canvas`);
    figure.chart?.data[0].forEach((x, i, all) => i && !(x >= all[i - 1]) && wrong.push(`${figure.id}: x falls`));
  }
  if (document.querySelector("main img:not([src^='data:image/svg+xml,'])")) wrong.push("an image from a name");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  for (const one of document.querySelectorAll("figure")) if (!one.querySelector("figcaption")?.textContent) wrong.push("no caption");
  for (const one of document.querySelectorAll("table.data")) if (!one.closest("figure")) wrong.push("a table without a caption");
  if (/undefined|NaN|\[object/.test(document.querySelector("main").innerText)) wrong.push("undefined or NaN in the text");

  /* Pointing at a chart reads its numbers, dragging zooms, a double click goes back, a click on a name hides its line. */
  async function handle() {
    const { chart } = figures.find((figure) => figure.spec.x.length > 5 && !figure.spec.categories);
    const pause = () => new Promise((done) => setTimeout(done, 100));
    const mouse = (kind, share, target) => {
      const box = chart.over.getBoundingClientRect();
      target.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: 0, view: window, movementX: 1,
        clientX: box.left + share * box.width, clientY: box.top + box.height / 2 }));
    };
    await pause();
    const { min, max } = chart.scales.x;
    mouse("mousemove", 0.5, chart.over);
    await pause();
    if (!(chart.cursor.idx > 0)) wrong.push(`pointing reads ${chart.cursor.idx}`);
    mouse("mousedown", 0.5, chart.over);
    mouse("mousemove", 0.8, chart.over);
    mouse("mouseup", 0.8, document);
    await pause();
    if (!(chart.scales.x.min > min && chart.scales.x.max < max)) wrong.push("dragging does not zoom");
    mouse("dblclick", 0.5, chart.over);
    await pause();
    same("zoomed back to", chart.scales.x.min, min);
    same("zoomed back to", chart.scales.x.max, max);
    chart.root.querySelectorAll(".u-legend .u-series th")[1].click();
    if (chart.series[1].show) wrong.push("a click on a name does not hide its line");
  }

  const { analysis } = data.landscape ?? {};
  if (analysis) {
    const improvement = figures.find((figure) => figure.id === "improvement");
    const select = improvement.place.parentElement.querySelector("select");
    for (const measure of ["probability", "gain"]) {
      select.value = measure;
      select.dispatchEvent(new Event("change"));
      analysis.topologies.forEach((one, k) => one.improvement.forEach((at, i) =>
        same(`${measure} of ${one.topology} at ${at.q}`, improvement.chart.data[k + 1][i], at[measure])));
    }
    if (!document.getElementById("topologies")) wrong.push("no table of topologies");
  }
  if (expected) {
    expected.landscapes.forEach((place, k) => {
      const charts = Object.fromEntries(figures.map((figure) => [figure.id, figure.chart]));
      for (const [id, member] of [["convergence", "mean"], ["ecdf", "ecdf"]]) {
        const chart = charts[`landscape-${k}-${id}`];
        place.tuners.forEach((tuner) => {
          const line = chart.series.findIndex((series) => series.label === tuner.name);
          if (line < 0) return; /* not among the first that are shown */
          tuner.points.forEach((point, i) => {
            same("trials", chart.data[0][i], point.trials);
            same(`${id} of ${tuner.name} at ${point.trials}`, chart.data[line][i], point[member]);
          });
        });
        const random = chart.series.findIndex((series) => series.label === "random search (exact)");
        place.random.points.forEach((point, i) => same(`random ${id}`, chart.data[random][i], point[member]));
      }
      const sweep = charts[`landscape-${k}-sweep-opevo-q`];
      const spec = figures.find((figure) => figure.chart === sweep).spec;
      spec.series.filter((series) => series.color !== "exact").forEach((series) => spec.x.forEach((q, i) => {
        const name = place.tuners.find((one) => one.tuner === "opevo" &&
          one.settings.includes(`q=${q} `) && one.settings.includes(series.name));
        const point = name.points.find((one) => one.trials === place.compared_at);
        same("sweep", series.y[i], point.mean);
        same("sweep low", series.low[i], point.interval[0]);
        same("sweep high", series.high[i], point.interval[1]);
      }));
    });
    if (compared < 100) wrong.push(`only ${compared} numbers compared`);
  }
  handle().then(() => {
    const verdict = document.createElement("pre");
    verdict.id = "verdict";
    verdict.textContent = wrong.length ? wrong.slice(0, 8).join("; ")
      : `good: ${figures.length} charts, ${compared} numbers compared`;
    document.body.append(verdict);
  });
})();
