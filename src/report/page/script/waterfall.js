// The drawing of a timeline -> one that can be zoomed and spread.

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
