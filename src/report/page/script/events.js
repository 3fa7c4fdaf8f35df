// Events of a timeline -> a list of them that can be filtered and turned over.

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
  // Whether the words of all events are on the page, and not with the service.
  const isWhole = (words) => !(live && words) && !items.some((item) => item.matches(".fold") || find(".between", item));
  const show = () => {
    const isAsked = live && (from > 0 || (isFiltered() && !isWhole(search.value.trim())));
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
    if (item.open) fill(item);
    const note = find(".between", item);
    if (!note) return;
    const showAll = () => eventOn(lineOf(item), { dir: row.dir }).then((event) => {
      const ends = all("pre", note.parentElement);
      note.replaceWith(treeOf(event));
      for (const end of ends) end.remove();
    }, (error) => { note.textContent = safe(error.message); });
    note.append(" ", make("button", { type: "button", onclick: showAll }, "Show all"));
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, live ? 150 : 0);
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
  const item = make("details", { class: "event", id: `${where}-L${line}`, "data-phase": text(phase) },
    make("summary", {},
      make("span", { class: "line" }, String(line)), make("span", { class: "at" }, Number.isNaN(at) ? "" : `+${duration(at)}`),
      make("span", { class: `phase ${CLASSES[phase] || "other"}` }, text(phase)),
      make("span", { class: "agent" }, make("bdi", {}, text(agent))),
      make("span", { class: "what" }, make("bdi", {}, error || summary))),
    make("div", { class: "body" }));
  item.event = event;
  if (error) find(".body", item).append(make("p", {}, error));
  return item;
}
