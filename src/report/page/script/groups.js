// A tag -> the runs of each of its values side by side, as the service draws them.

function showGroups(params, isFollowing = false) {
  const view = find("#groups");
  const wanted = location.hash;
  const by = params.get("by") || "";
  const draw = (...parts) => {
    if (location.hash !== wanted) return;
    const back = keeper(view);
    endReading(view);
    view.replaceChildren(...parts);
    back();
  };
  const title = make("h1", { id: "groups-title" }, `Runs by ${short(by)}`);
  if (!isFollowing) view.replaceChildren(title);
  if (!live || !by) {
    draw(title, make("p", { class: "notice" }, live ? "The address names no tag: #/groups?by=TAG" : "A page in a file does not compare groups: "
      + "runvet serve does, and runvet compare RUNS --by TAG in a terminal."));
    return;
  }
  if (!isFollowing) reading(view, false);
  live.groups(params).then((text) => {
    const part = make("div");
    part.innerHTML = policy.createHTML(text);
    draw(...part.childNodes);
  }, (error) => draw(title, make("p", { class: "notice", role: "status" }, error.message)));
}
