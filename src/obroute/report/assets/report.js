// What a page can do besides being read: sort and filter tables, show the worst traffic of a cell,
// and be dark. Without it everything is there, only still.
"use strict";

const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// ------------------------------------------------------------------------------ light and dark

const root = document.documentElement;
const remembered = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
const remember = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* a file */ } };
const isDark = () => getComputedStyle(root).colorScheme === "dark" ||
  (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
if (remembered()) root.dataset.theme = remembered();
const theme = make("button", { type: "button", className: "theme" });
const nameTheme = () => { theme.textContent = isDark() ? "Light page" : "Dark page"; };
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  remember(root.dataset.theme);
  nameTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
nameTheme();
document.querySelector("header").append(theme);

// ----------------------------------------------------------------------------- sort and filter

const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

for (const table of document.querySelectorAll("table.sortable")) {
  new Tablesort(table);
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const count = make("output", { textContent: `${rows.length} rows` });
  const box = make("input", { type: "search", placeholder: "words of a row, such as torus dor" });
  box.addEventListener("input", () => {
    const wanted = words(box.value);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !wanted.every((word) => texts[place].includes(word));
      shown += !row.hidden;
    });
    count.textContent = wanted.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
  });
  const frame = table.closest(".tall, .scroll") ?? table;
  frame.before(make("p", { className: "filter" }, make("label", {}, "Filter ", box), " ", count));
}

// --------------------------------------------------------------------------------- one cell

const held = document.getElementById("cells");
const known = held ? JSON.parse(held.textContent) : { names: {}, cells: [] };
const dialog = document.getElementById("cell");

const row = (kind, entries) => make("tr", {}, ...entries.map(
  (entry) => make(kind, { textContent: entry, className: "" })));

const table = (caption, heads, rows) => make("table", {},
  make("caption", { textContent: caption }),
  make("thead", {}, row("th", heads)),
  make("tbody", {}, ...rows.map((entries) => row("td", entries))));

const show = (cell) => {
  const name = (node) => known.names[cell.network]?.[node] ?? String(node);
  const parts = [
    make("h2", { textContent: cell.title }),
    make("p", { textContent:
      `Worst-case load: ${cell.load} (packets per cycle over bandwidth), on channel ` +
      `${cell.channel}.` }),
  ];
  if (cell.pairs.length) {
    parts.push(table("Who collides there: the pairs of the worst traffic that use the channel, and " +
      "what each adds.", ["Source", "Destination", "Adds"],
      cell.pairs.map(([source, destination, load]) => [name(source), name(destination), load])));
  }
  if (cell.others.length) {
    parts.push(table("The channels that can be loaded most.", ["Channel", "At most", "Known by"],
      cell.others));
  }
  if (cell.permutation.length) {
    parts.push(make("details", {}, make("summary", { textContent: "The whole permutation" }),
      table("Where each source sends.", ["Source", "Destination"],
        cell.sources.map((source, place) => [name(source), name(cell.permutation[place])]))));
  }
  dialog.querySelector("div").replaceChildren(...parts);
  dialog.showModal();
};

for (const button of document.querySelectorAll("button[data-cell]")) {
  button.hidden = false;
  button.addEventListener("click", () => show(known.cells[Number(button.dataset.cell)]));
}
dialog?.querySelector("button").addEventListener("click", () => dialog.close());
dialog?.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

// ------------------------------------------------------------------------------- pictures

const REACH = 12; // pixels from a point or line within which it is meant
const tip = make("div", { className: "tip", hidden: true, id: "tip" });
tip.setAttribute("role", "status");
const ring = make("div", { className: "ring", hidden: true });
document.body.append(tip);
let leaving;
const hide = () => { tip.hidden = ring.hidden = true; };
const stay = () => clearTimeout(leaving);
const leave = () => { stay(); leaving = setTimeout(hide, 300); };
tip.addEventListener("pointerenter", stay);
tip.addEventListener("pointerleave", leave);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

const cellOf = (spot) => spot.cell &&
  known.cells.find((cell) => cell.key === spot.cell);

// How far a point of the picture is from a place, in pixels: from a point or from a line's ends.
const distance = (x, y, [left, top, right = left, bottom = top]) => {
  const [across, down] = [right - left, bottom - top];
  const length = across * across + down * down;
  const along = length && ((x - left) * across + (y - top) * down) / length;
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(x - left - share * across, y - top - share * down);
};

for (const figure of document.querySelectorAll("figure:has(.spots)")) {
  const picture = figure.querySelector(".picture");
  const frame = figure.querySelector(".frame");
  const spots = [...figure.querySelectorAll(".spots li")].map((item) => ({
    text: item.textContent,
    cell: item.parentElement.dataset.cell,
    places: item.dataset.at.split(";").map((at) => at.split(" ").map(Number)),
  }));
  const pixels = (place, box) =>
    place.map((share, axis) => share / 100 * (axis % 2 ? box.height : box.width));
  let current = -1;

  const showSpot = (spot, place) => {
    stay();
    current = spots.indexOf(spot);
    const [left, top, right = left, bottom = top] = place;
    Object.assign(ring.style, { left: `${(left + right) / 2}%`, top: `${(top + bottom) / 2}%` });
    frame.append(ring);
    ring.hidden = tip.hidden = false;
    tip.textContent = spot.text;
    const at = ring.getBoundingClientRect();
    const below = at.bottom + tip.offsetHeight + 6 < innerHeight;
    Object.assign(tip.style, {
      left: `${Math.max(4, Math.min(at.right, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`,
      top: `${below ? at.bottom + 4 : at.top - tip.offsetHeight - 4}px`,
    });
  };

  const nearest = (event) => {
    const box = frame.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let found = { far: REACH };
    for (const spot of spots) {
      for (const place of spot.places) {
        const far = distance(x, y, pixels(place, box));
        if (far < found.far) found = { far, spot, place };
      }
    }
    return found;
  };

  frame.addEventListener("pointermove", (event) => {
    const { spot, place } = nearest(event);
    if (spot) showSpot(spot, place); else leave();
    frame.style.cursor = spot && cellOf(spot) ? "pointer" : "";
  });
  frame.addEventListener("pointerleave", leave);
  frame.addEventListener("click", (event) => {
    const { spot, place } = nearest(event);
    if (!spot) return;
    showSpot(spot, place);
    if (cellOf(spot)) show(cellOf(spot));
  });
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label",
    `Picture with ${spots.length} values: the arrows left and right go through them` +
    (spots.some(cellOf) ? ", Enter shows who collides" : ""));
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const spot = spots[(current + step + spots.length) % spots.length] ?? spots[0];
      showSpot(spot, spot.places[0]);
      ring.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Enter" && cellOf(spots[current] ?? {})) {
      event.preventDefault(); // else the same key presses what the dialog opens with
      show(cellOf(spots[current]));
    }
  });
  picture.addEventListener("blur", hide);
}
