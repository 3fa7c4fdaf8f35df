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
    const acts = actsOf(sides);
    view.replaceChildren(title, diff && diff.same ? differences(diff) : "", make("div", { class: "compared" }, ...sides), acts,
      make("div", { class: "compared" }, ...sides.map((side) => all("section.part", side).pop())),
      !diff ? differ(dirs) : diff.same ? "" : differences(diff));
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
  side.run = { dir: row.dir, texts: textsOf(side) };
  for (const part of all("section.part", side)) {
    if (!/(steps|details)$/.test(part.id)) part.remove();
  }
  find(".parts", side).remove();
  find(".crumb", side).replaceChildren(make("a", { href: linkOf(row) }, row.id));
  const title = find("h1", side);
  title.replaceWith(make("h2", { class: "side-title" }, title.textContent));
  leadToRun(side, row);
  for (const named of all("[id], [aria-labelledby]", side)) {
    named.removeAttribute("id");
    named.removeAttribute("aria-labelledby");
  }
  return side;
}
// Lets the links within the page of a run lead to that run from elsewhere.
function leadToRun(part, row) {
  for (const anchor of all("a[href^='#r']", part)) {
    const at = anchor.getAttribute("href").replace(/^#r\d*-/, "");
    anchor.setAttribute("href", `${linkOf(row)}?at=${readable(at)}`);
  }
}
// What a row says but for how long its step took: durations do not count.
const lasting = (part) => [...part.children].filter((cell) => !cell.matches(".time")).map((cell) => cell.textContent).join("|");
// Draws the bars of both sides by one scale: the longest step of either is a whole bar.
function scaleAlike(sides) {
  for (const kind of ["time", "wide"]) {
    const cells = sides.flatMap((side) => all(`td.${kind}[data-sec]`, side));
    const longest = Math.max(...cells.map((cell) => Number(cell.dataset.sec)));
    for (const cell of cells) {
      const bar = find("rect:not(.track)", cell);
      if (bar && longest > 0) bar.setAttribute("width", `${100 * Number(cell.dataset.sec) / longest}%`);
    }
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
// The acts of two runs, those of the same step and tool beside each other, and what differs inside.
function actsOf(sides) {
  const acts = sides.map((side) => all("tr.did", side).map((row) => {
    row.remove();
    const act = find("details", row);
    act.name = [row.dataset.step, find("summary code", act).textContent].join(" ");
    act.words = find("summary", act).textContent.replace(find("summary .took", act)?.textContent ?? "", "");
    return act;
  }));
  const number = acts[0].length + acts[1].length;
  if (!number) return "";
  const pairs = aligned(...acts);
  const rows = pairs.map((pair) => {
    const isUnlike = !pair[0] || !pair[1] || pair[0].words !== pair[1].words;
    const cells = pair.map((act, at) => {
      const cell = make("td", { class: "act-side did" }, act || make("span", { class: "dim" }, "\u2013"));
      cell.run = sides[at].run;
      return cell;
    });
    const row = make("tr", { class: isUnlike ? "is-unlike" : null }, ...cells);
    if (pair[0] && pair[1]) pair.forEach((act, at) => act.addEventListener("toggle", () => openBoth(row, pair, at)));
    return row;
  });
  const unlike = rows.filter((row) => row.matches(".is-unlike")).length;
  return make("section", { class: "part acts" }, make("h2", {}, "Acts"),
    make("p", { class: "note" }, unlike ? `${count.format(unlike)} of ${plural(rows.length, "act")} differ` : `${plural(rows.length, "act")}, none differs`),
    make("table", {}, make("thead", {}, make("tr", {}, ...sides.map((side) => make("th", { scope: "col" }, find(".crumb", side).textContent)))),
      make("tbody", {}, ...rows)));
}
// Two lists of acts in pairs: the longest sequence of the same names that both have, and the others alone.
function aligned(left, right) {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let a = left.length - 1; a >= 0; a -= 1) {
    for (let b = right.length - 1; b >= 0; b -= 1) {
      lengths[a][b] = left[a].name === right[b].name ? lengths[a + 1][b + 1] + 1 : Math.max(lengths[a + 1][b], lengths[a][b + 1]);
    }
  }
  const pairs = [];
  for (let a = 0, b = 0; a < left.length || b < right.length;) {
    const isPair = a < left.length && b < right.length && left[a].name === right[b].name;
    if (isPair) pairs.push([left[a++], right[b++]]);
    else if (b >= right.length || (a < left.length && lengths[a + 1][b] >= lengths[a][b + 1])) pairs.push([left[a++], null]);
    else pairs.push([null, right[b++]]);
  }
  return pairs;
}
// Opens and closes two acts together, and says where their values differ.
async function openBoth(row, pair, at) {
  pair[1 - at].open = pair[at].open;
  if (row.isCompared) return;
  row.isCompared = true;
  const events = await Promise.all(pair.map((act) => {
    const values = find(".values", act);
    return values && eventOn(Number(values.dataset.line), act.closest(".act-side").run);
  })).catch(() => []);
  if (!events[0] || !events[1]) return;
  const [left, right] = events.map(({ payload: { input, output, error } }) => new Map(leavesOf({ input, output, error })));
  const unlike = [...new Set([...left.keys(), ...right.keys()])].filter((place) => left.get(place) !== right.get(place));
  if (!unlike.length) return;
  const shown = (text) => make("td", {}, make("code", {}, text === undefined ? "\u2013" : short(plain(text), 300)));
  row.after(make("tr", { class: "inside" }, make("td", { colspan: 2 }, make("table", {}, make("caption", {}, plural(unlike.length, "difference")),
    make("tbody", {}, ...unlike.slice(0, 50).map((place) => make("tr", {}, make("th", { scope: "row" }, place), shown(left.get(place)), shown(right.get(place)))))))));
}
// The values of a value that have no parts, each with its place.
function leavesOf(value, place = "") {
  if (value === undefined) return [];
  if (value === null || typeof value !== "object" || isRaw(value)) return [[place, typeof value === "string" ? value : JSON.stringify(value)]];
  const parts = Object.entries(value);
  return parts.length ? parts.flatMap(([name, part]) => leavesOf(part, place ? `${place}.${name}` : name)) : [[place, JSON.stringify(value)]];
}
// A path as a word of a shell.
const quoted = (path) => (/^[\w./:@-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`);
// Only the records have all differences, and a file does not hold them.
const differ = (dirs) => make("p", { class: "notice" }, "All differences: ", make("code", {}, `runvet diff ${dirs.map(quoted).join(" ")}`));
const MAX_OPEN_DIFFERENCES = 12;
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
    : make("details", { class: "panel unlike", open: differences.length <= MAX_OPEN_DIFFERENCES },
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
