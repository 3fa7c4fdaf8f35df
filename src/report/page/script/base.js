// Texts and values of records -> elements of the page. Texts become text, never markup; markup comes from runvet alone.

const PER_PAGE = 100;
const EVENTS_PER_PAGE = 100;
const root = document.documentElement;
const opening = document.title;
// What asks the service that sent this page; absent in a file.
const live = window.runvetLive;
const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const count = new Intl.NumberFormat("en-US");
const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("runvet", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// A text of a record, with everything escaped that acts on a reader, as runvet escapes it elsewhere.
const HOSTILE = new RegExp("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u3164"
  + "\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8\\ufffe\\uffff\\u{e0000}-\\u{e0fff}]", "gu");
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const EMOJI = new RegExp(`\\p{RGI_Emoji}|${HOSTILE.source}`, "gv");
const escaped = (c) => SHORT[c] || `\\u{${c.codePointAt(0).toString(16)}}`;
// What joins the parts of an emoji that all know is a part of it.
const safe = (text) => (/[\u200d\ufe0f]/.test(text)
  ? text.replace(EMOJI, (c) => (c.replace(HOSTILE, "") ? c : escaped(c))) : text.replace(HOSTILE, escaped));
// What a terminal takes for colours is none of the words.
const plain = (text) => text.replace(/\x1b\[[\d;]*m/g, "");
const lines = (text) => plain(text).split("\n").map(safe).join("\n");

// An element with attributes and children; texts are texts.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  const given = children.filter((child) => child !== null && child !== undefined);
  element.append(...given.map((child) => (typeof child === "string" ? safe(child) : child)));
  return element;
}

const equal = (field) => (row, wanted) => String(row[field] ?? NONE) === wanted;
// The beginning of a text, and how much is missing.
function short(text, most = 80) {
  const letters = text && text.length > most ? [...text] : [];
  const more = letters.length - most;
  return more > 0 ? `${letters.slice(0, most).join("")}\u2026 (${count.format(more)} more character${more === 1 ? "" : "s"})` : text;
}
// Words for people.
const TONES = {
  ok: "good", success: "good", error: "bad", goal_not_achieved: "bad", failed: "bad",
  vetoed: "warn", aborted: "warn", partial: "warn",
};
const inWords = (text) => (text === "success_unverified" ? "success, not verified" : text.replaceAll("_", " "));
const badge = (text) => (text === undefined ? "" : make("span", { class: `badge ${TONES[text] || ""}` }, short(inWords(text))));
// How a run ended; its status too, where that says another thing than the outcome.
const endOf = ({ outcome, status }) => {
  const saysMore = outcome === undefined || (status !== outcome && status !== "ok");
  return [badge(outcome), outcome !== undefined && saysMore ? " " : "", saysMore ? badge(status) : ""];
};
function duration(seconds) {
  const digits = (value) => String(Number(value.toPrecision(3)));
  if (seconds === undefined) return "";
  if (seconds <= 0) return `${seconds} s`;
  if (seconds < 1) return `${digits(seconds * 1000)} ms`;
  if (seconds < 120) return `${digits(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}
const started = (row) =>
  row.started_sec === undefined
    ? row.started_at || ""
    : new Date(row.started_sec * 1000).toISOString().slice(0, 19).replace("T", " ");
// The time on this computer, where it differs from UTC.
const local = (row) => {
  const at = row.started_sec === undefined ? null : new Date(row.started_sec * 1000);
  return !at || !at.getTimezoneOffset() ? null
    : make("span", { class: "local" }, ` ${at.toLocaleTimeString("en-GB", { timeZoneName: "short" })}`);
};
// How long a run is in progress, and since when nothing of it was written; both grow while they are looked at.
const SILENT_SEC = 600;
function pace(row) {
  if (row.paused) {
    const { since, reason } = row.paused;
    const words = [since ? ` since ${since.slice(0, 19).replace("T", " ")}` : "", reason ? `: ${short(reason)}` : ""];
    return make("span", { class: "badge warn" }, `paused${words.join("")}`);
  }
  if (row.written_sec === undefined) return null;
  const part = make("span", { class: "pace badge", "data-started": row.started_sec, "data-written": row.written_sec });
  showPace(part);
  return part;
}
function showPace(part) {
  const now = live.now() / 1000;
  const ago = (sec) => duration(Math.max(0, Math.floor(now - sec)));
  const { started, written } = part.dataset;
  const isSilent = now - written >= SILENT_SEC;
  const text = isSilent ? `silent for ${ago(written)}`
    : `${started ? `running for ${ago(started)}, ` : ""}last write ${ago(written)} ago`;
  if (part.textContent !== text) part.textContent = text;
  part.classList.toggle("warn", isSilent);
}
if (live) setInterval(() => all(".pace").forEach(showPace), 1000);
const plural = (number, word) => `${count.format(number)} ${word}${number === 1 ? "" : "s"}`;
