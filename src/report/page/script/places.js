// What an address or a link names in a run -> what is shown and marked.

// The address names the event that was opened last, so that it can be passed on.
document.addEventListener("click", ({ target }) => {
  const item = target.closest("#run .event > summary");
  if (!item || !shownRun || item.parentElement.open) return;
  history.replaceState(null, "", `${linkOf(shownRun)}?at=L${lineOf(item.parentElement)}`);
});
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
