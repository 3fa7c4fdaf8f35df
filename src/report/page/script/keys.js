// Keys -> what they do; and light or dark.

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
