// A value -> its tree, its text, and the pictures in it.

// JSON whose numbers stay as they are written.
const exactly = (text) => JSON.parse(text, (key, value, context) =>
  (typeof value === "number" && context && JSON.rawJSON ? JSON.rawJSON(context.source) : value));
const isRaw = (value) => JSON.isRawJSON && JSON.isRawJSON(value);

// The texts of the events that a part of a file has, by their lines.
const textsOf = (part) => new Map(all(".event .json", part).map((text) => [lineOf(text.closest(".event")), text.textContent]));

// The event on a line of a run, from the service or the file. A file has a long text once: elsewhere stand the line and
// the pointer of its first place, after a character that no other text begins with.
async function eventOn(line, { dir, texts }) {
  if (live) {
    const { items: [item] } = await live.events(dir, line, 1);
    if (!item || item.line !== line || !item.event) throw new Error((item && item.error) || `Line ${line} has no event any more.`);
    return item.event;
  }
  const read = (at) => exactly(texts.get(at));
  const name = (part) => part.replace(/~1/g, "/").replace(/~0/g, "~");
  const first = (place) => {
    const [, at, pointer] = /^(\d+)(.*)$/s.exec(place);
    return pointer.split("/").slice(1).map(name).reduce((value, key) => value[key], read(Number(at)));
  };
  const whole = (value) => {
    if (typeof value === "string" && value[0] === "\u0001") {
      const text = value[1] === "\u0001" ? value : first(value.slice(1));
      return text[0] === "\u0001" ? text.slice(1) : text;
    }
    if (value === null || typeof value !== "object" || isRaw(value)) return value;
    if (Array.isArray(value)) return value.map(whole);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, whole(part)]));
  };
  return whole(read(line));
}

// Draws what an event or an action says, once it is opened.
async function fill(details) {
  const body = find(":scope > .body, :scope > .values", details);
  if (!body || body.isAsked || [...body.children].some((part) => !part.matches(".json"))) return;
  body.isAsked = true;
  try {
    const { run } = details.closest("#run, .side, .act-side, .branch");
    const event = details.event || await eventOn(Number(body.dataset.line) || lineOf(details), run);
    body.append(...(details.matches(".event") ? [treeOf(event)] : valuesOf(event.payload || {})));
  } catch (error) {
    body.append(make("p", { class: "note", role: "status" }, error.message));
  }
}
// What went into an action and what came out.
function valuesOf({ input, input_excerpt: excerpt, output }) {
  const values = [["input", input ?? excerpt], ["output", output]].filter(([, value]) => value !== undefined && value !== null);
  return values.flatMap(([name, value]) => [make("h3", {}, name), typeof value === "string" ? textOf(value) : treeOf(value)]);
}

// What is left of a value that was cut when it was recorded.
function cutOf({ excerpt, bytes, attachment }) {
  const left = make("span", { class: "cut" }, make("span", { class: "badge warn" }, "cut"), ` ${plain(String(excerpt))} `,
    make("span", { class: "dim" }, `of ${figure(Number(String(bytes && bytes.rawJSON || bytes)))} bytes`));
  if (typeof attachment === "string") addWhole(left, attachment);
  return left;
}
// Adds how one gets to the file that has all of a value that was cut.
const MAX_SHOWN_BYTES = 8 << 20;
function addWhole(left, name) {
  if (!live || !shownRun || !ATTACHMENT.test(name)) return;
  const { dir } = shownRun;
  const button = make("button", { type: "button", onclick: async () => {
    try {
      const text = await live.attached(dir, name, MAX_SHOWN_BYTES);
      left.after(name.endsWith(".json") ? treeOf(exactly(text)) : textOf(text));
      button.remove();
    } catch (error) {
      button.replaceWith(safe(error.message));
    }
  } }, "Show all");
  left.append(" ", button, " ", make("a", { href: live.attachment(dir, name), download: name.split("/").pop() }, "Download all"));
}

// The number of values of a tree that are drawn at first, and of parts of a group at a time.
const MAX_VALUES = 400;
const MAX_PARTS = 100;
// A value as the tree that the page of a run has of an event. What is not open is drawn when it is opened.
function treeOf(value) {
  let room = MAX_VALUES;
  const some = (list, parts, from = 0) => {
    list.append(...parts.slice(from, from + MAX_PARTS).map(([name, part]) => branch(part, name)));
    const left = parts.length - from - MAX_PARTS;
    if (left <= 0) return;
    const more = make("button", { type: "button", onclick: () => {
      more.parentElement.remove();
      some(list, parts, from + MAX_PARTS);
    } }, `Show ${count.format(Math.min(left, MAX_PARTS))} of ${count.format(left)} more`);
    list.append(make("li", {}, more));
  };
  const branch = (part, name) => {
    room -= 1;
    const key = name === undefined ? null : make("span", { class: "k" }, name);
    const isNumber = typeof part === "number" || isRaw(part);
    if (part && part.sha256 && part.excerpt !== undefined && part.bytes !== undefined) return make("li", {}, key, cutOf(part));
    const parts = part !== null && typeof part === "object" && !isNumber ? Object.entries(part) : [];
    if (!parts.length) return make("li", {}, key, ...leaf(part, isNumber));
    const group = `${Array.isArray(part) ? "[\u2026]" : "{\u2026}"} ${count.format(parts.length)}`;
    const list = make("ul");
    const details = make("details", {}, make("summary", {}, key, make("span", { class: "group" }, group)), list);
    const open = () => { if (!list.children.length) some(list, parts); };
    details.addEventListener("toggle", open);
    if (room > 0) {
      details.open = true;
      open();
    }
    return make("li", {}, details);
  };
  const leaf = (part, isNumber) => {
    if (typeof part !== "string") return [make("span", { class: `v ${isNumber ? "n" : "w"}` }, JSON.stringify(part))];
    const picture = pictureOf(part);
    if (picture) return [picture];
    return [part.includes("\n") || part.length > PIECE ? textOf(part) : make("span", { class: "v s" }, `"${plain(part)}"`)];
  };
  return make("div", { class: "tree" }, make("ul", {}, branch(value)));
}

// A text with its lines. A long one comes in pieces, so that the page answers meanwhile.
const PIECE = 16384;
function textOf(text) {
  const block = make("pre", { class: "s", tabindex: "0" });
  let from = 0;
  const add = () => {
    for (let pieces = 0; from < text.length && pieces < 8; pieces += 1) {
      let end = text.lastIndexOf("\n", from + PIECE) + 1;
      if (end <= from || text.length - from <= PIECE) end = Math.min(text.length, from + PIECE);
      if (/[\ud800-\udbff]/.test(text[end - 1])) end += 1;
      const piece = make("div");
      piece.textContent = lines(text.slice(from, end));
      block.append(piece);
      from = end;
    }
    if (from < text.length) setTimeout(add);
  };
  add();
  return block;
}

// Pictures in records: of kinds that are known by their first bytes, of bounded size, and only from the text itself.
const PICTURE = /^(?:data:image\/[\w.+-]+;base64,)?((iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/]{40,}={0,2})$/;
const KINDS = { iVBORw0KGgo: "png", "/9j/": "jpeg", R0lGOD: "gif", UklGR: "webp" };
const MAX_PICTURE_BYTES = 8 << 20;
const MAX_PICTURE_PIXELS = 32e6;
function pictureOf(text) {
  if (text.length > MAX_PICTURE_BYTES * 4 / 3 + 100) return null;
  const [, data, magic] = PICTURE.exec(text) || [];
  if (!data || data.length % 4) return null;
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const kind = KINDS[magic];
  const [width, height] = sizeOf(kind, new DataView(bytes.buffer));
  if (!width || !height || width * height > MAX_PICTURE_PIXELS) return null;
  const what = `${kind}, ${width} \u00d7 ${height}, ${plural(bytes.length, "byte")}`;
  return make("figure", { class: "picture" },
    make("img", { src: `data:image/${kind};base64,${data}`, width, height, alt: `Picture of the record: ${what}` }),
    make("figcaption", { class: "note" }, what));
}
// The width and the height that the first bytes of a picture tell; [0, 0] where they do not.
function sizeOf(kind, view) {
  const name = (at) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
  try {
    if (kind === "png") return [view.getUint32(16), view.getUint32(20)];
    if (kind === "gif") return [view.getUint16(6, true), view.getUint16(8, true)];
    if (kind === "webp") {
      const bits = (at) => view.getUint32(at, true);
      if (name(12) === "VP8X") return [(bits(24) & 0xffffff) + 1, (bits(26) >>> 8) + 1];
      if (name(12) === "VP8L") return [(bits(21) & 0x3fff) + 1, ((bits(21) >>> 14) & 0x3fff) + 1];
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    }
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      const marker = view.getUint8(at + 1);
      if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
  } catch { /* It ends before that. */ }
  return [0, 0];
}
// A file that was attached to the run: a link to it, and the picture that it is.
const ATTACHMENT = /^attachments\/[0-9a-f]{64}(\.[a-z0-9]{1,16})?$/;
function attached(name) {
  const address = live.attachment(shownRun.dir, name);
  const anchor = make("a", { href: address, download: name.split("/").pop() }, name);
  if (!/\.(png|jpe?g|gif|webp)$/.test(name)) return anchor;
  const picture = make("img", { src: address, loading: "lazy", alt: `Attached picture ${name.slice(12, 20)}` });
  return make("figure", { class: "picture" }, picture, make("figcaption", { class: "note" }, anchor));
}
// Draws the pictures of an event or an action in place of their texts, once it is opened.
document.addEventListener("toggle", async ({ target }) => {
  if (!target.open || !target.matches(".event, .did details")) return;
  await fill(target);
  for (const part of all(".v.s", target)) {
    const name = part.textContent.replace(/^"|"$/g, "");
    if (live && shownRun && ATTACHMENT.test(name)) part.replaceWith(attached(name));
  }
  for (const part of all(".v.s, pre", target)) {
    const picture = pictureOf(part.textContent.trim().replace(/^"|"$/g, ""));
    if (picture) part.replaceWith(picture);
  }
}, true);
