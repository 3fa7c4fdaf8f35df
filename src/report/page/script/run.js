// The page of a run -> what is on the screen of it. What a reader opened stays so when it is drawn again.

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
  view.parts = null;
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
    view.run = { dir: row.dir, texts: textsOf(view) };
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

// Puts the conversation of each part of a run where the part began; it is read when it is opened.
function placeBranches(row) {
  for (const old of all("#run .branch")) old.remove();
  const began = (run) => Date.parse(run.started_at) / 1000;
  for (const part of find("#run").parts) {
    const before = all("#run .conversation > *").filter((it) => Number(it.dataset.sec) <= began(part) - began(row)).pop();
    if (!before) continue;
    const branch = make("details", { class: "branch", "data-sec": began(part) - began(row) }, make("summary", {},
      `sub-agent ${part.id} `, short(part.task) || "", " ", badge(part.outcome ?? part.status)));
    branch.run = { dir: part.dir };
    branch.addEventListener("toggle", async () => {
      const page = await source.run(part.dir).catch((error) => ({ error }));
      const holder = make("div");
      holder.innerHTML = policy.createHTML(page.text || "");
      leadToRun(holder, part);
      branch.append(make("p", { class: "note" }, make("a", { href: linkOf(part) }, "Open this run")), find(".conversation", holder) || make("p", { class: "note" }, page.error ? page.error.message : "It has no messages."));
    }, { once: true });
    before.after(branch);
  }
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

function withoutPage(row) {
  const list = (row.rules || []).map((rule) =>
    make("li", {}, make("a", { href: link("runs", [["rule", rule]]) }, rule)));
  const command = `runvet view ${quoted(row.dir)}`;
  return [
    make("header", { class: "run-header run" }, crumb(row), make("h1", {}, short(row.task, 160) || row.id),
      make("p", { class: "badges" }, ...endOf(row))),
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
  for (const words of all("[data-picture]", view)) words.replaceWith(pictureOf(words.dataset.picture) || words.textContent);
  for (const words of all("[data-attachment]", view)) {
    const name = words.dataset.attachment;
    if (words.matches(".cut")) addWhole(words, name);
    else if (live && ATTACHMENT.test(name)) words.replaceWith(attached(name));
  }
  if (find("#run").parts && find(".conversation", view)) placeBranches(row);
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
  find("#run").parts = parts.items;
  placeBranches(row);
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
