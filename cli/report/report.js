/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The page: its data stand in the element "data". What a program may want to read of it is in window.opevoReport. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("report");
  main.append(el("h1", {}, data.title));
  ({ study: studyPage, run: runPage, landscape: landscapePage, watch: window.watchPage })[data.kind](main, data);
  followWindow();
  window.opevoReport = { data, figures, drawAll };
})();
