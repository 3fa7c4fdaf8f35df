// The filters of the address -> the runs that they select.

// Filters.
const NONE = "(none)";
// A time as a person writes it, as `runvet list --since` reads it; what has no offset is in UTC.
function instant(text) {
  const now = Date.now() / 1000;
  const today = Math.floor(now / 86400) * 86400;
  if (text === "today" || text === "yesterday") return today - (text === "today" ? 0 : 86400);
  const [, number, unit] = /^-?(\d+)([smhd])$/.exec(text) || [];
  if (unit) return now - number * { s: 1, m: 60, h: 3600, d: 86400 }[unit];
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
  const full = text.length === 10 ? `${text}T00:00:00` : text;
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/i.test(full) ? full : `${full}Z`) / 1000;
}
const TIMES = "a date, a date-time such as 2026-03-01T14:00, today, yesterday, or a length before now such as 24h";
const within = (value, range) => {
  const [low, high] = range.split("..");
  return value !== undefined && (low === "" || value >= Number(low)) && (high === "" || value < Number(high));
};
const metricOf = (row, wanted) => ((row.metrics || []).find(([name]) => name === wanted) || [])[1];
const verdict = (row) => (row.valid === null ? "undecided" : row.valid ? "yes" : "no");
const FILTERS = {
  valid: (row, wanted) => verdict(row) === wanted,
  verdict: equal("verdict"),
  status: equal("status"),
  outcome: equal("outcome"),
  task: equal("task"),
  adapter: equal("adapter"),
  mode: equal("mode"),
  ended: (row, wanted) => (row.outcome ?? row.status ?? NONE) === wanted,
  rule: (row, wanted) =>
    (row.rules || []).some((rule) => rule === wanted || (wanted.endsWith("/*") && rule.startsWith(wanted.slice(0, -1)))),
  tag: (row, wanted) => (row.tags || []).includes(wanted),
  since: (row, wanted) =>
    wanted === NONE ? row.started_sec === undefined : row.started_sec >= instant(wanted),
  until: (row, wanted) => row.started_sec < instant(wanted),
  duration: (row, wanted) => within(row.duration_sec, wanted),
  latency: (row, wanted) => {
    const at = wanted.indexOf("..");
    const found = (row.latencies || []).find(([name]) => name === wanted.slice(0, at));
    return found !== undefined && within(found[1], wanted.slice(at + 2));
  },
  metric: (row, wanted) => {
    const [name, range] = wanted.split(/\.\.(.*)/s);
    return within(metricOf(row, name), range || "..");
  },
  tool: (row, wanted) => (row.tools || []).some(({ tool }) => (tool ?? NONE) === wanted) || (wanted === NONE && !row.tools),
  // A call of the tool that is asked for, too.
  call: (row, wanted, params) => callsOf(row, params).length > 0,
  has: (row, wanted) => (row[wanted] || 0) > 0,
  q: (row, wanted) => {
    const text = `${row.id} ${row.dir} ${row.task || ""}`.toLowerCase();
    return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  },
};
// The tools of which a call ended as is asked for, each with the line where that first happened.
function callsOf(row, params) {
  const [tool, call] = [params.get("tool"), params.get("call")];
  return (row.tools || []).filter((use) => !tool || (use.tool ?? NONE) === tool)
    .map((use) => [use.tool ?? "a call", use[`${call}_line`]]).filter(([, line]) => line)
    .sort(([, a], [, b]) => a - b);
}
const SORTS = {
  valid: (row) => row.errors * 1e6 + row.warnings,
  id: (row) => row.id,
  status: (row) => row.status ?? "",
  outcome: (row) => row.outcome ?? "",
  started: (row) => row.started_sec ?? -Infinity,
  duration: (row) => row.duration_sec ?? -Infinity,
  adapter: (row) => row.adapter ?? "",
  mode: (row) => row.mode ?? "",
};
// Only a service knows when a file was written last.
if (live) FILTERS.silent_for = () => true;
// Only a service has the texts of runs.
if (live) FILTERS.text = () => true;
// What is wrong with a filter of the address, if anything.
const OTHERS = ["sort", "page", "cursor", "limit"];
function misread(name, value) {
  if (!FILTERS[name]) return OTHERS.includes(name) ? "" : `there is no filter ${name}`;
  if (name === "duration" && value && !/^[\d.]*\.\.[\d.]*$/.test(value)) return "duration is seconds such as 10..60, 60.. or ..1";
  const isTime = name === "since" || name === "until";
  return isTime && value && value !== NONE && Number.isNaN(instant(value)) ? `${name} is ${TIMES}` : "";
}
function select(params) {
  const wanted = Object.entries(FILTERS).filter(([name]) => params.get(name));
  const rows = source.rows.filter((row) => wanted.every(([name, test]) => test(row, params.get(name), params)));
  const sort = params.get("sort") || "";
  const name = sort.replace(/^-/, "");
  const key = name.startsWith("metric:") ? (row) => metricOf(row, name.slice(7)) ?? -Infinity : SORTS[name];
  if (!key) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  const order = (a, b) => (a < b ? -sign : a > b ? sign : 0);
  return rows.map((row) => [key(row), row]).sort(([a], [b]) => order(a, b)).map(([, row]) => row);
}
