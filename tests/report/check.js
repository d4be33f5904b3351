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
  /* What a chart draws for a series at a row; column 0 is x. */
  const drawn = (chart, row, column) => {
    const value = chart.getValue(row, column);
    return Array.isArray(value) ? value[1] : value; /* between its bounds */
  };
  /* A category whose name is markup. */
  const markup = "<img src=x onerror=console.error(2)> & <b>";
  addFigure(document.querySelector(".figures") ?? document.querySelector("main"), { id: "markup", title: "markup", caption: "markup", spec: {
    x: [0, 1], categories: [markup, "b"], yLabel: markup, xLabel: markup, series: [{ name: markup, y: [1, 2], color: 0 }] } });
  drawAll();
  const own = figures.pop().place;
  const labels = [...own.querySelectorAll(".dygraph-axis-label-x")].map((one) => one.textContent);
  if (!labels.includes(markup)) wrong.push(`a category is labelled ${labels}`);
  if (own.querySelector("img, b")) wrong.push("a name makes elements");
  own.parentElement.remove();

  for (const figure of figures) {
    if (!figure.chart) wrong.push(`${figure.id}: no chart`);
    else if (!figure.place.querySelector("canvas")) wrong.push(`${figure.id}: no canvas`);
    figure.spec.x.forEach((x, i, all) => {
      same(`x of ${figure.id}`, figure.chart?.getValue(i, 0), x);
      if (i && !(x >= all[i - 1])) wrong.push(`${figure.id}: x falls`);
    });
  }
  /* What is painted on a chart stands where its axis says, on a logarithmic one too. */
  for (const { id, chart } of figures)
    for (const points of chart.layout_.points)
      for (const { xval, canvasx } of points)
        if (Math.abs(domX(chart, xval) - canvasx) > 0.01) wrong.push(`${id}: ${xval} at ${domX(chart, xval)} for ${canvasx}`);
  if (document.querySelector("main img:not([src^='data:image/svg+xml,'])")) wrong.push("an image from a name");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  for (const one of document.querySelectorAll("figure")) if (!one.querySelector("figcaption")?.textContent) wrong.push("no caption");
  for (const one of document.querySelectorAll("table.data")) if (!one.closest("figure")) wrong.push("a table without a caption");
  if (/undefined|NaN|\[object/.test(document.querySelector("main").innerText)) wrong.push("undefined or NaN in the text");

  const loaded = performance.getEntriesByType("resource").filter((one) => !one.name.startsWith("data:"));
  if (loaded.length) wrong.push(`the page loads ${loaded[0].name}`);

  /* Paper has light charts of its own width. */
  dispatchEvent(new Event("beforeprint"));
  for (const { id, chart } of figures)
    if (chart.size().width !== 300) wrong.push(`${id} is ${chart.size().width} wide on paper`);
  dispatchEvent(new Event("afterprint"));
  for (const { id, place, chart } of figures) same(`width of ${id}`, chart.size().width, place.clientWidth);

  /* Pointing at a chart reads its numbers, dragging zooms, a double click goes back, a click on a name hides its line. */
  async function handle() {
    const { chart, place, spec } = figures.find((figure) => figure.spec.x.length > 5 && !figure.spec.categories);
    const area = place.querySelector(".plot canvas + canvas");
    const pause = () => new Promise((done) => setTimeout(done, 100));
    const mouse = (kind, share, target) => {
      const box = area.getBoundingClientRect();
      target.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: 0, view: window, movementX: 1,
        clientX: box.left + share * box.width, clientY: box.top + box.height / 2 }));
    };
    await pause();
    const [min, max] = chart.xAxisRange();
    mouse("mousemove", 0.5, area);
    await pause();
    const at = chart.getSelection();
    if (!(at > 0)) wrong.push(`pointing reads ${at}`);
    const cells = [...place.querySelectorAll(".legend td")].map((cell) => cell.textContent);
    same("x under the mouse", cells[0], short(spec.x[at], 6));
    const format = spec.format ?? ((y) => short(y, 5));
    if (!spec.x.some((x, i) => x === spec.x[at] && cells[1].startsWith(format(spec.series[0].y[i]))))
      wrong.push(`under the mouse: ${cells[1]}`);
    mouse("mousedown", 0.5, area);
    mouse("mousemove", 0.8, document);
    mouse("mouseup", 0.8, document);
    await pause();
    const zoomed = chart.xAxisRange();
    if (!(zoomed[0] > min && zoomed[1] < max)) wrong.push("dragging does not zoom");
    mouse("mousedown", 0.5, area);
    mouse("mouseup", 0.5, document);
    mouse("dblclick", 0.5, area);
    await pause();
    same("zoomed back to", chart.xAxisRange()[0], min);
    same("zoomed back to", chart.xAxisRange()[1], max);
    for (const one of figures) {
      const range = one.chart.yAxisRange().join();
      for (const shown of [false, true])
        one.place.querySelectorAll(".legend button").forEach((name, i) => {
          name.click();
          same(`a click on a name of ${one.id} shows its line`, one.chart.visibility()[i], shown);
          same("its name says so", name.getAttribute("aria-pressed"), String(shown));
        });
      same(`range of ${one.id} with all lines`, one.chart.yAxisRange().join(), range);
    }
  }

  /* A saved chart has what the page shows: its texts, and a path through the points of each line; and it can be made a
   * picture of twice its size. */
  async function saved() {
    const pictureOf = (url) =>
      new Promise((done, fail) => {
        const image = new Image();
        image.onload = () => done(image);
        image.onerror = () => fail(new Error("a saved chart is not a picture"));
        image.src = url;
      });
    for (const figure of figures) {
      const { id, chart, place, spec } = figure;
      const canvas = place.querySelector(".plot canvas");
      const before = canvas.toDataURL();
      const file = decodeURIComponent(svgUrl(drawingOf(figure)).split(",").slice(1).join(","));
      same(`${id} stays as it is`, canvas.toDataURL() === before, true);
      const root = new DOMParser().parseFromString(file, "image/svg+xml").documentElement;
      if (root.querySelector("parsererror") || /var\(|currentColor|NaN|undefined/.test(file)) wrong.push(`${id}: bad SVG`);
      const texts = [...root.querySelectorAll("text")].map((one) => one.textContent).join(" ");
      const words = [...place.querySelectorAll(".dygraph-axis-label, .legend, .axis")].flatMap((one) => one.innerText.split(/\s+/));
      for (const word of words) if (!texts.includes(word)) wrong.push(`${id} is saved without "${word}"`);
      const [, , width, height] = root.getAttribute("viewBox").split(" ").map(Number);
      for (const one of root.querySelectorAll("text"))
        if (!(one.getAttribute("x") >= 0 && one.getAttribute("x") < width && one.getAttribute("y") > 0 && one.getAttribute("y") < height))
          wrong.push(`${id}: "${one.textContent}" outside`);
      const paths = [...root.querySelectorAll("g g path")].map((one) => one.getAttribute("d")).join(" ");
      const lined = !spec.kind && !spec.categories && !spec.bars;
      for (const points of lined ? chart.layout_.points : [])
        for (const { canvasx: x, canvasy: y } of points)
          if (isNumber(x) && isNumber(y) && chart.layout_.points.length < 9)
            same(`${id} has the point ${x} ${y}`, paths.includes(`${digits2(x)} ${digits2(y)}`), true);
    }
    for (const button of document.querySelectorAll("figure .controls button")) {
      const { click } = HTMLAnchorElement.prototype;
      let link = null;
      HTMLAnchorElement.prototype.click = function () {
        link = { name: this.download, url: this.href };
      };
      button.click();
      for (let i = 0; i < 100 && !link; i++) await new Promise((done) => setTimeout(done, 20));
      HTMLAnchorElement.prototype.click = click;
      const kind = button.textContent.toLowerCase();
      if (!link?.name.endsWith(`.${kind}`)) wrong.push(`a button saves ${link?.name}`);
      else if (!((await pictureOf(link.url)).naturalWidth > 100)) wrong.push(`${link.name} has no size`);
    }
    const buttons = document.querySelectorAll("figure .controls button").length;
    const drawings = document.querySelectorAll(".chart, svg.drawing, svg.edits, .laws img").length;
    same("buttons that save", buttons, 2 * drawings);
  }

  if (expected?.page && !new RegExp(expected.page).test(document.querySelector("main").innerHTML.replace(/\n/g, "")))
    wrong.push("the page lacks what it must show");

  const { analysis } = data.landscape ?? {};
  if (analysis) {
    const improvement = figures.find((figure) => figure.id === "improvement");
    const select = improvement.place.parentElement.querySelector("select");
    for (const measure of ["probability", "gain"]) {
      select.value = measure;
      select.dispatchEvent(new Event("change"));
      analysis.topologies.forEach((one, k) => one.improvement.forEach((at, i) =>
        same(`${measure} of ${one.topology} at ${at.q}`, drawn(improvement.chart, i, k + 1), at[measure])));
    }
    if (!document.getElementById("topologies")) wrong.push("no table of topologies");
  }
  if (expected?.tasks) {
    const figureOf = (id) => figures.find((figure) => figure.id === `network-0-${id}`);
    const near = (what, a, b) => Math.abs(a / b - 1) < 1e-9 || wrong.push(`${what}: ${a} for ${b}`);
    const { chart, spec } = figureOf("latency");
    expected.tasks.forEach((tuned, k) => {
      near("latency in the end", drawn(chart, spec.x.length - 1, k + 1), 1e3 * tuned.aim_s);
      if (spec.series[k].y.some((y, i, all) => i && y > all[i - 1])) wrong.push("latency rises");
    });
    const shares = figureOf("shares");
    const select = shares.place.parentElement.querySelector("select");
    expected.tasks.forEach((tuned, k) => {
      select.value = String(k);
      select.dispatchEvent(new Event("change"));
      const sorted = tuned.tasks.map((task) => 100 * task.share).sort((a, b) => b - a);
      sorted.forEach((share, i) => near("share", drawn(shares.chart, i, 2), share));
      near("shares before", shares.spec.series[0].y.reduce((a, b) => a + b), 100);
    });
    const memory = figureOf("memory").spec;
    expected.tasks.forEach((tuned, k) => {
      const at = memory.x.flatMap((x, i) => (memory.series[3 * k].y[i] === null ? [] : [[x, memory.series[3 * k].y[i]]]));
      if (at.length < 2) wrong.push(`a front of ${at.length} points`);
      at.forEach(([, y], i) => i && !(y < at[i - 1][1]) && wrong.push("the front of memory rises"));
      near("the fastest of the front", at.at(-1)[1], 1e3 * tuned.aim_s);
    });
    if (!document.querySelector("#network-0 h2").textContent.includes("<b>&")) wrong.push("no name of the network");
    /* The best trial of the first task is the kernel without tuning. */
    const isDefault = (text) => text.startsWith("default: ");
    const cells = [...document.querySelectorAll("#network-0 table.data td")].map((cell) => cell.textContent);
    same("default kernels in the tables", cells.filter(isDefault).length, 1);
    const marks = shares.spec.names.filter((name) => name.endsWith("* (default kernel)")).length;
    select.value = "0";
    select.dispatchEvent(new Event("change"));
    same("default kernels of both charts", marks + shares.spec.names.filter((name) => name.endsWith("* (default kernel)")).length, 1);
    same("tables of tasks", document.querySelectorAll("#network-0 table.data").length, 1);
  } else if (expected?.front) {
    const { criteria, front, sample } = data.fronts[0];
    const charts = figures.filter(({ spec }) => spec.kind === "front");
    same("charts of fronts", charts.length, (criteria.length * (criteria.length - 1)) / 2);
    same("front", front.length, expected.front.length);
    for (const { id, spec } of charts) {
      const [nameX, nameY] = [spec.xLabel, spec.yLabel].map((label) => label.split(",")[0]);
      const shows = (one, x, y) => one.y.some((value, i) => spec.x[i] === x && value === y);
      for (const { criteria: values } of expected.front)
        if (!spec.series.slice(2).some((one) => shows(one, values[nameX], values[nameY])))
          wrong.push(`${id} lacks ${values[nameX]}, ${values[nameY]}`);
      same(`trials of ${id}`, spec.series[0].y.filter(isNumber).length, sample.length);
      /* The area below the border, by the shoelace formula, is the hypervolume. */
      const { stairs } = spec.series[1];
      const corners = [...stairs, spec.corner];
      const area = corners.reduce((sum, [x, y], i) => {
        const [nextX, nextY] = corners[(i + 1) % corners.length];
        return sum + (x * nextY - nextX * y) / 2;
      }, 0);
      const range = (name) => criteria.filter((one) => one.name === name).map(({ best, worst }) => worst - best)[0];
      const volume = Math.abs(area / range(nameX) / range(nameY));
      if (criteria.length === 2 && !(Math.abs(volume - expected.hypervolume) < 1e-9))
        wrong.push(`the area of ${id} is ${volume} for ${expected.hypervolume}`);
    }
  } else if (expected?.landscapes) {
    expected.landscapes.forEach((place, k) => {
      const figureOf = (id) => figures.find((figure) => figure.id === `landscape-${k}-${id}`);
      for (const [id, member] of [["convergence", "mean"], ["ecdf", "ecdf"]]) {
        const { chart, spec } = figureOf(id);
        const columnOf = (name) => spec.series.findIndex((series) => series.name === name) + 1;
        place.tuners.forEach((tuner) => {
          const line = columnOf(tuner.name);
          if (!line) return; /* not among the first that are shown */
          tuner.points.forEach((point, i) => {
            same("trials", chart.getValue(i, 0), point.trials);
            same(`${id} of ${tuner.name} at ${point.trials}`, drawn(chart, i, line), point[member]);
          });
        });
        const random = columnOf("random search (exact)");
        place.random.points.forEach((point, i) => same(`random ${id}`, drawn(chart, i, random), point[member]));
      }
      const { spec } = figureOf("sweep-opevo-q");
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
  Promise.resolve(figures.length && handle())
    .then(saved)
    .then(() =>
      wrong.length ? wrong.slice(0, 8).join("; ") : `good: ${figures.length} charts, ${compared} numbers compared`)
    .catch((error) => String(error.stack))
    .then((verdict) => parent.postMessage(verdict, "*"));
})();
