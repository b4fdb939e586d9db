// A small part of Markdown as DOM nodes: what shopping assistants write. Everything else stays the text that it is.

import { el } from "./dom.js";

const FENCE = /^\s*```/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const ITEM = /^(\s*)([-*+•]|\d{1,3}[.)])\s+(.*)$/;
const QUOTE = /^\s*>\s?(.*)$/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const ADDRESS = /^https?:\/\/[^\s<>"']+/i;
const MAX_DEPTH = 4;

/** Return a text's blocks as nodes. */
export function markdown(text) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

function blocks(lines, depth) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) {
      at += 1;
    } else if (FENCE.test(line)) {
      const end = lines.findIndex((other, index) => index > at && FENCE.test(other));
      const last = end < 0 ? lines.length : end;
      nodes.push(el("pre", { tabindex: 0 }, el("code", {}, lines.slice(at + 1, last).join("\n"))));
      at = last + 1;
    } else if (HEADING.test(line)) {
      const [, marks, words] = HEADING.exec(line);
      nodes.push(el(`h${Math.min(marks.length + 2, 6)}`, {}, ...inline(words)));
      at += 1;
    } else if (RULE.test(line)) {
      nodes.push(el("hr"));
      at += 1;
    } else if (isTable(lines, at)) {
      const end = endOf(lines, at + 2, (other) => other.includes("|"));
      nodes.push(table(lines[at], lines.slice(at + 2, end)));
      at = end;
    } else if (ITEM.test(line) && depth < MAX_DEPTH) {
      const end = endOf(lines, at + 1, (other, index) => belongsToList(lines, at, index));
      nodes.push(list(lines.slice(at, end), depth));
      at = end;
    } else if (QUOTE.test(line) && depth < MAX_DEPTH) {
      const end = endOf(lines, at + 1, (other) => QUOTE.test(other));
      const inner = lines.slice(at, end).map((other) => QUOTE.exec(other)[1]);
      nodes.push(el("blockquote", {}, ...blocks(inner, depth + 1)));
      at = end;
    } else {
      const end = endOf(lines, at + 1, (other, index) => other.trim() !== "" && !startsBlock(lines, index));
      nodes.push(paragraph(lines.slice(at, end)));
      at = end;
    }
  }
  return nodes;
}

function endOf(lines, from, goesOn) {
  let end = from;
  while (end < lines.length && goesOn(lines[end], end)) end += 1;
  return end;
}

function startsBlock(lines, at) {
  const line = lines[at];
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || ITEM.test(line) || QUOTE.test(line)
    || isTable(lines, at);
}

function isTable(lines, at) {
  const rule = lines[at + 1];
  return lines[at].includes("|") && rule !== undefined && rule.includes("|") && TABLE_LINE.test(rule);
}

/** Whether a line goes on the list that begins at `start`: an item of its kind, or something inside of one. */
function belongsToList(lines, start, index) {
  const [, indent, mark] = ITEM.exec(lines[start]);
  const line = lines[index];
  if (!line.trim()) {
    const next = lines.slice(index + 1).find((other) => other.trim());
    return next !== undefined && continues(next, indent.length, mark);
  }
  return continues(line, indent.length, mark) || (!startsBlock(lines, index) && lines[index - 1].trim() !== "");
}

function continues(line, indent, mark) {
  const item = ITEM.exec(line);
  if (item !== null && item[1].length <= indent) return item[1].length === indent && numbered(item[2]) === numbered(mark);
  return /^\s*/.exec(line)[0].length > indent;
}

function numbered(mark) {
  return /\d/.test(mark);
}

function list(lines, depth) {
  const [, indent, mark] = ITEM.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const found = ITEM.exec(line);
    if (found !== null && found[1].length === indent.length) items.push([found[3]]);
    else items[items.length - 1].push(line);
  }
  const start = numbered(mark) ? Number.parseInt(mark, 10) : null;
  const made = items.map((inside) => el("li", {}, ...itemNodes(inside, depth)));
  return el(numbered(mark) ? "ol" : "ul", { start: start !== null && start !== 1 ? start : null }, ...made);
}

function itemNodes(lines, depth) {
  const nodes = blocks(lines.map((line, index) => (index ? line.replace(/^ {1,4}/, "") : line)), depth + 1);
  // A single line is no paragraph of its own.
  return nodes.length && nodes[0].tagName === "P" ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

function table(head, rows) {
  // A head without words is no head.
  const cell = (words, tag) => el(words ? tag : "td", {}, ...inline(words));
  const row = (line, tag) => el("tr", {}, ...cells(line).map((words) => cell(words, tag)));
  const made = el("table", {}, el("thead", {}, row(head, "th")), el("tbody", {}, ...rows.map((line) => row(line, "td"))));
  return el("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Table" }, made);
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}

function paragraph(lines) {
  const nodes = lines.flatMap((line, index) => (index ? [el("br"), ...inline(line.trim())] : inline(line.trim())));
  return el("p", {}, ...nodes);
}

const PAIRS = [["**", "strong"], ["__", "strong"], ["~~", "s"], ["*", "em"], ["_", "em"]];

/** Return the nodes of a line: code, emphasis, links. A mark without its partner is text. */
function inline(text, depth = 0) {
  const nodes = [];
  const hopeless = new Set();
  let words = "";
  let at = 0;
  const add = (node, length) => {
    if (words) nodes.push(words);
    words = "";
    nodes.push(node);
    at += length;
  };
  while (at < text.length) {
    const found = text[at] === "\\" ? null : special(text, at, depth, hopeless);
    if (found !== null) {
      add(...found);
    } else if (text[at] === "\\" && /[\\`*_~[\]()#|>-]/.test(text[at + 1] ?? "")) {
      words += text[at + 1];
      at += 2;
    } else {
      words += text[at];
      at += 1;
    }
  }
  if (words) nodes.push(words);
  return nodes;
}

function special(text, at, depth, hopeless) {
  const sign = text[at];
  if (sign === "`") return code(text, at, hopeless);
  if (sign === "[") return link(text, at, depth);
  if ((sign === "h" || sign === "H") && !/\w/.test(text[at - 1] ?? "")) return address(text, at);
  if (!"*_~".includes(sign) || depth >= MAX_DEPTH) return null;
  for (const [mark, tag] of PAIRS) {
    if (!text.startsWith(mark, at) || hopeless.has(mark)) continue;
    const end = closing(text, at, mark);
    if (end === -1) hopeless.add(mark);
    if (end > 0) return [el(tag, {}, ...inline(text.slice(at + mark.length, end), depth + 1)), end + mark.length - at];
  }
  return null;
}

/** Return where a mark is closed, 0 where it opens nothing, -1 where the rest of the text does not close it. */
function closing(text, at, mark) {
  const start = at + mark.length;
  if (!text[start] || /\s/.test(text[start]) || (mark[0] === "_" && /\w/.test(text[at - 1] ?? ""))) return 0;
  for (let end = text.indexOf(mark, start + 1); end > 0; end = text.indexOf(mark, end + 1)) {
    const inside = !/\s/.test(text[end - 1]) && !(mark[0] === "_" && /\w/.test(text[end + mark.length] ?? ""));
    if (inside && (mark.length > 1 || text[end + 1] !== mark)) return end;
    if (mark.length === 1 && text[end + 1] === mark) end += 1;
  }
  return -1;
}

function code(text, at, hopeless) {
  if (hopeless.has("`")) return null;
  const end = text.indexOf("`", at + 1);
  if (end < 0) hopeless.add("`");
  return end > at + 1 ? [el("code", {}, text.slice(at + 1, end)), end + 1 - at] : null;
}

function link(text, at, depth) {
  const match = /^\[([^[\]]{1,300})\]\(([^()\s]{1,2000})\)/.exec(text.slice(at, at + 2400));
  if (match === null || depth >= MAX_DEPTH) return null;
  const href = safeAddress(match[2]);
  return href === null ? null : [anchor(href, inline(match[1], MAX_DEPTH)), match[0].length];
}

function address(text, at) {
  const match = ADDRESS.exec(text.slice(at, at + 2000));
  if (match === null) return null;
  const written = match[0].replace(/[.,;:!?)\]*_]+$/, "");
  const href = safeAddress(written);
  return href === null ? null : [anchor(href, [written]), written.length];
}

function anchor(href, children) {
  return el("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
}

function safeAddress(written) {
  try {
    const url = new URL(written);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}
