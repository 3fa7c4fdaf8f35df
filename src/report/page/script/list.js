// Rows of runs -> the list of runs, and its filters.

// The list of runs.
const COLUMNS = [
  ["outcome", "ended"], ["id", "run"], ["valid", "findings"], ["started", "started (UTC)"],
  ["duration", "duration"], ["adapter", "adapter"], ["mode", "mode"],
];
// Metrics that have a column wherever a run of the page has them.
const FIGURES = ["score", "cost_usd", "tokens_in", "tokens_out"];
// The columns of a page of runs: those that no run fills are left out.
function columnsOf(params, shown) {
  const asked = metricIn(params);
  const sorted = (params.get("sort") || "").replace(/^-/, "");
  const known = FIGURES.filter((name) => name !== asked && shown.some((row) => metricOf(row, name) !== undefined));
  const figures = [asked, ...known].filter(Boolean).map((name) => [`metric:${name}`, name]);
  const others = COLUMNS.slice(5).filter(([name]) =>
    !["adapter", "mode"].includes(name) || sorted === name || shown.some((row) => row[name] !== undefined));
  return [...COLUMNS.slice(0, 5), ...figures, ...others];
}
let listed = source.rows;
let lastList = "#/runs";

// The cursors of pages that were shown, each with that of the page before.
const cursorBefore = new Map();
// Of the list that is shown: its address, the number of its runs, and whether all runs had been looked at.
let shownList = { address: "", total: 0, complete: false };
function showRuns(params, isFollowing = false) {
  // What was searched is as it was then: changes do not begin the search again.
  if (isFollowing && params.get("text")) return;
  lastList = link("runs", params);
  fillFilters(params);
  if (live) {
    const wanted = location.hash;
    const table = find("#runs .table");
    if (!isFollowing) {
      reading(table, true);
      if (shownList.address !== wanted) find("#runs .list-status").replaceChildren(...chips(params), toMarked);
    }
    const told = (page) => {
      if (location.hash !== wanted) return false;
      find("#runs .list-status").replaceChildren(`${soFar(page)} \u2026`, ...chips(params), toMarked);
      return true;
    };
    live.list(params, told).then((page) => {
      if (location.hash !== wanted) return;
      endReading(table);
      const arrived = isFollowing && shownList.address === wanted && shownList.complete ? arrivedIn(page) : 0;
      if (arrived) {
        const now = new Map(page.items.map((row) => [row.dir, row]));
        listed = listed.map((row) => now.get(row.dir) || row);
      } else {
        listed = page.items;
        shownList = { address: wanted, total: page.total, complete: page.complete };
      }
      const range = page.searched ? soFar(page) : page.total > listed.length
        ? `${count.format(listed.length)} of ${plural(page.total, "run")}` : plural(page.total, "run");
      const turn = (text, cursor, isOff) => turner(text, isOff, () => go(params, "cursor", cursor));
      const isFirst = !params.get("cursor");
      if (page.next) cursorBefore.set(page.next, params.get("cursor") || "");
      const before = cursorBefore.get(params.get("cursor"));
      drawRuns(params, listed, range, page.next || !isFirst
        ? [turn("First", "", isFirst), turn("Previous", before, before === undefined), turn("Next", page.next, !page.next)] : [], arrived,
        (page.complete ? "No run matches." : "No run matches so far.") + searched(params, page.searched), toTexts(params));
    }, (error) => {
      if (location.hash !== wanted) return;
      endReading(table);
      // What was known stays; that nothing matches can't be said.
      if (shownList.address === wanted) find("#runs .list-status").replaceChildren(safe(error.message), ...chips(params), toMarked);
      else drawRuns(params, [], error.message, [], 0, "The list can't be shown now. It comes by itself as soon as it can.");
    });
    return;
  }
  listed = select(params);
  const pages = Math.max(1, Math.ceil(listed.length / PER_PAGE));
  const page = Math.min(Math.max(1, Number(params.get("page")) || 1), pages);
  const from = (page - 1) * PER_PAGE;
  const shown = listed.slice(from, from + PER_PAGE);
  const range = listed.length > PER_PAGE
    ? `${count.format(from + 1)} to ${count.format(from + shown.length)} of ${plural(listed.length, "run")}`
    : plural(listed.length, "run");
  drawRuns(params, shown, range, pages > 1 ? pager(page, pages, (to) => go(params, "page", String(to))) : [],
    0, `No run matches.${searched(params)}`);
}

// How far a search of texts is, and what it could not read.
function soFar({ items, total, searched: { runs, unread, unread_more: more } }) {
  const wrong = unread.length + more ? `; ${plural(unread.length + more, "file")} could not be searched: ${short(unread[0], 200)}` : "";
  return `${plural(items.length, "run")}; ${count.format(runs)} of ${plural(total, "run")} searched${wrong}`;
}

// What a search looked at, which is not all that a run says.
const searched = (params, texts) => [
  params.get("q") ? " The id, the task and the directory of each run were searched." : "",
  texts ? ` Searched in each run: ${texts.files.join(", ")}.` : "",
].join("");
// What leads from a search that found nothing to one of all texts.
const toTexts = (params) => (live && params.get("q")
  ? make("a", { href: link("runs", [["text", params.get("q")]]) }, "Search the texts of all runs for it") : "");

// The number of runs that would move those on the screen.
function arrivedIn({ items, total }) {
  const known = new Set(listed.map((row) => row.dir));
  return known.size && items.some((row) => !known.has(row.dir)) ? Math.max(0, total - shownList.total) : 0;
}

function drawRuns(params, shown, range, pages, arrived = 0, none = "No run matches.", instead = "") {
  const arrival = arrived
    ? make("button", { class: "chip", type: "button", onclick: () => showRuns(params) }, `Show ${plural(arrived, "new run")}`) : "";
  find("#runs .list-status").replaceChildren(range, arrival, ...chips(params), toMarked);
  const columns = columnsOf(params, shown);
  const body = make("tbody", {}, ...shown.map((row) => rowOf(row, columns, params)));
  const table = make("table", {}, head(params, columns), body);
  const back = keeper(find("#runs"));
  const at = all("#runs tbody tr").find((row) => row.classList.contains("is-at"));
  find("#runs .table").replaceChildren(shown.length ? table : make("p", { class: "notice" }, none, instead && " ", instead));
  find("#runs nav.pages").replaceChildren(...pages);
  rove(table);
  const still = at && all("tr", body).find((row) => row.dataset.dir === at.dataset.dir);
  if (still) still.classList.add("is-at");
  back();
  const next = whenDrawn;
  whenDrawn = null;
  if (next) next(shown);
}

// What is done once the list is drawn: the place of the reader in it, or a key that waits for it.
let whenDrawn = null;
let leftAt = null;
function leaveList() {
  const row = find("#runs tr.is-at") || find("#runs tr:focus-within");
  leftAt = { list: lastList, top: window.scrollY, dir: row && row.dataset.dir };
}
function returnToList() {
  const { list, top, dir } = leftAt || {};
  if (list !== link("runs", address().params)) {
    window.scrollTo(0, 0);
    return;
  }
  whenDrawn = () => {
    const row = all("#runs tbody tr").find((row) => row.dataset.dir === dir);
    if (row) {
      for (const other of all("#runs tbody tr")) other.classList.toggle("is-at", other === row);
      if (document.activeElement === document.body) find("a", row).focus({ preventScroll: true });
    }
    window.scrollTo(0, top);
  };
}
// Enter in the search leads to what was found: to the run, if it is the only one.
function openFound(shown) {
  if (shown.length === 1) location.hash = linkOf(shown[0]);
  else moveInList(0);
}

// Remembers what has the focus in a part of the page that is drawn again; what it returns gives
// the focus back.
function keeper(part) {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const name = active && (active.getAttribute("href") || active.textContent);
  return () => {
    if (!active || active === document.activeElement) return;
    const same = active.isConnected ? active : all(active.tagName, part).find((other) => (other.getAttribute("href") || other.textContent) === name);
    if (same) same.focus({ preventScroll: true });
  };
}

function go(params, name, value) {
  const next = new URLSearchParams(params);
  if (value) next.set(name, value);
  else next.delete(name);
  if (name !== "page") next.delete("page");
  if (name !== "cursor") next.delete("cursor");
  const address = link("runs", next);
  // One step back leads from a search to what was before it, not through its letters.
  if (name === "q" && params.get("q") && value) location.replace(address);
  else location.hash = address;
}

function pager(page, pages, turn) {
  return [
    turner("Previous", page <= 1, () => turn(page - 1)),
    `${page} of ${pages}`,
    turner("Next", page >= pages, () => turn(page + 1)),
  ];
}
const turner = (text, disabled, onclick) => make("button", { type: "button", disabled, onclick }, text);

function chips(params) {
  const inForce = [...params].filter(([name, value]) => value && !OTHERS.includes(name));
  return inForce.map(([name, value]) => {
    const wrong = misread(name, value);
    return make("button", {
      class: `chip ${wrong ? "is-unknown" : ""}`, type: "button", title: wrong || "Remove this filter",
      onclick: () => go(params, name, ""),
    }, `${name}: ${short(value)}${wrong ? ` (${wrong})` : ""} \u00d7`);
  });
}

function head(params, columns) {
  const sort = params.get("sort") || "-started";
  const cells = columns.map(([name, title]) => {
    const state = sort === name ? "ascending" : sort === `-${name}` ? "descending" : null;
    const next = state === "descending" ? name : state === "ascending" ? "" : `-${name}`;
    const arrow = { ascending: " \u2191", descending: " \u2193" }[state] || "";
    const button = make("button", { type: "button", onclick: () => go(params, "sort", next) }, title + arrow);
    return make("th", { scope: "col", "aria-sort": state, class: name === "duration" || name.startsWith("metric:") ? "number" : null }, button);
  });
  return make("thead", {}, make("tr", {}, ...cells));
}

// The metric that has a column of its own: the one that the runs are filtered or sorted by.
const metricIn = (params) =>
  (params.get("metric") || "").split("..")[0] || (/^-?metric:(.*)/s.exec(params.get("sort") || "") || [])[1];

const figure = (value) => (Number.isInteger(value) ? count.format(value) : String(value ?? ""));
// The places of a run that have what was asked for, each a link to it.
function placesOf(row, params) {
  const calls = callsOf(row, params).slice(0, 3);
  const ended = params.get("call") === "denied" ? "was denied" : "returned an error";
  const hits = row.hits || calls.map(([tool, line]) => ({ file: "events.jsonl", line, text: `${tool} ${ended}` }));
  const place = ({ file, line, text }) => {
    const isEvent = file === "events.jsonl";
    const at = `${isEvent ? "line" : file} ${count.format(line)}`;
    return make("li", {}, make("a", { href: isEvent ? `${linkOf(row)}?at=L${line}` : linkOf(row) }, text), make("span", { class: "dim" }, ` ${at}`));
  };
  return hits.length ? make("ul", { class: "hits" }, ...hits.map(place), row.more_hits ? make("li", { class: "dim" }, "and more places") : null) : null;
}
function rowOf(row, columns, params) {
  const has = (wanted) => columns.some(([name]) => name === wanted);
  const figures = columns.filter(([name]) => name.startsWith("metric:"));
  const state = verdict(row);
  const word = row.verdict === "breaks_rule" ? "breaks a rule of the team" : row.verdict;
  const sums = [];
  if (row.errors) sums.push(plural(row.errors, "error"));
  if (row.warnings) sums.push(plural(row.warnings, "warning"));
  const rule = (row.rules || [])[0];
  const more = (row.rules || []).length > 1 ? ` +${row.rules.length - 1}` : "";
  const cells = [
    make("td", { class: "ended" }, marker(row), ...endOf(row)),
    make("td", { class: "run" },
      make("a", { class: "id", href: linkOf(row) }, row.id),
      make("span", { class: "task" }, short(row.task) || ""),
      row.now && !row.status ? make("span", { class: "task now" }, `now: ${short(row.now)}`) : null,
      placesOf(row, params)),
    make("td", { class: "findings" },
      state === "yes" ? "" : make("span", { class: `badge ${state === "no" ? "bad" : "warn"}` }, word), " ",
      sums.join(", "),
      rule ? make("a", { href: link("runs", [["rule", rule]]) }, rule + more) : "",
      row.unjudged && !sums.length ? make("span", { class: "dim" }, `${plural(row.unjudged, "rule")} not judged`) : ""),
    make("td", { class: "started" }, started(row), local(row)),
    make("td", { class: "number" }, pace(row) || duration(row.duration_sec)),
    ...figures.map(([, name]) => make("td", { class: "number" }, figure(metricOf(row, name)))),
    has("adapter") ? make("td", {}, short(row.adapter) || "") : null,
    has("mode") ? make("td", {}, short(row.mode) || "") : null,
  ];
  return make("tr", {
    "data-dir": row.dir,
    onclick: (event) => {
      if (!event.target.closest("a, button, input") && !String(getSelection())) location.hash = linkOf(row);
    },
  }, ...cells);
}

// The rows that the reader marked, at most two, and the link to the two side by side.
let marked = [];
const toMarked = make("a", { class: "to-marked", hidden: true }, "Compare the two marked runs");
function marker(row) {
  const mark = (event) => {
    const others = marked.filter((dir) => dir !== row.dir);
    marked = event.target.checked ? [...others, row.dir].slice(-2) : others;
    for (const box of all("#runs .mark-run")) box.checked = marked.includes(box.closest("tr").dataset.dir);
    toMarked.hidden = marked.length < 2;
    if (!toMarked.hidden) toMarked.href = comparing(...marked);
  };
  const box = make("input", { class: "mark-run", type: "checkbox", "aria-label": `Mark ${row.id} to compare`, onchange: mark });
  box.checked = marked.includes(row.dir);
  return box;
}

// The words that were typed and are in the address. What is typed since then stays; when the address changes
// otherwise, its words replace them, or else they would come back as soon as the field loses the focus.
let typedWords = "";
function fillFilters(params) {
  const form = find("#runs form");
  for (const control of all("[name]", form)) {
    const value = params.get(control.name) || "";
    const known = control.tagName !== "SELECT" || all("option", control).some((option) => option.value === value);
    if (!known) control.append(make("option", { value }, short(value)));
    const isInUse = document.activeElement === control && (control.name !== "q" || value === typedWords);
    if (control.name === "q") typedWords = value;
    if (!isInUse) control.value = value;
    control.classList.toggle("is-set", value !== "");
  }
}
const MAX_TAG_VALUES = 30;
let offerChoices = () => {};
function setUpFilters() {
  const form = find("#runs form");
  form.hidden = false;
  if (!live) for (const name of ["silent_for", "text"]) find(`[name=${name}]`, form).closest("label").remove();
  find("details", form).open = matchMedia("(min-width: 761px)").matches;
  const values = {
    valid: () => [], status: (row) => [row.status ?? NONE], outcome: (row) => [row.outcome ?? NONE],
    rule: (row) => row.rules || [], adapter: (row) => [row.adapter ?? NONE],
    mode: (row) => [row.mode ?? NONE], tag: (row) => row.tags || [],
    tool: (row) => (row.tools || []).map(({ tool }) => tool ?? NONE),
  };
  const offer = (control, numbers) => {
    const words = { yes: "valid", no: "not valid" };
    const keys = new Map();
    const keyOf = ([value]) => value.split(":")[0];
    for (const it of numbers) keys.set(keyOf(it), (keys.get(keyOf(it)) || 0) + 1);
    // A tag that has another value for each run is no choice.
    const isChoice = (it) => control.name !== "tag" || keys.get(keyOf(it)) <= MAX_TAG_VALUES;
    const options = [...numbers].filter(isChoice).sort((a, b) => b[1] - a[1]).slice(0, 1000);
    control.replaceChildren(control.options[0], ...options.map(([value, number]) => {
      const text = (control.name === "valid" && words[value]) || value;
      return make("option", { value }, `${short(text)} (${count.format(number)})`);
    }));
    control.closest("label").hidden = options.every(([value]) => value === NONE);
  };
  const offerMetrics = (names) =>
    find("#offered-metric").replaceChildren(...[...names].slice(0, 100).map((name) => make("option", { value: name })));
  if (live) {
    offerChoices = () => live.choices().then((choices) => {
      offerMetrics(choices.metric);
      for (const control of all("select:not([name=call])", form)) {
        // What is being chosen from stays as it is.
        if (document.activeElement !== control) offer(control, choices[control.name]);
      }
      fillFilters(address().params);
    }, () => {});
    offerChoices();
  } else {
    for (const control of all("select:not([name=call])", form)) {
      const numbers = new Map();
      for (const row of source.rows) {
        const named = control.name === "valid" ? [verdict(row)] : values[control.name](row);
        for (const value of named) numbers.set(value, (numbers.get(value) || 0) + 1);
      }
      offer(control, numbers);
    }
    offerMetrics(new Set(source.rows.flatMap((row) => (row.metrics || []).map(([name]) => name)).sort()));
  }
  let waiting = 0;
  const stopWaiting = () => clearTimeout(waiting);
  const changed = (event) => {
    stopWaiting();
    const { view, params } = address();
    if (view === "runs" && (params.get(event.target.name) || "") !== event.target.value) {
      if (event.target.name === "q") typedWords = event.target.value;
      go(params, event.target.name, event.target.value);
    }
  };
  window.addEventListener("hashchange", () => {
    if ((address().params.get("q") || "") !== typedWords) stopWaiting();
  });
  form.addEventListener("change", changed);
  form.addEventListener("input", (event) => {
    if (event.target.name !== "q") return;
    stopWaiting();
    waiting = setTimeout(() => changed(event), 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const control = document.activeElement;
    // What was typed gets into the address.
    control.blur();
    if (control.name !== "q") return;
    whenDrawn = openFound;
    showRuns(address().params);
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    location.hash = "#/runs";
  });
}
