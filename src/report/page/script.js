// What is in the page -> views of it: the overview, the list of runs, and a run. The address holds
// the view. Texts of records become text, never markup; markup comes from runvet alone.
(() => {
  "use strict";

  const PER_PAGE = 100;
  const EVENTS_PER_PAGE = 100;
  const root = document.documentElement;
  const opening = document.title;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const count = new Intl.NumberFormat("en-US");
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("runvet", { createHTML: (text) => text })
    : { createHTML: (text) => text };

  // A text of a record, with everything escaped that acts on a reader, as runvet escapes it elsewhere.
  const HOSTILE = new RegExp("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u3164"
    + "\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8\\ufffe\\uffff\\u{e0000}-\\u{e0fff}]", "gu");
  const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const EMOJI = new RegExp(`\\p{RGI_Emoji}|${HOSTILE.source}`, "gv");
  const escaped = (c) => SHORT[c] || `\\u{${c.codePointAt(0).toString(16)}}`;
  // What joins the parts of an emoji that all know is a part of it.
  const safe = (text) => (/[\u200d\ufe0f]/.test(text)
    ? text.replace(EMOJI, (c) => (c.replace(HOSTILE, "") ? c : escaped(c))) : text.replace(HOSTILE, escaped));
  const lines = (text) => text.split("\n").map(safe).join("\n");

  // An element with attributes and children; texts are texts.
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    const given = children.filter((child) => child !== null && child !== undefined);
    element.append(...given.map((child) => (typeof child === "string" ? safe(child) : child)));
    return element;
  }

  // Where the runs come from: this file, or a service.
  const live = window.runvetLive;
  const source = (() => {
    if (live) return { rows: [], run: live.run };
    const rows = JSON.parse(find("#rows").textContent);
    const pages = new Map(all("template[data-row]").map((page) => [rows[page.dataset.row], page]));
    const byDir = new Map(rows.map((row) => [row.dir, row]));
    return {
      rows,
      // The row and the page of a run that its directory or its id names; the text is absent where it has none.
      run: async (name) => {
        const row = byDir.get(name) || rows.find(({ id }) => id === name || id === name.split("/").pop());
        if (!row) throw new Error("This file has no such run.");
        const page = pages.get(row);
        if (!page) return { row, prefix: "" };
        const bytes = Uint8Array.from(atob(page.content.textContent), (c) => c.charCodeAt(0));
        const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
        return { row, text: await new Response(unpacked).text(), prefix: page.dataset.prefix };
      },
      rule: (name) => {
        const page = all("noscript[data-rule-page]").find((page) => page.dataset.rulePage === name);
        return page && page.textContent;
      },
    };
  })();

  // Addresses: #/, #/runs?rule=plan/projection, #/run/runs/episodes/ep_1?at=L6, #/compare?left=…&right=…
  const readable = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":");
  function address() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    const params = new URLSearchParams(query || "");
    if (path === "runs" || path === "compare") return { view: path, params };
    if (path.startsWith("run/")) {
      let dir = path.slice(4);
      try {
        dir = decodeURIComponent(dir);
      } catch { /* It is taken as it is. */ }
      return { view: "run", dir, params };
    }
    return { view: "overview", params };
  }
  function link(path, params) {
    const parts = [...params].filter(([, value]) => value !== "");
    const query = parts.map(([key, value]) => `${readable(key)}=${readable(value)}`).join("&");
    return `#/${path}${query ? `?${query}` : ""}`;
  }
  const linkOf = (row) => `#/run/${readable(row.dir)}`;
  const comparing = (left, right) => link("compare", [["left", left], ["right", right]]);

  // Filters.
  const NONE = "(none)";
  // A time as a person writes it, as `runvet list --since` reads it; what has no offset is in UTC.
  function instant(text) {
    const now = Date.now() / 1000;
    const today = Math.floor(now / 86400) * 86400;
    if (text === "today" || text === "yesterday") return today - (text === "today" ? 0 : 86400);
    const [, number, unit] = /^-?(\d+)([smhd])$/.exec(text) || [];
    if (unit) return now - number * { s: 1, m: 60, h: 3600, d: 86400 }[unit];
    if (!/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
    const full = text.length === 10 ? `${text}T00:00:00` : text;
    return Date.parse(/(Z|[+-]\d\d:\d\d)$/i.test(full) ? full : `${full}Z`) / 1000;
  }
  const TIMES = "a date, a date-time such as 2026-03-01T14:00, today, yesterday, or a length before now such as 24h";
  const within = (value, range) => {
    const [low, high] = range.split("..");
    return value !== undefined && (low === "" || value >= Number(low)) && (high === "" || value < Number(high));
  };
  const metricOf = (row, wanted) => ((row.metrics || []).find(([name]) => name === wanted) || [])[1];
  const equal = (field) => (row, wanted) => String(row[field] ?? NONE) === wanted;
  // The beginning of a text, and how much is missing.
  function short(text, most = 80) {
    const letters = text && text.length > most ? [...text] : [];
    const more = letters.length - most;
    return more > 0 ? `${letters.slice(0, most).join("")}\u2026 (${count.format(more)} more character${more === 1 ? "" : "s"})` : text;
  }
  const verdict = (row) => (row.valid === null ? "undecided" : row.valid ? "yes" : "no");
  const FILTERS = {
    valid: (row, wanted) => verdict(row) === wanted,
    verdict: equal("verdict"),
    status: equal("status"),
    outcome: equal("outcome"),
    task: equal("task"),
    adapter: equal("adapter"),
    mode: equal("mode"),
    ended: (row, wanted) => (row.outcome ?? row.status ?? NONE) === wanted,
    rule: (row, wanted) =>
      (row.rules || []).some((rule) => rule === wanted || (wanted.endsWith("/*") && rule.startsWith(wanted.slice(0, -1)))),
    tag: (row, wanted) => (row.tags || []).includes(wanted),
    since: (row, wanted) =>
      wanted === NONE ? row.started_sec === undefined : row.started_sec >= instant(wanted),
    until: (row, wanted) => row.started_sec < instant(wanted),
    duration: (row, wanted) => within(row.duration_sec, wanted),
    latency: (row, wanted) => {
      const at = wanted.indexOf("..");
      const found = (row.latencies || []).find(([name]) => name === wanted.slice(0, at));
      return found !== undefined && within(found[1], wanted.slice(at + 2));
    },
    metric: (row, wanted) => {
      const [name, range] = wanted.split(/\.\.(.*)/s);
      return within(metricOf(row, name), range || "..");
    },
    has: (row, wanted) => (row[wanted] || 0) > 0,
    q: (row, wanted) => {
      const text = `${row.id} ${row.dir} ${row.task || ""}`.toLowerCase();
      return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
    },
  };
  const SORTS = {
    valid: (row) => row.errors * 1e6 + row.warnings,
    id: (row) => row.id,
    status: (row) => row.status ?? "",
    outcome: (row) => row.outcome ?? "",
    started: (row) => row.started_sec ?? -Infinity,
    duration: (row) => row.duration_sec ?? -Infinity,
    adapter: (row) => row.adapter ?? "",
    mode: (row) => row.mode ?? "",
  };
  // Only a service knows when a file was written last.
  if (live) FILTERS.silent_for = () => true;
  // What is wrong with a filter of the address, if anything.
  const OTHERS = ["sort", "page", "cursor", "limit"];
  function misread(name, value) {
    if (!FILTERS[name]) return OTHERS.includes(name) ? "" : `there is no filter ${name}`;
    if (name === "duration" && value && !/^[\d.]*\.\.[\d.]*$/.test(value)) return "duration is seconds such as 10..60, 60.. or ..1";
    const isTime = name === "since" || name === "until";
    return isTime && value && value !== NONE && Number.isNaN(instant(value)) ? `${name} is ${TIMES}` : "";
  }
  function select(params) {
    const wanted = Object.entries(FILTERS).filter(([name]) => params.get(name));
    const rows = source.rows.filter((row) => wanted.every(([name, test]) => test(row, params.get(name))));
    const sort = params.get("sort") || "";
    const name = sort.replace(/^-/, "");
    const key = name.startsWith("metric:") ? (row) => metricOf(row, name.slice(7)) ?? -Infinity : SORTS[name];
    if (!key) return rows;
    const sign = sort.startsWith("-") ? -1 : 1;
    const order = (a, b) => (a < b ? -sign : a > b ? sign : 0);
    return rows.map((row) => [key(row), row]).sort(([a], [b]) => order(a, b)).map(([, row]) => row);
  }

  // Words for people.
  const TONES = {
    ok: "good", success: "good", error: "bad", goal_not_achieved: "bad", failed: "bad",
    vetoed: "warn", aborted: "warn", partial: "warn", success_unverified: "warn",
  };
  const badge = (text) => (text === undefined ? "" : make("span", { class: `badge ${TONES[text] || ""}` }, short(text)));
  function duration(seconds) {
    const digits = (value) => String(Number(value.toPrecision(3)));
    if (seconds === undefined) return "";
    if (seconds <= 0) return `${seconds} s`;
    if (seconds < 1) return `${digits(seconds * 1000)} ms`;
    if (seconds < 120) return `${digits(seconds)} s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
    return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  }
  const started = (row) =>
    row.started_sec === undefined
      ? row.started_at || ""
      : new Date(row.started_sec * 1000).toISOString().slice(0, 19).replace("T", " ");
  // The time on this computer, where it differs from UTC.
  const local = (row) => {
    const at = row.started_sec === undefined ? null : new Date(row.started_sec * 1000);
    return !at || !at.getTimezoneOffset() ? null
      : make("span", { class: "local" }, ` ${at.toLocaleTimeString("en-GB", { timeZoneName: "short" })}`);
  };
  // How long a run is in progress, and since when nothing of it was written; both grow while they are looked at.
  const SILENT_SEC = 600;
  function pace(row) {
    if (row.paused) {
      const { since, reason } = row.paused;
      const words = [since ? ` since ${since.slice(0, 19).replace("T", " ")}` : "", reason ? `: ${short(reason)}` : ""];
      return make("span", { class: "badge warn" }, `paused${words.join("")}`);
    }
    if (row.written_sec === undefined) return null;
    const part = make("span", { class: "pace badge", "data-started": row.started_sec, "data-written": row.written_sec });
    showPace(part);
    return part;
  }
  function showPace(part) {
    const now = live.now() / 1000;
    const ago = (sec) => duration(Math.max(0, Math.floor(now - sec)));
    const { started, written } = part.dataset;
    const isSilent = now - written >= SILENT_SEC;
    const text = isSilent ? `silent for ${ago(written)}`
      : `${started ? `running for ${ago(started)}, ` : ""}last write ${ago(written)} ago`;
    if (part.textContent !== text) part.textContent = text;
    part.classList.toggle("warn", isSilent);
  }
  if (live) setInterval(() => all(".pace").forEach(showPace), 1000);
  const plural = (number, word) => `${count.format(number)} ${word}${number === 1 ? "" : "s"}`;

  // The list of runs.
  const COLUMNS = [
    ["id", "run"], ["status", "status"], ["outcome", "outcome"], ["started", "started (UTC)"],
    ["duration", "duration"], ["adapter", "adapter"], ["mode", "mode"], ["valid", "findings"],
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
    lastList = link("runs", params);
    fillFilters(params);
    if (live) {
      const wanted = location.hash;
      const table = find("#runs .table");
      if (!isFollowing) {
        reading(table, true);
        if (shownList.address !== wanted) find("#runs .list-status").replaceChildren(...chips(params), toMarked);
      }
      live.list(params).then((page) => {
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
        const range = page.total > listed.length
          ? `${count.format(listed.length)} of ${plural(page.total, "run")}` : plural(page.total, "run");
        const turn = (text, cursor, isOff) => turner(text, isOff, () => go(params, "cursor", cursor));
        const isFirst = !params.get("cursor");
        if (page.next) cursorBefore.set(page.next, params.get("cursor") || "");
        const before = cursorBefore.get(params.get("cursor"));
        drawRuns(params, listed, range, page.next || !isFirst
          ? [turn("First", "", isFirst), turn("Previous", before, before === undefined), turn("Next", page.next, !page.next)] : [], arrived,
          (page.complete ? "No run matches." : "No run matches so far.") + searched(params));
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

  // What a search looked at, which is not all that a run says.
  const searched = (params) => (params.get("q") ? " The id, the task and the directory of each run were searched." : "");

  // The number of runs that would move those on the screen.
  function arrivedIn({ items, total }) {
    const known = new Set(listed.map((row) => row.dir));
    return known.size && items.some((row) => !known.has(row.dir)) ? Math.max(0, total - shownList.total) : 0;
  }

  function drawRuns(params, shown, range, pages, arrived = 0, none = "No run matches.") {
    const arrival = arrived
      ? make("button", { class: "chip", type: "button", onclick: () => showRuns(params) }, `Show ${plural(arrived, "new run")}`) : "";
    find("#runs .list-status").replaceChildren(range, arrival, ...chips(params), toMarked);
    const columns = columnsOf(params, shown);
    const body = make("tbody", {}, ...shown.map((row) => rowOf(row, columns)));
    const table = make("table", {}, head(params, columns), body);
    const back = keeper(find("#runs"));
    const at = all("#runs tbody tr").find((row) => row.classList.contains("is-at"));
    find("#runs .table").replaceChildren(shown.length ? table : make("p", { class: "notice" }, none));
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
  function rowOf(row, columns) {
    const has = (wanted) => columns.some(([name]) => name === wanted);
    const figures = columns.filter(([name]) => name.startsWith("metric:"));
    const state = verdict(row);
    const tone = { yes: row.unjudged ? "warn" : "good", no: "bad", undecided: "warn" }[state];
    const word = row.verdict === "breaks_rule" ? "breaks a rule of the team" : row.verdict;
    const sums = [];
    if (row.errors) sums.push(plural(row.errors, "error"));
    if (row.warnings) sums.push(plural(row.warnings, "warning"));
    const rule = (row.rules || [])[0];
    const more = (row.rules || []).length > 1 ? ` +${row.rules.length - 1}` : "";
    const cells = [
      make("td", { class: "run" },
        make("span", { class: `dot ${tone}`, title: word }),
        make("span", { class: "unseen" }, `${word} `),
        marker(row),
        make("a", { class: "id", href: linkOf(row) }, row.id),
        make("span", { class: "task" }, short(row.task) || ""),
        row.now && !row.status ? make("span", { class: "task now" }, `now: ${short(row.now)}`) : null),
      make("td", {}, badge(row.status)),
      make("td", {}, badge(row.outcome)),
      make("td", { class: "started" }, started(row), local(row)),
      make("td", { class: "number" }, pace(row) || duration(row.duration_sec)),
      ...figures.map(([, name]) => make("td", { class: "number" }, figure(metricOf(row, name)))),
      has("adapter") ? make("td", {}, short(row.adapter) || "") : null,
      has("mode") ? make("td", {}, short(row.mode) || "") : null,
      make("td", { class: "findings" },
        sums.join(", "),
        rule ? make("a", { href: link("runs", [["rule", rule]]) }, rule + more) : "",
        row.unjudged && !sums.length ? `${plural(row.unjudged, "rule")} not judged` : ""),
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
  let offerChoices = () => {};
  function setUpFilters() {
    const form = find("#runs form");
    form.hidden = false;
    if (!live) find("[name=silent_for]", form).closest("label").remove();
    find("details", form).open = matchMedia("(min-width: 761px)").matches;
    const values = {
      valid: () => [], status: (row) => [row.status ?? NONE], outcome: (row) => [row.outcome ?? NONE],
      rule: (row) => row.rules || [], adapter: (row) => [row.adapter ?? NONE],
      mode: (row) => [row.mode ?? NONE], tag: (row) => row.tags || [],
    };
    const offer = (control, numbers) => {
      const words = { yes: "valid", no: "not valid" };
      const options = [...numbers].sort((a, b) => b[1] - a[1]).slice(0, 1000);
      control.replaceChildren(control.options[0], ...options.map(([value, number]) => {
        const text = (control.name === "valid" && words[value]) || value;
        return make("option", { value }, `${short(text)} (${count.format(number)})`);
      }));
      control.closest("label").hidden = options.length === 0;
    };
    const offerMetrics = (names) =>
      find("#offered-metric").replaceChildren(...[...names].slice(0, 100).map((name) => make("option", { value: name })));
    if (live) {
      offerChoices = () => live.choices().then((choices) => {
        offerMetrics(choices.metric);
        for (const control of all("select", form)) {
          // What is being chosen from stays as it is.
          if (document.activeElement !== control) offer(control, choices[control.name]);
        }
        fillFilters(address().params);
      }, () => {});
      offerChoices();
    } else {
      for (const control of all("select", form)) {
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

  // Marks a part whose content is asked for: what it shows is of before, and after 0.3 s a word says so.
  function reading(part, isOld) {
    const words = make("p", { class: "reading", role: "status" });
    const waiting = setTimeout(() => { words.textContent = "reading \u2026"; }, 300);
    if (part.endReading) part.endReading();
    part.setAttribute("aria-busy", "true");
    part.classList.toggle("is-old", isOld);
    part.prepend(words);
    part.endReading = () => {
      clearTimeout(waiting);
      words.remove();
      part.removeAttribute("aria-busy");
      part.classList.remove("is-old");
      part.endReading = null;
    };
  }
  const endReading = (part) => { if (part.endReading) part.endReading(); };

  // A run.
  let shownRun = null;
  // What is known of a run before it is read: its row in the list.
  function announceRun(dir) {
    const view = find("#run");
    shownRun = null;
    shownText = "";
    const row = listed.find((row) => row.dir === dir);
    const known = row ? withoutPage(row).slice(0, 1) : [make("h1", {}, short(dir.split("/").pop(), 160))];
    view.replaceChildren(...known);
    view.dataset.of = dir;
    reading(view, false);
    window.scrollTo(0, 0);
  }
  function showRun(dir, params) {
    const view = find("#run");
    if (shownRun && shownRun.dir === dir) {
      goToPlace(params);
      return;
    }
    // It is being asked for.
    if (view.endReading && view.dataset.of === dir) return;
    if (live) announceRun(dir);
    source.run(dir).then(({ row, text, prefix }) => {
      if (address().dir !== dir) return;
      if (row.dir !== dir) {
        // It was named by its id, or by a directory that is named otherwise now.
        history.replaceState(null, "", link(`run/${readable(row.dir)}`, params));
      }
      endReading(view);
      drawRun(row, text, prefix);
      goToPlace(address().params);
      if (live) findNeighbours(row).catch(() => {});
    }, (error) => {
      if (address().dir === dir) shownRun = null;
      sayWhyNot(dir, error);
    });
  }
  // Goes to the place in a run that the address names.
  function goToPlace(params) {
    if (params.get("at")) reveal(find("#run").dataset.prefix + params.get("at"));
  }

  // Whoever followed a link has seen no list: a run has the neighbours that started before and after it.
  async function findNeighbours(row) {
    if (listed.length || row.started_sec === undefined) return;
    const next = new Date((row.started_sec + 1) * 1000).toISOString();
    const asked = [{ since: next, sort: "started" }, { until: next }];
    const [after, before] = await Promise.all(asked.map((filters) => live.list(new URLSearchParams(filters))));
    if (!listed.length) listed = [...after.items.reverse(), ...before.items];
    if (shownRun && shownRun.dir === row.dir) find("#run .crumb").replaceWith(crumb(shownRun));
  }

  function sayWhyNot(dir, { message, keys = [] }) {
    if (address().dir !== dir || shownRun) return;
    endReading(find("#run"));
    shownText = "";
    const id = dir.split("/").pop();
    find("#run").replaceChildren(
      make("h1", {}, "This run can't be shown"),
      make("p", { class: "notice", role: "status" }, message),
      make("ul", {}, ...keys.map((key) => make("li", {}, make("a", { href: linkOf({ dir: key }) }, key)))),
      make("p", {}, make("a", { href: link("runs", [["q", id]]) }, `Search the runs for ${short(id)}`)));
  }

  // What was last said of the run that is shown.
  let shownText = "";
  function drawRun(row, text, prefix) {
    const view = find("#run");
    const isSame = shownRun && shownRun.dir === row.dir;
    shownRun = row;
    const before = shownText;
    shownText = text;
    view.dataset.prefix = prefix;
    if (isSame && (text === before || grow(view, before, text, row))) {
      const shown = find(".pace", view);
      if (shown) shown.replaceWith(pace(row) || "");
      return;
    }
    const draw = () => {
      if (text === undefined) {
        view.replaceChildren(...withoutPage(row));
        return;
      }
      view.innerHTML = policy.createHTML(text);
      dress(view, row);
      spy(view);
    };
    const at = window.scrollY;
    if (isSame) redraw(view, draw);
    else draw();
    document.title = `${safe(row.id)} \u00b7 runvet`;
    window.scrollTo(0, isSame ? at : 0);
  }

  // Draws a part again; what a reader opened, filtered, zoomed and focused in it stays so.
  function redraw(part, draw) {
    const back = [opened(part), keeper(part)];
    draw();
    for (const step of back) step();
  }

  // Draws the parts of a run again that its text says otherwise than before; whether its parts are the same.
  function grow(view, before, after, row) {
    // Nothing, or a notice, is on the screen.
    if (!before) return false;
    const [was, is] = [before, after].map((text) => {
      const holder = make("div");
      holder.innerHTML = policy.createHTML(text);
      return [...holder.firstElementChild.children];
    });
    const here = [...find("article", view).children];
    const names = (parts) => parts.map((part) => `${part.tagName} ${part.id} ${part.className}`).join("|");
    if (names(was) !== names(is) || names(is) !== names(here)) return false;
    is.forEach((part, at) => {
      const [old, shown] = [was[at], here[at]];
      if (part.isEqualNode(old)) return;
      const list = find("[data-events]", shown);
      if (list && list.grow(old, part)) return;
      if (shown.matches("nav")) {
        all("a", shown).forEach((anchor, at) => anchor.replaceChildren(...part.children[at].childNodes));
        return;
      }
      redraw(shown, () => {
        shown.replaceChildren(...part.childNodes);
        dress(shown, row);
      });
    });
    return true;
  }

  // Remembers what a reader has opened, filtered and zoomed in a run that is drawn again.
  function opened(view) {
    const chosen = new Map(all("details", view).map((details) => [placeOf(details, view), details.open]));
    const tools = all("[data-events], .wf-tools", view).map((part) => part.keep && part.keep());
    return () => {
      for (const details of all("details", view)) {
        const wasOpen = chosen.get(placeOf(details, view));
        if (wasOpen !== undefined) details.open = wasOpen;
      }
      all("[data-events], .wf-tools", view).forEach((part, number) => tools[number] && part.keep(tools[number]));
    };
  }
  function placeOf(details, view) {
    const names = [];
    for (let above = details; above && above !== view; above = above.parentElement) {
      if (above.id) return [above.id, ...names].join(" ");
      const key = above.tagName === "LI" && find(".k", above);
      if (key) names.unshift(key.textContent);
    }
    return [...names, find("summary", details).textContent].join(" ");
  }

  // A run that the reader looks at was judged again.
  function refreshRun(dir, isGone) {
    if (!isGone) {
      if (!shownRun) {
        showRun(dir, address().params);
        return;
      }
      live.run(dir).then(({ row, text, prefix }) => {
        if (address().dir === dir && row.dir === dir) drawRun(row, text, prefix);
      }, (error) => sayWhyNot(dir, error));
    } else if (!find("#run > .notice")) {
      shownText = "";
      find("#run").prepend(make("p", { class: "notice is-warn", role: "status" }, "This run is gone. Its page shows how it was."));
    }
  }

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

  function withoutPage(row) {
    const list = (row.rules || []).map((rule) =>
      make("li", {}, make("a", { href: link("runs", [["rule", rule]]) }, rule)));
    const command = `runvet view ${quoted(row.dir)}`;
    return [
      make("header", { class: "run-header run" }, crumb(row), make("h1", {}, short(row.task, 160) || row.id),
        make("p", { class: "badges" }, badge(row.status), badge(row.outcome))),
      make("div", { class: "notice" },
        make("p", {}, "This run has no page in this file. To look at it:"), make("code", {}, command)),
      make("ul", {}, ...list),
    ];
  }

  function crumb(row) {
    const at = listed.findIndex((other) => other.dir === row.dir);
    const step = (to, text, label) =>
      make("button", {
        type: "button", "aria-label": label, disabled: !listed[to],
        onclick: () => { location.hash = linkOf(listed[to]); },
      }, text);
    return make("p", { class: "crumb" },
      make("a", { href: lastList }, "Runs"), "/", make("code", {}, row.id),
      make("span", { class: "steps" },
        comparer(row), copier("Copy id", row.id), copier("Copy link", () => location.href), step(at - 1, "\u2191", "Previous run"), step(at < 0 ? -1 : at + 1, "\u2193", "Next run")));
  }

  // A button that copies a text, and says that it did.
  function copier(title, text) {
    const button = make("button", { type: "button", onclick: () => {
      const wanted = typeof text === "string" ? text : text();
      Promise.resolve(navigator.clipboard && navigator.clipboard.writeText(wanted)).then(
        () => { button.textContent = navigator.clipboard ? "Copied" : safe(wanted); },
        () => { button.textContent = safe(wanted); });
    } }, title);
    return button;
  }

  // Gives the page of a run, or a part of it, what needs a script.
  function dress(view, row) {
    const { prefix } = find("#run").dataset;
    const header = find(".crumb", view);
    if (header) {
      header.replaceWith(crumb(row));
      showRelatives(row).catch(() => {});
      if (!row.paused) find(".badges", view).append(pace(row) || "");
    }
    if (live) {
      for (const record of all(".record", view)) {
        // One that is there and can't be shown can still be downloaded.
        if ((find(".empty", record) || {}).textContent === "there is no such file") continue;
        const title = find("h3", record);
        title.append(" ", make("a", { href: live.record(row.dir, title.textContent), download: `${row.id}-${title.textContent}` }, "Download"));
      }
    }
    for (const finding of all(".finding", view)) {
      const at = finding.id.slice(prefix.length);
      find("h3", finding).append(copier("Copy link", () => `${location.href.split("#")[0]}${linkOf(row)}?at=${readable(at)}`));
    }
    rove(view);
    const waterfall = find(".waterfall", view);
    if (waterfall) dressWaterfall(waterfall);
    const events = find("[data-events]", view);
    if (events) dressEvents(events, row);
  }

  // Links from a run to the run that it is a part of, and to its own parts, in their order.
  const MAX_RELATIVES = 10;
  async function showRelatives(row) {
    const [, parent] = /^parent:(.*)/s.exec((row.tags || []).find((tag) => tag.startsWith("parent:")) || "") || [];
    const asked = new URLSearchParams([["tag", `parent:${row.id}`], ["sort", "started"]]);
    const parts = live ? await live.list(asked) : { items: select(asked) };
    const total = parts.total ?? parts.items.length;
    const badges = find("#run .badges");
    if (!badges || !shownRun || shownRun.dir !== row.dir) return;
    for (const old of all("#run .relatives")) old.remove();
    const line = (title, ...links) => badges.after(make("p", { class: "relatives" }, `${title}: `, ...links));
    if (total) {
      const links = parts.items.slice(0, MAX_RELATIVES).flatMap((part) => [make("a", { href: linkOf(part) }, part.id), " "]);
      const all = total > MAX_RELATIVES ? [make("a", { href: link("runs", asked) }, `all ${count.format(total)}`)] : [];
      line("Parts", ...links, ...all);
    }
    if (parent) line("Part of", make("a", { href: `#/run/${readable(parent)}` }, parent));
  }

  function dressWaterfall(waterfall) {
    const drawing = find("svg.lines", waterfall);
    let zoom = 1;
    const set = (to) => {
      zoom = Math.min(64, Math.max(1, to));
      const scroll = find(".scroll", waterfall);
      const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / drawing.clientWidth;
      drawing.style.width = `${zoom * 100}%`;
      scroll.scrollLeft = middle * drawing.clientWidth - scroll.clientWidth / 2;
      out.disabled = zoom <= 1;
    };
    const spread = (isEven) => {
      for (const mark of all("svg.at", drawing)) {
        const timed = mark.dataset.t;
        mark.setAttribute("x", isEven || !timed ? mark.dataset.o : timed);
      }
      for (const part of all("rect.bar, .bar-name, .tick", drawing)) part.style.display = isEven ? "none" : "";
      even.setAttribute("aria-pressed", String(isEven));
    };
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, onclick }, text);
    const out = button("\u2212", "Zoom out", () => set(zoom / 2));
    out.disabled = true;
    const even = button("Spread evenly", null, () => spread(even.getAttribute("aria-pressed") !== "true"));
    even.setAttribute("aria-pressed", "false");
    even.hidden = waterfall.dataset.scale !== "time";
    const tools = make("div", { class: "wf-tools" },
      out, button("+", "Zoom in", () => set(zoom * 2)), button("Fit", null, () => set(1)), even);
    tools.keep = (kept) => {
      if (!kept) return { zoom, isEven: even.getAttribute("aria-pressed") === "true", left: find(".scroll", waterfall).scrollLeft };
      set(kept.zoom);
      if (kept.isEven) spread(true);
      find(".scroll", waterfall).scrollLeft = kept.left;
      return null;
    };
    waterfall.before(tools);
    new ResizeObserver(() => drawing.classList.toggle("is-tight", drawing.clientWidth < 600)).observe(drawing);
    find(".scroll", waterfall).addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      set(zoom * (event.deltaY < 0 ? 1.25 : 0.8));
    }, { passive: false });
  }

  function dressEvents(list, row) {
    let items = [...list.children];
    const section = list.parentElement;
    const status = make("span", { class: "count", role: "status" });
    const pages = make("nav", { class: "pages", "aria-label": "Pages of events" });
    const search = make("input", { type: "search", placeholder: "Filter events", "aria-label": "Filter events" });
    const jump = make("input", { inputmode: "numeric", size: 7, placeholder: "Line", "aria-label": "Go to the line of an event" });
    // What the service found, where not all events are on the page.
    let found = make("div", { class: "events", hidden: true });
    let phase = "";
    let page = 1;
    // Whether the latest events are shown, and new ones as they come: a run that is being written opens so.
    let isFollowing = Boolean(live) && !row.paused && live.now() / 1000 - row.written_sec < SILENT_SEC && !address().params.get("at");
    // The line from which on events were asked for, and the cursors of the pages up to the one that is shown.
    let from = 0;
    let cursors = [];
    let asked = 0;
    const isFiltered = () => phase !== "" || search.value.trim() !== "";
    const isWhole = () => !items.some((item) => item.matches(".fold") || find(".between", item));
    const show = () => {
      const isAsked = live && (from > 0 || (isFiltered() && !isWhole()));
      list.hidden = isAsked;
      found.hidden = !isAsked;
      asked += 1;
      if (isAsked) return ask(asked);
      showOwn();
      return null;
    };
    const showOwn = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const isWanted = (item) =>
        (!phase || item.dataset.phase === phase) && words.every((word) => item.textContent.toLowerCase().includes(word));
      const wanted = isFiltered() ? items.filter((item) => item.dataset.phase !== undefined && isWanted(item)) : items;
      const number = Math.max(1, Math.ceil(wanted.length / EVENTS_PER_PAGE));
      page = isFollowing ? number : Math.min(page, number);
      const end = isFollowing ? wanted.length : page * EVENTS_PER_PAGE;
      const shown = new Set(wanted.slice(Math.max(0, end - EVENTS_PER_PAGE), end));
      for (const item of items) item.hidden = !shown.has(item);
      status.textContent = (!isFiltered() ? "" : plural(wanted.length, "event") + (isWhole() ? "" : " of those on this page"))
        + (isFollowing && number > 1 ? " the latest events; new ones are added" : "");
      const to = (next) => () => { page = next; isFollowing = false; };
      pages.replaceChildren(...(number > 1 ? [
        turn("First", page <= 1, to(1)), turn("Previous", page <= 1, to(page - 1)), `${page} of ${number}`,
        turn("Next", page >= number, to(page + 1)), latest(),
      ] : []));
    };
    const turn = (text, isOff, move) => turner(text, isOff, () => { move(); show(); });
    const latest = () => turn("Latest", isFollowing, () => {
      from = 0;
      cursors = [];
      isFollowing = true;
    });
    const ask = async (turned) => {
      const at = cursors.length ? cursors[cursors.length - 1] : from;
      let met;
      reading(found, true);
      try {
        [met] = await Promise.all([live.events(row.dir, at, EVENTS_PER_PAGE, { phase, q: search.value.trim() }), noteStart(row.dir)]);
      } catch (error) {
        if (asked !== turned) return;
        endReading(found);
        status.textContent = safe(error.message);
        return;
      }
      if (asked !== turned) return;
      endReading(found);
      const { items: events, next } = met;
      redraw(found, () => found.replaceChildren(...events.map((event) => eventOf(event, "found"))));
      status.replaceChildren(events.length ? `lines ${events[0].line} to ${events[events.length - 1].line}` : "no event");
      if (from) status.append(" ", make("button", { class: "chip", type: "button", onclick: () => { reset(0); show(); } }, `from line ${from} \u00d7`));
      pages.replaceChildren(...(cursors.length || next !== null
        ? [turn("Previous", !cursors.length, () => cursors.pop()), turn("Next", next === null, () => cursors.push(next))] : []),
      ...(isFiltered() ? [] : [latest()]));
    };
    const reset = (to) => {
      search.value = "";
      phase = "";
      from = to;
      cursors = [];
      isFollowing = false;
      mark();
    };
    const changed = () => {
      page = 1;
      cursors = [];
      show();
    };
    list.reveal = (item) => {
      if (!item.hidden && !list.hidden) return;
      reset(0);
      page = Math.floor(items.indexOf(item) / EVENTS_PER_PAGE) + 1;
      show();
    };
    // Shows the events from a line on that is not on the page.
    list.goTo = async (line) => {
      section.scrollIntoView();
      if (!live) {
        status.textContent = `Line ${line} is not on this page.`;
        return;
      }
      reset(line);
      await show();
      const [first] = found.children;
      if (from !== line || !first || lineOf(first) !== line) return;
      first.open = true;
      point(first);
    };
    list.keep = (kept) => {
      if (!kept) return { phase, page, isFollowing, words: search.value, from, cursors, found };
      ({ phase, page, isFollowing, from, cursors } = kept);
      found.replaceWith(kept.found);
      found = kept.found;
      search.value = kept.words;
      mark();
      show();
      return null;
    };
    // Takes in later events of a section, and what is said otherwise of earlier ones; whether that can be done.
    list.grow = (before, after) => {
      const others = (part) => [...part.children].filter((it) => !it.matches(".phases, .events")).map((it) => it.outerHTML).join("");
      if (others(before) !== others(after)) return false;
      // By their names; what is folded has that of the event before.
      const named = (part) => {
        let name = "";
        return [...part.children].map((item) => [item.id ? name = item.id : `${name} and more`, item]);
      };
      const [was, is] = [before, after].map((part) => named(find("[data-events]", part) || part));
      const [old, here] = [new Map(was), new Map(named(list))];
      items = is.map(([name, item]) => {
        const shown = here.get(name) || item;
        if (shown === item) dressEvent(item);
        else if (old.has(name) && !item.isEqualNode(old.get(name))) {
          redraw(shown, () => {
            shown.replaceChildren(...item.childNodes);
            dressEvent(shown);
          });
        }
        return shown;
      });
      const stays = new Set(items);
      for (const item of [...list.children]) if (!stays.has(item)) item.remove();
      items.forEach((item, at) => { if (list.children[at] !== item) list.insertBefore(item, list.children[at] || null); });
      find(".phases", section).replaceChildren(...find(".phases", after).childNodes);
      dressPhases();
      show();
      return true;
    };
    const mark = () => {
      for (const chip of all(".phases li", section)) {
        const isOn = chip.dataset.phase === phase;
        chip.classList.toggle("is-on", isOn);
        find("button", chip).setAttribute("aria-pressed", String(isOn));
      }
    };
    const dressPhases = () => {
      for (const chip of all(".phases li", section)) {
        const button = make("button", { type: "button", "aria-pressed": "false" }, ...chip.childNodes);
        button.addEventListener("click", () => {
          phase = phase === chip.dataset.phase ? "" : chip.dataset.phase;
          mark();
          changed();
        });
        chip.replaceChildren(button);
      }
      mark();
    };
    const dressEvent = (item) => {
      if (!live) return;
      if (item.matches(".fold")) {
        const button = make("button", { type: "button", onclick: () => unfold(item).then(() => {
          items = [...list.children];
          show();
        }, () => {}) }, "Show some");
        item.append(" ", button);
      }
      const note = find(".between", item);
      if (!note) return;
      const showAll = () => live.events(row.dir, lineOf(item), 1).then(({ items: [event] }) => {
        const ends = all("pre", note.parentElement);
        note.replaceWith(...(event.event ? [treeOf(event.event)] : [event.error]));
        for (const end of ends) end.remove();
      }, (error) => { note.textContent = safe(error.message); });
      note.append(" ", make("button", { type: "button", onclick: showAll }, "Show all"));
    };
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(changed, live && !isWhole() ? 150 : 0);
    });
    jump.addEventListener("keydown", (event) => {
      const line = Math.floor(Number(jump.value));
      if (event.key !== "Enter" || !(line > 0)) return;
      const next = `${linkOf(row)}?at=L${line}`;
      if (location.hash === next) reveal(`${find("#run").dataset.prefix}L${line}`);
      else location.hash = next;
    });
    dressPhases();
    for (const item of items) dressEvent(item);
    list.before(make("div", { class: "ev-tools" }, search, jump, status));
    list.after(found, pages);
    show();
  }

  const lineOf = (item) => (item ? Number(find(".line", item).textContent) : 0);

  // Asks the service for the first of the events that are not on the page.
  async function unfold(fold) {
    const end = lineOf(fold.nextElementSibling) || Infinity;
    const { dir } = shownRun;
    const [{ items, next }] = await Promise.all([live.events(dir, lineOf(fold.previousElementSibling) + 1), noteStart(dir)]);
    const wanted = items.filter((item) => item.line < end);
    fold.before(...wanted.map((event) => eventOf(event)));
    const left = Number(fold.firstChild.textContent.replace(/\D/g, "")) - wanted.length;
    if (next === null || next >= end) fold.remove();
    else fold.firstChild.textContent = `${plural(left, "event")} ${left === 1 ? "is" : "are"} not on this page`;
  }

  // When the timeline of a run starts, in milliseconds: events are shown by the time since then.
  let start = { dir: "", at: NaN };
  async function noteStart(dir) {
    if (start.dir === dir) return;
    const { items: [first] } = await live.events(dir, 0, 1);
    start = { dir, at: Date.parse(first && first.event && first.event.timestamp) };
  }

  const CLASSES = { start: "start", plan: "planned", act: "act", direction: "direction", terminate: "end" };
  function eventOf({ line, event, summary, error }, where = "r") {
    const text = (value) => (typeof value === "string" ? value : "");
    const { phase, agent_id: agent, timestamp } = event || {};
    const at = (Date.parse(text(timestamp)) - start.at) / 1000;
    return make("details", { class: "event", id: `${where}-L${line}`, "data-phase": text(phase) },
      make("summary", {},
        make("span", { class: "line" }, String(line)), make("span", { class: "at" }, Number.isNaN(at) ? "" : `+${duration(at)}`),
        make("span", { class: `phase ${CLASSES[phase] || "other"}` }, text(phase)),
        make("span", { class: "agent" }, make("bdi", {}, text(agent))),
        make("span", { class: "what" }, make("bdi", {}, error || summary))),
      make("div", { class: "body" }, error || treeOf(event)));
  }

  // The number of values of a tree that are drawn at first, and of parts of a group at a time.
  const MAX_VALUES = 400;
  const MAX_PARTS = 100;
  // A value as the tree that the page of a run has of an event. What is not open is drawn when it is opened.
  function treeOf(value) {
    let room = MAX_VALUES;
    const some = (list, parts, from = 0) => {
      list.append(...parts.slice(from, from + MAX_PARTS).map(([name, part]) => branch(part, name)));
      const left = parts.length - from - MAX_PARTS;
      if (left <= 0) return;
      const more = make("button", { type: "button", onclick: () => {
        more.parentElement.remove();
        some(list, parts, from + MAX_PARTS);
      } }, `Show ${count.format(Math.min(left, MAX_PARTS))} of ${count.format(left)} more`);
      list.append(make("li", {}, more));
    };
    const branch = (part, name) => {
      room -= 1;
      const key = name === undefined ? null : make("span", { class: "k" }, name);
      const isNumber = typeof part === "number" || (JSON.isRawJSON && JSON.isRawJSON(part));
      const parts = part !== null && typeof part === "object" && !isNumber ? Object.entries(part) : [];
      if (!parts.length) return make("li", {}, key, ...leaf(part, isNumber));
      const group = `${Array.isArray(part) ? "[\u2026]" : "{\u2026}"} ${count.format(parts.length)}`;
      const list = make("ul");
      const details = make("details", {}, make("summary", {}, key, make("span", { class: "group" }, group)), list);
      const open = () => { if (!list.children.length) some(list, parts); };
      details.addEventListener("toggle", open);
      if (room > 0) {
        details.open = true;
        open();
      }
      return make("li", {}, details);
    };
    const leaf = (part, isNumber) => {
      if (typeof part !== "string") return [make("span", { class: `v ${isNumber ? "n" : "w"}` }, JSON.stringify(part))];
      const picture = pictureOf(part);
      if (picture) return [picture];
      return [part.includes("\n") || part.length > PIECE ? textOf(part) : make("span", { class: "v s" }, `"${part}"`)];
    };
    return make("div", { class: "tree" }, make("ul", {}, branch(value)));
  }

  // A text with its lines. A long one comes in pieces, so that the page answers meanwhile.
  const PIECE = 16384;
  function textOf(text) {
    const block = make("pre", { class: "s", tabindex: "0" });
    let from = 0;
    const add = () => {
      for (let pieces = 0; from < text.length && pieces < 8; pieces += 1) {
        let end = text.lastIndexOf("\n", from + PIECE) + 1;
        if (end <= from || text.length - from <= PIECE) end = Math.min(text.length, from + PIECE);
        if (/[\ud800-\udbff]/.test(text[end - 1])) end += 1;
        const piece = make("div");
        piece.textContent = lines(text.slice(from, end));
        block.append(piece);
        from = end;
      }
      if (from < text.length) setTimeout(add);
    };
    add();
    return block;
  }

  // Pictures in records: of kinds that are known by their first bytes, of bounded size, and only from the text itself.
  const PICTURE = /^(?:data:image\/[\w.+-]+;base64,)?((iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/]{40,}={0,2})$/;
  const KINDS = { iVBORw0KGgo: "png", "/9j/": "jpeg", R0lGOD: "gif", UklGR: "webp" };
  const MAX_PICTURE_BYTES = 8 << 20;
  const MAX_PICTURE_PIXELS = 32e6;
  function pictureOf(text) {
    if (text.length > MAX_PICTURE_BYTES * 4 / 3 + 100) return null;
    const [, data, magic] = PICTURE.exec(text) || [];
    if (!data || data.length % 4) return null;
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const kind = KINDS[magic];
    const [width, height] = sizeOf(kind, new DataView(bytes.buffer));
    if (!width || !height || width * height > MAX_PICTURE_PIXELS) return null;
    const what = `${kind}, ${width} \u00d7 ${height}, ${plural(bytes.length, "byte")}`;
    return make("figure", { class: "picture" },
      make("img", { src: `data:image/${kind};base64,${data}`, width, height, alt: `Picture of the record: ${what}` }),
      make("figcaption", { class: "note" }, what));
  }
  // The width and the height that the first bytes of a picture tell; [0, 0] where they do not.
  function sizeOf(kind, view) {
    const name = (at) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
    try {
      if (kind === "png") return [view.getUint32(16), view.getUint32(20)];
      if (kind === "gif") return [view.getUint16(6, true), view.getUint16(8, true)];
      if (kind === "webp") {
        const bits = (at) => view.getUint32(at, true);
        if (name(12) === "VP8X") return [(bits(24) & 0xffffff) + 1, (bits(26) >>> 8) + 1];
        if (name(12) === "VP8L") return [(bits(21) & 0x3fff) + 1, ((bits(21) >>> 14) & 0x3fff) + 1];
        return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
      }
      for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
        const marker = view.getUint8(at + 1);
        if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5)];
      }
    } catch { /* It ends before that. */ }
    return [0, 0];
  }
  // The address names the event that was opened last, so that it can be passed on.
  document.addEventListener("click", ({ target }) => {
    const item = target.closest("#run .event > summary");
    if (!item || !shownRun || item.parentElement.open) return;
    history.replaceState(null, "", `${linkOf(shownRun)}?at=L${lineOf(item.parentElement)}`);
  });
  // A file that was attached to the run: a link to it, and the picture that it is.
  const ATTACHMENT = /^attachments\/[0-9a-f]{64}(\.[a-z0-9]{1,16})?$/;
  function attached(name) {
    const address = live.attachment(shownRun.dir, name);
    const anchor = make("a", { href: address, download: name.split("/").pop() }, name);
    if (!/\.(png|jpe?g|gif|webp)$/.test(name)) return anchor;
    const picture = make("img", { src: address, loading: "lazy", alt: `Attached picture ${name.slice(12, 20)}` });
    return make("figure", { class: "picture" }, picture, make("figcaption", { class: "note" }, anchor));
  }
  // Draws the pictures of an event or an action in place of their texts, once it is opened.
  document.addEventListener("toggle", ({ target }) => {
    if (!target.open || !target.matches(".event, .did details")) return;
    for (const part of all(".v.s", target)) {
      const name = part.textContent.replace(/^"|"$/g, "");
      if (live && shownRun && ATTACHMENT.test(name)) part.replaceWith(attached(name));
    }
    for (const part of all(".v.s, pre", target)) {
      const picture = pictureOf(part.textContent.trim().replace(/^"|"$/g, ""));
      if (picture) part.replaceWith(picture);
    }
  }, true);

  // Marks the part of a run that is on the screen.
  function spy(view) {
    const links = all("nav.parts a", view);
    const mark = (id) => {
      for (const part of links) {
        if (part.hash === `#${id}`) part.setAttribute("aria-current", "true");
        else part.removeAttribute("aria-current");
      }
    };
    const observer = new IntersectionObserver((entries) => {
      const seen = entries.filter((entry) => entry.isIntersecting);
      if (seen.length) mark(seen[0].target.id);
    }, { rootMargin: "-110px 0px -70% 0px" });
    for (const part of all("section.part", view)) observer.observe(part);
  }

  // Shows an element of a run, whatever it is in.
  function reveal(id) {
    // Where the value is no longer marked, its event is.
    const element = document.getElementById(id) || document.getElementById(id.replace(/(L\d+)-\d+$/, "$1"));
    if (!element) {
      const [, line] = /L(\d+)(-\d+)?$/.exec(id) || [];
      const list = find("#run [data-events]");
      if (line && list) list.goTo(Number(line));
      return;
    }
    for (let above = element; above; above = above.parentElement) {
      if (above.tagName === "DETAILS") above.open = true;
      if (above.parentElement && above.parentElement.reveal) above.parentElement.reveal(above);
    }
    point(element);
  }

  // Marks an element, and brings it and the focus together.
  function point(element) {
    for (const other of all(".is-target")) other.classList.remove("is-target");
    if (!element.matches("section.part")) element.classList.add("is-target");
    element.scrollIntoView({ block: element.matches("section") ? "start" : "center" });
    const focus = find("summary, h2, h3", element) || element;
    if (!focus.hasAttribute("tabindex") && focus.tagName !== "SUMMARY") focus.setAttribute("tabindex", "-1");
    focus.focus({ preventScroll: true });
  }

  function toggleRule(anchor) {
    const finding = anchor.closest(".finding");
    const shown = find(".rule-page", finding);
    anchor.setAttribute("aria-expanded", String(!shown));
    if (shown) {
      shown.remove();
      return;
    }
    const draw = (text) => {
      const holder = make("div");
      holder.innerHTML = policy.createHTML(text || "");
      const page = holder.firstElementChild || make("p", { class: "rule-page" }, `runvet explain ${anchor.dataset.rule}`);
      page.removeAttribute("id");
      finding.append(page);
    };
    if (live) live.rule(anchor.dataset.rule).then(draw, () => draw(""));
    else draw(source.rule(anchor.dataset.rule));
  }

  document.addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = (anchor.getAttribute("href") || "");
    if (anchor.dataset.rule) {
      event.preventDefault();
      toggleRule(anchor);
    } else if (target === "#main") {
      event.preventDefault();
      (find("html[data-view=runs] #runs tbody a.id") || find("#main")).focus();
    } else if (target.startsWith("#") && !target.startsWith("#/") && shownRun) {
      event.preventDefault();
      const prefix = find("#run").dataset.prefix;
      const at = target.slice(1 + prefix.length);
      const next = `${linkOf(shownRun)}?at=${readable(at)}`;
      if (location.hash === next) reveal(prefix + at);
      else location.hash = next;
    }
  });

  // Light and dark.
  const stored = (name, value) => {
    try {
      if (value) localStorage.setItem(`runvet-${name}`, value);
      return localStorage.getItem(`runvet-${name}`);
    } catch {
      return null;
    }
  };
  function toggleTheme() {
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    stored("theme", root.dataset.theme);
  }

  // Of the marks of a drawing, and of the heads of the list, one takes part in the order of the focus; arrows lead to the
  // others.
  const GROUPS = [["svg.chart, svg.lines", "a"], ["#runs thead", "button"]];
  function rove(within = document) {
    for (const [group, mark] of GROUPS) {
      for (const part of all(group, within)) all(mark, part).forEach((it, at) => it.setAttribute("tabindex", at ? "-1" : "0"));
    }
  }
  function moveInGroup(marks, by) {
    const at = marks.indexOf(document.activeElement);
    const to = marks[at + by];
    if (!to) return;
    marks[at].setAttribute("tabindex", "-1");
    to.setAttribute("tabindex", "0");
    to.focus();
  }

  // Keys.
  function moveInList(by) {
    const rows = all("#runs tbody tr");
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains("is-at"));
    const turn = by < 0 && at === 0 ? "Previous" : by > 0 && at === rows.length - 1 ? "Next" : "";
    const button = all("#runs nav.pages button").find((button) => button.textContent === turn && !button.disabled);
    if (button) {
      whenDrawn = () => {
        for (const row of all("#runs tr.is-at")) row.classList.remove("is-at");
        moveInList(by > 0 ? 1 : Infinity);
      };
      button.click();
      return;
    }
    const to = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    for (const row of rows) row.classList.toggle("is-at", row === to);
    find("a", to).focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  }
  function nextFinding() {
    const findings = all("#run .finding");
    const at = findings.findIndex((finding) => finding.classList.contains("is-target"));
    const to = findings[(at + 1) % findings.length];
    if (!to) return;
    if (at >= 0) findings[at].classList.remove("is-target");
    to.classList.add("is-target");
    to.scrollIntoView({ block: "center" });
    find("a", to).focus({ preventScroll: true });
  }
  const stepTo = (label) => {
    const button = find(`#run [aria-label="${label}"]`);
    if (button) button.click();
  };
  const KEYS = {
    "/": () => {
      const focus = () => find("#runs [name=q]").focus();
      if (root.dataset.view === "runs") {
        focus();
      } else {
        window.addEventListener("hashchange", focus, { once: true });
        location.hash = lastList;
      }
    },
    o: () => { location.hash = "#/"; },
    r: () => { location.hash = lastList; },
    j: () => { if (root.dataset.view === "runs") moveInList(1); },
    k: () => { if (root.dataset.view === "runs") moveInList(-1); },
    f: () => { if (root.dataset.view === "run") nextFinding(); },
    e: () => {
      const first = root.dataset.view === "run" && find("#run .first-error a");
      if (first) first.click();
    },
    "[": () => stepTo("Previous run"),
    "]": () => stepTo("Next run"),
    t: toggleTheme,
    "?": () => find("#keys").showModal(),
    Escape: () => { if (root.dataset.view === "run") location.hash = lastList; },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
    if (event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") {
        // A search field of Chromium would be emptied.
        event.preventDefault();
        event.target.blur();
      } else if (event.key === "Enter" && event.target.matches("#runs form input")) {
        // A form of several fields is submitted by no key.
        event.target.form.requestSubmit();
      }
      return;
    }
    const [group, mark] = GROUPS.find(([group]) => event.target.closest(group)) || [];
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (group && by) {
      event.preventDefault();
      moveInGroup(all(mark, event.target.closest(group)), by);
      return;
    }
    const act = stored("keys") === "off" && event.key !== "Escape" ? null : KEYS[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });

  // Views.
  function show() {
    const { view, dir, params } = address();
    const isNew = root.dataset.view !== view;
    if (leftAt && shownRun) leftAt.dir = shownRun.dir;
    if (isNew && root.dataset.view === "runs") leaveList();
    if (isNew && view === "runs") returnToList();
    else if (isNew && view !== "run") window.scrollTo(0, 0);
    root.dataset.view = view;
    for (const item of all(".views a")) {
      const isCurrent = item.dataset.view === (view === "overview" ? view : "runs");
      if (isCurrent) item.setAttribute("aria-current", "page");
      else item.removeAttribute("aria-current");
    }
    if (view !== "run") shownRun = null;
    if (view === "runs") showRuns(params);
    if (view === "compare") showCompared(params);
    if (view === "run") showRun(dir, params);
    const what = { runs: "Runs", compare: "Compare", run: shownRun && shownRun.dir === dir ? shownRun.id : "Run" }[view];
    document.title = what ? `${safe(what)} \u00b7 runvet` : opening;
  }

  const theme = stored("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const left = find(".left-out p");
  if (left) find("#runs .list-status").before(make("p", { class: "notice is-warn" }, left.textContent));
  for (const button of all("[data-do]")) button.hidden = false;
  find('[data-do="theme"]').addEventListener("click", toggleTheme);
  find('[data-do="help"]').addEventListener("click", KEYS["?"]);
  const keys = find("#keys [name=keys]");
  keys.checked = stored("keys") !== "off";
  keys.addEventListener("change", () => stored("keys", keys.checked ? "on" : "off"));
  root.classList.add("js");
  rove();
  setUpFilters();
  window.addEventListener("hashchange", show);
  show();

  // A service tells of changes; what is shown follows them.
  let shownSums = "";
  function follow(dirs, gone) {
    live.overview().then(({ text, runs, judged, found }) => {
      find(".views .count").textContent = count.format(runs);
      if (text === shownSums) return;
      shownSums = text;
      const back = keeper(find("#sums"));
      find("#sums").innerHTML = policy.createHTML(text);
      const note = find("#sums .under-way");
      if (note && found > judged) note.append(` ${count.format(judged)} of ${plural(found, "run")} so far.`);
      rove();
      back();
    }, () => {});
    offerChoices();
    const { view, dir, params } = address();
    if (view === "runs") showRuns(params, true);
    if (view === "run" && (!dirs || dirs.has(dir))) refreshRun(dir, gone.has(dir));
  }
  if (live) {
    const state = find(".tools .badge");
    live.listen(follow, (isReached) => {
      state.textContent = isReached ? "live" : "no connection";
      state.className = isReached ? "badge live" : "badge warn";
    });
  }
})();
