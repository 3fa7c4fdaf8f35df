// What the page in a file holds, asked from the service that sent this page. It comes before the
// script of the page, which takes it from here.
(() => {
  "use strict";

  const FILTERS = [
    "valid", "verdict", "status", "outcome", "ended", "rule", "task", "adapter", "mode", "tag", "since", "until",
    "duration", "latency", "metric", "silent_for", "has", "tool", "call", "q", "text", "sort", "cursor",
  ];

  // By how many milliseconds the clock of the service is ahead of that of this computer.
  let ahead = 0;

  const reach = (path) => fetch(path, { headers: { accept: "application/json" } }).catch(() => {
    throw new Error("There is no connection to the service.");
  });

  async function ask(path) {
    const answer = await reach(path);
    const off = Date.parse(answer.headers.get("date")) - Date.now();
    ahead = Math.abs(off) > 2000 ? off : 0;
    // The service has been started again, and knows this browser no more: it shows its form.
    if (answer.status === 401) location.reload();
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(body.detail || `The service did not answer as asked (status ${answer.status}).`);
    return body;
  }

  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("runvet-live", { createScriptURL: (url) => url })
    : { createScriptURL: (url) => url };

  // Listens to changes through one connection for all pages of this browser, or else by itself.
  function hear(tell) {
    const alone = () => window.runvetChanges("api/v1/changes", tell);
    try {
      const worker = new SharedWorker(policy.createScriptURL("static/changes.js"));
      worker.addEventListener("error", alone, { once: true });
      worker.port.addEventListener("message", ({ data }) => tell(data.name, data.data));
      worker.port.start();
    } catch {
      alone();
    }
  }

  window.runvetLive = {
    // One page of runs: items, total, next. A search of texts goes on until the page is full, and tells
    // how far it is; it ends when what it calls says so.
    list: async (params, told = () => true) => {
      const asked = new URLSearchParams([...params].filter(([name, value]) => FILTERS.includes(name) && value));
      asked.set("limit", "100");
      const page = await ask(`api/v1/runs?${asked}`);
      while (page.searched && page.next && page.items.length < 100 && told(page)) {
        asked.set("limit", String(100 - page.items.length));
        asked.set("cursor", page.next);
        const { items, next, searched } = await ask(`api/v1/runs?${asked}`);
        page.items.push(...items);
        page.next = next;
        page.searched.runs += searched.runs;
        page.searched.unread.push(...searched.unread);
        page.searched.unread_more += searched.unread_more;
      }
      return page;
    },
    // The runs of each value of a tag side by side, drawn.
    groups: async (params) => {
      const asked = new URLSearchParams([...params].filter(([name, value]) => ["by", "base"].includes(name) && value));
      const page = await ask(`page/groups?${asked}`);
      if (page.text === undefined) throw new Error(page.detail);
      return page.text;
    },
    // The sums, drawn, and the number of runs.
    overview: () => ask("page/overview"),
    // A run: its row, and its page. Why there is none is said with the status of success.
    run: async (name) => {
      const of = (name) => ask(`page/run?${new URLSearchParams([["dir", name]])}`);
      let page = await of(name);
      const id = name.split("/").pop();
      // A directory is named as it was when the service started; the id stays.
      if (page.status === 404 && id !== name) {
        const other = await of(id);
        if (other.text !== undefined) page = other;
      }
      if (page.text === undefined) throw Object.assign(new Error(page.detail.split(";")[0]), { keys: page.keys });
      return { ...page, prefix: "r-" };
    },
    now: () => Date.now() + ahead,
    // Where a record of a run is, as it is stored.
    record: (dir, name) => `api/v1/record?${new URLSearchParams([["dir", dir], ["name", name]])}`,
    // The text of a file that was attached to a run, unless it is too long to be shown.
    attached: async (dir, name, most) => {
      const answer = await reach(window.runvetLive.attachment(dir, name));
      if (!answer.ok) throw new Error("The run has no such file with this digest.");
      if (Number(answer.headers.get("content-length")) > most) throw new Error("It is too long to be shown here.");
      return answer.text();
    },
    // Where a file is that was attached to a run.
    attachment: (dir, name) => `api/v1/attachment?${new URLSearchParams([["dir", dir], ["name", name]])}`,
    // The lines of a timeline from one on: items, next; only events of a phase or with words, where
    // these are given. Numbers stay as written.
    events: async (dir, line, limit = 100, filters = {}) => {
      const given = Object.entries(filters).filter(([, value]) => value);
      const asked = new URLSearchParams([["dir", dir], ["cursor", line], ["limit", limit], ...given]);
      const answer = await reach(`api/v1/events?${asked}`);
      if (!answer.ok) {
        const { detail } = await answer.json().catch(() => ({}));
        throw new Error(detail || `The service did not answer as asked (status ${answer.status}).`);
      }
      const exact = (key, value, context) =>
        (typeof value === "number" && key !== "line" && key !== "next" && context && JSON.rawJSON
          ? JSON.rawJSON(context.source) : value);
      return JSON.parse(await answer.text(), exact);
    },
    // What `runvet diff --json` says of two runs.
    diff: (left, right) => ask(`api/v1/diff?${new URLSearchParams([["left", left], ["right", right]])}`),
    rule: (name) => ask(`page/rule?${new URLSearchParams([["name", name]])}`).then((page) => page.text),
    // The values that filters offer, each with its number of runs.
    choices: async () => {
      const sums = await ask("api/v1/statistics");
      const numbers = (names) => Object.entries(names).map(([name, tally]) => [name, tally.episodes]);
      const { valid, invalid, undecided } = sums.totals;
      return {
        valid: [["yes", valid], ["no", invalid], ["undecided", undecided]].filter(([, number]) => number),
        status: numbers(sums.statuses), outcome: numbers(sums.outcomes),
        rule: numbers(sums.statistics.rules), adapter: numbers(sums.statistics.adapters),
        mode: numbers(sums.statistics.modes), tag: numbers(sums.tags), tool: numbers(sums.tools),
        metric: Object.keys(sums.metrics),
      };
    },
    // Calls back after changes, at most once a second, with the directories of the runs, or null
    // where some may be unknown, and those that are gone. Tells whether the service can be reached.
    listen: (changed, reached) => {
      let dirs = new Set();
      const gone = new Set();
      let isWaiting = false;
      let last = 0;
      const take = (dir) => {
        if (dir === null) dirs = null;
        else if (dirs) dirs.add(dir);
        if (isWaiting) return;
        isWaiting = true;
        setTimeout(() => {
          isWaiting = false;
          last = Date.now();
          const met = dirs;
          dirs = new Set();
          changed(met, gone);
        }, Math.max(50, last + 1000 - Date.now()));
      };
      hear((name, data) => {
        if (name === "open" || name === "error") reached(name === "open");
        if (["verdict", "written", "gone"].includes(name)) {
          const { dir } = JSON.parse(data);
          if (name === "gone") gone.add(dir);
          else gone.delete(dir);
          take(dir);
        } else if (name !== "error") {
          // What happened while nobody listened, or was lost, is not known.
          take(null);
        }
      });
    },
  };
})();
