// What the theme leaves out for those who read by ear or by keyboard: names, and boxes that scroll.
"use strict";

const BOXES = ".md-typeset__scrollwrap, .formula, .dataframe, .md-content p:has(> img)";

const complete = () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll("nav.md-code__nav").forEach((copy, place) => {
    copy.setAttribute("aria-label", `Code ${place + 1}`);
  });
  for (const box of document.querySelectorAll(BOXES)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};

new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", complete);
addEventListener("load", complete);
