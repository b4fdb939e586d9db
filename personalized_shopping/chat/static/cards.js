// Products, questions and receipts as cards.

import { el, icon } from "./dom.js";

const HUES = 12;
const IMAGE = /^(?:https:\/\/|data:image\/)/i;

/** Return a strip of search results. */
export function productStrip(event, ask) {
  const shown = event.products.map((product) => productCard(product, ask));
  const total = event.total > event.products.length ? `${event.products.length} of ${event.total}` : `${event.total}`;
  const label = `Results for ${event.query}`;
  return el(
    "section",
    { class: "results", "aria-label": label },
    el("p", { class: "results-head" }, el("strong", { dir: "auto" }, event.query), ` · ${total} found`),
    el("ul", { class: "strip", tabindex: 0, "aria-label": label }, ...shown),
  );
}

function productCard(product, ask) {
  const about = () => ask(`Tell me about “${product.title}” (${product.asin})`);
  return el(
    "li",
    { class: "card" },
    picture(product),
    el("h3", { class: "card-title", dir: "auto", title: product.title }, product.title),
    el("p", { class: "card-facts" }, el("span", { class: "price" }, product.price), stars(product.rating)),
    el("p", { class: "code" }, product.asin),
    el("button", { type: "button", class: "quiet", click: about, "aria-label": `Tell me more about ${product.title}` }, "Tell me more"),
  );
}

/** Return a product's image, or a tile with its first letter where there is none or it cannot be loaded. */
export function picture(product) {
  const frame = el("div", { class: "picture" });
  const tile = () => frame.replaceChildren(drawnTile(product.title));
  if (typeof product.image === "string" && IMAGE.test(product.image)) {
    const source = { alt: "", loading: "lazy", decoding: "async", referrerpolicy: "no-referrer", error: tile };
    frame.append(el("img", { ...source, src: product.image }));
  } else {
    tile();
  }
  return frame;
}

function drawnTile(title) {
  const letter = (/[\p{L}\p{N}]/u.exec(title)?.[0] ?? "?").toUpperCase();
  let hash = 0;
  for (const sign of title) hash = (hash * 31 + sign.codePointAt(0)) % 9973;
  const tile = el("span", { class: "tile", "aria-hidden": "true" }, letter);
  tile.style.setProperty("--hue", String((hash % HUES) * (360 / HUES)));
  return tile;
}

function stars(rating) {
  if (typeof rating !== "number") return el("span", { class: "rating none" }, "not rated");
  return el("span", { class: "rating" }, icon("star"), el("span", { "aria-label": `rated ${rating} of 5` }, String(rating)));
}

/** Return what is to be bought, as a list of facts. */
export function facts(product, options) {
  const rows = product.price ? [["Price", product.price]] : [];
  for (const [name, value] of Object.entries(options)) rows.push([name, value ?? "not chosen"]);
  if (product.asin) rows.push(["Code", product.asin]);
  const pairs = rows.map(([name, value]) =>
    el("div", {}, el("dt", { dir: "auto" }, name), el("dd", { dir: "auto", class: value === "not chosen" ? "missing" : null }, value)),
  );
  return el("dl", { class: "facts" }, ...pairs);
}

/** Return a card for a purchase that was made. */
export function receipt(event) {
  return el(
    "section",
    { class: "receipt", "aria-label": "Purchase" },
    el("p", { class: "receipt-head" }, icon("check"), "Bought"),
    el("div", { class: "offer" }, picture(event.product), el("div", {}, title(event.product), facts(event.product, event.options))),
  );
}

/** Return the card of a question, which stays in the conversation: buttons while it is open, then what came of it. */
export class QuestionCard {
  constructor(question, decide) {
    this.id = question.id;
    this.state = el("p", { class: "question-state" });
    const yes = el("button", { type: "button", class: "primary", click: () => decide(question, true) }, yesWords(question));
    const no = el("button", { type: "button", class: "quiet", click: () => decide(question, false) }, "Don’t buy");
    this.buttons = el("div", { class: "buttons" }, yes, no);
    this.node = el(
      "section",
      { class: "question", "aria-label": "Your decision about a purchase" },
      el("p", { class: "question-head" }, icon("bag"), "Shall I buy this?"),
      el("div", { class: "offer" }, picture(question.product), el("div", {}, title(question.product, question.text), facts(question.product, question.options))),
      this.buttons,
      this.state,
    );
    this.show("asked");
  }

  /** Show how the question stands: asked, open, yes, no or closed. */
  show(state) {
    this.node.dataset.state = state;
    this.buttons.hidden = state !== "open";
    const words = { yes: "You said yes.", no: "You said no. Nothing was bought.", closed: "This offer is closed." };
    this.state.textContent = words[state] ?? "";
    this.state.hidden = !(state in words);
  }
}

/** Return what the button that buys says. */
export function yesWords(question) {
  return question.product.price ? `Buy for ${question.product.price}` : "Yes, go on";
}

function title(product, otherwise = "") {
  return el("h3", { class: "offer-title", dir: "auto" }, product.title || otherwise);
}
