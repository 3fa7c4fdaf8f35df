// What is in this file, or what a service sends -> rows and pages of runs. The address names the view.

// Where the runs come from: this file, or a service.
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
  if (["runs", "compare", "groups"].includes(path)) return { view: path, params };
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
