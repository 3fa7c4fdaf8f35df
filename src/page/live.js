// What the page in a file holds, asked from the service that sent this page. It comes before the
// script of the page, which takes it from here.
(() => {
  "use strict";

  const FILTERS = [
    "valid", "status", "outcome", "ended", "rule", "adapter", "mode", "tag", "since", "until",
    "duration", "latency", "has", "q", "sort", "cursor",
  ];

  async function ask(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    const said = await answer.json();
    // 202 stands for a run that may still be judged for the first time.
    if (!answer.ok || answer.status === 202) throw new Error(said.detail || answer.statusText);
    return said;
  }

  window.runvetLive = {
    // One page of runs: items, total, next.
    list: (params) => {
      const asked = new URLSearchParams([...params].filter(([name, value]) => FILTERS.includes(name) && value));
      asked.set("limit", "100");
      return ask(`api/v1/runs?${asked}`);
    },
    // The sums, drawn, and the number of runs.
    overview: () => ask("page/overview"),
    // A run: its row, and its page.
    run: (dir) => ask(`page/run?${new URLSearchParams([["dir", dir]])}`),
    // The lines of a timeline from one on: items, next. Numbers stay as written.
    events: async (dir, line, limit = 100) => {
      const answer = await fetch(`api/v1/runs/${encodeURIComponent(dir)}/events?cursor=${line}&limit=${limit}`);
      if (!answer.ok) throw new Error(answer.statusText);
      const exact = (key, value, context) =>
        (typeof value === "number" && key !== "line" && key !== "next" && context && JSON.rawJSON
          ? JSON.rawJSON(context.source) : value);
      return JSON.parse(await answer.text(), exact);
    },
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
        mode: numbers(sums.statistics.modes), tag: numbers(sums.tags),
      };
    },
    // Calls back after changes, at most once a second, with the directories of the runs, or null
    // where some may be unknown, and those that are gone. Tells whether the service can be reached.
    listen: (changed, reached) => {
      let dirs = new Set();
      const gone = new Set();
      let isWaiting = false;
      const take = (dir) => {
        if (dir === null) dirs = null;
        else if (dirs) dirs.add(dir);
        if (isWaiting) return;
        isWaiting = true;
        setTimeout(() => {
          isWaiting = false;
          const met = dirs;
          dirs = new Set();
          changed(met, gone);
        }, 1000);
      };
      const events = new EventSource("api/v1/changes");
      events.addEventListener("open", () => {
        // What happened while nobody listened is not known.
        take(null);
        reached(true);
      });
      events.addEventListener("error", () => reached(false));
      for (const name of ["verdict", "gone"]) {
        events.addEventListener(name, (event) => {
          const { dir } = JSON.parse(event.data);
          if (name === "gone") gone.add(dir);
          else gone.delete(dir);
          take(dir);
        });
      }
      for (const name of ["whole", "lost"]) events.addEventListener(name, () => take(null));
    },
  };
})();
