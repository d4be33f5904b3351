/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";

/* The page: its data stand in the element "data". What a program may want to read of it is in window.opevoReport. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("report");
  main.append(el("h1", {}, data.title));
  (data.kind === "study" ? studyPage : landscapePage)(main, data);
  const pictures = data.pictures.map((picture) =>
    el("figure", {}, el("img", { alt: picture.name, src: `data:image/svg+xml,${encodeURIComponent(picture.svg)}` }),
      el("figcaption", {}, picture.name)));
  if (pictures.length) main.append(el("h2", { id: "pictures" }, "Pictures"), el("div", { class: "laws" }, pictures));
  followWindow();
  window.opevoReport = { data, figures, drawAll };
})();
