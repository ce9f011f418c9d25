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
    make("h2", { textContent: `${cell.label} on ${cell.network}` }),
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
