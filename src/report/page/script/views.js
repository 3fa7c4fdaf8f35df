// The address -> its view, and what changes in it. It comes last, and starts the page.

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
  if (view === "groups") showGroups(params);
  if (view === "run") showRun(dir, params);
  const what = { runs: "Runs", compare: "Compare", groups: "Groups", run: shownRun && shownRun.dir === dir ? shownRun.id : "Run" }[view];
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
  if (view === "groups") showGroups(params, true);
  // Two runs that are shown stay as they are read; runs that were missing may have arrived.
  if (view === "compare" && find("#compare > .notice")) showCompared(params);
  if (view === "run" && (!dirs || dirs.has(dir))) refreshRun(dir, gone.has(dir));
}
if (live) {
  const state = find(".tools .badge");
  live.listen(follow, (isReached) => {
    state.textContent = isReached ? "live" : "no connection";
    state.className = isReached ? "badge live" : "badge warn";
  });
}
