// The pages of two runs -> the two side by side.

// Two runs side by side: what their headers and steps say, and where they differ.
async function pageOf(dir) {
  const page = await source.run(dir);
  if (page.text === undefined) throw new Error(`${page.row.id} has no page in this file.`);
  return page;
}
function showCompared(params) {
  const view = find("#compare");
  const wanted = location.hash;
  const dirs = ["left", "right"].map((name) => params.get(name) || "");
  const asked = [...dirs.map(pageOf), live ? live.diff(...dirs) : null];
  const title = make("h1", { id: "compare-title" }, "Two runs side by side");
  view.replaceChildren(title);
  reading(view, false);
  Promise.all(asked).then(([left, right, diff]) => {
    if (location.hash !== wanted) return;
    endReading(view);
    const sides = [sideOf(left), sideOf(right)];
    markUnlike(sides);
    view.replaceChildren(title, diff ? differences(diff) : differ(dirs), make("div", { class: "compared" }, ...sides));
    window.scrollTo(0, 0);
  }, (error) => {
    if (location.hash !== wanted) return;
    endReading(view);
    view.replaceChildren(title, make("p", { class: "notice", role: "status" }, error.message));
  });
}
function sideOf({ row, text }) {
  const side = make("div", { class: "side" });
  side.innerHTML = policy.createHTML(text);
  for (const part of all("section.part", side)) {
    if (!/(steps|details)$/.test(part.id)) part.remove();
  }
  find(".parts", side).remove();
  find(".crumb", side).replaceChildren(make("a", { href: linkOf(row) }, row.id));
  const title = find("h1", side);
  title.replaceWith(make("h2", { class: "side-title" }, title.textContent));
  for (const anchor of all("a[href^='#r']", side)) {
    const at = anchor.getAttribute("href").replace(/^#r\d*-/, "");
    anchor.setAttribute("href", `${linkOf(row)}?at=${readable(at)}`);
  }
  for (const named of all("[id], [aria-labelledby]", side)) {
    named.removeAttribute("id");
    named.removeAttribute("aria-labelledby");
  }
  return side;
}
// What a row says but for how long its step took: durations do not count.
const lasting = (part) => [...part.children].filter((cell) => !cell.matches(".time")).map((cell) => cell.textContent).join("|");
// Draws the bars of both sides by one scale: the longest step of either is a whole bar.
function scaleAlike(sides) {
  const cells = sides.map((side) => all("td.time[data-sec]", side));
  const longest = Math.max(...cells.flat().map((cell) => Number(cell.dataset.sec)));
  for (const cell of cells.flat()) {
    const bar = find("rect:not(.track)", cell);
    if (bar && longest > 0) bar.setAttribute("width", `${100 * Number(cell.dataset.sec) / longest}%`);
  }
}
function markUnlike(sides) {
  scaleAlike(sides);
  for (const [selector, key] of [[".figures > div", "dt"], ["table.plan tbody tr:not(.did)", "th"]]) {
    const known = sides.map((side) => new Map(all(selector, side).map((part) => [find(key, part).textContent, part])));
    known.forEach((parts, at) => {
      for (const [name, part] of parts) {
        const other = known[1 - at].get(name);
        const isExpected = ["directory", "started", "duration"].includes(name) || /(_ms|_sec)$/.test(name);
        const isUnlike = !other || lasting(other) !== lasting(part);
        if (isUnlike && !isExpected) part.classList.add("is-unlike");
      }
    });
  }
}
// A path as a word of a shell.
const quoted = (path) => (/^[\w./:@-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`);
// Only the records have all differences, and a file does not hold them.
const differ = (dirs) => make("p", { class: "notice" }, "All differences: ", make("code", {}, `runvet diff ${dirs.map(quoted).join(" ")}`));
function differences({ same, differences, more }) {
  const shown = (value) => {
    // What is absent is null there.
    const text = value === null ? "\u2013" : JSON.stringify(value);
    return text.length > 300 ? `${text.slice(0, 300)}\u2026` : text;
  };
  const rows = differences.map(({ pointer, left, right }) => make("tr", {},
    make("th", { scope: "row" }, make("code", {}, pointer)),
    ...[left, right].map((value) => make("td", {}, make("code", {}, shown(value))))));
  const heads = ["place", "left", "right"].map((head) => make("th", { scope: "col" }, head));
  const what = plural(differences.length + more, "difference");
  return same ? make("p", { class: "notice" }, "Nothing that counts differs.")
    : make("details", { class: "panel unlike", open: true },
      make("summary", {}, `${what}; ids, times, durations and digests do not count`),
      make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": what },
        make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))));
}
// The latest valid run of the same task that started before a run.
async function lastGood(row) {
  const isBefore = (other) => other.dir !== row.dir && other.valid && other.started_sec < row.started_sec;
  const asked = new URLSearchParams([["valid", "yes"], ["sort", "-started"], ["task", row.task]]);
  if (row.started_sec !== undefined) asked.set("until", new Date(row.started_sec * 1000).toISOString());
  const rows = live ? (await live.list(asked)).items : select(asked);
  return rows.find(isBefore);
}
function comparer(row) {
  const button = make("button", {
    type: "button", title: "Compare with the latest valid run of the same task that started before",
    onclick: async () => {
      const good = row.task && await lastGood(row).catch(() => null);
      if (good) location.hash = comparing(good.dir, row.dir);
      else button.textContent = "No earlier valid run of this task";
    },
  }, "Compare");
  return button;
}
