// One message and all that the agent does about it, as it comes in.

import { QuestionCard, productStrip, receipt } from "./cards.js";
import { el, icon, show } from "./dom.js";
import { markdown } from "./markdown.js";

/** Return the bubble of what a person said. */
export function personBubble(text) {
  return el("article", { class: "person" }, el("h2", { class: "hidden" }, "You"), el("p", { dir: "auto" }, text));
}

/** The agent's side of a turn. `on` brings what its parts do: ask(text), look(number, opener), decide(question, yes). */
export class AgentTurn {
  constructor(on) {
    this.on = on;
    this.questions = [];
    this.spoken = "";
    this.steps = new Map();
    this.texts = new Map();
    this.strip = null;
    this.now = el("span", { class: "now" }, "Thinking");
    this.list = el("ol", { class: "steps" });
    this.details = el("details", { class: "doing" }, el("summary", {}, icon("eye"), this.now), this.list);
    this.dots = el("p", { class: "dots" }, el("span", { class: "hidden" }, "Working"), el("i"), el("i"), el("i"));
    this.body = el("div", { class: "agent-body" }, this.details, this.dots);
    this.node = el("article", { class: "agent" }, el("h2", { class: "hidden" }, "Assistant"), el("div", { class: "face" }, icon("bag")), this.body);
    show(this.details, false);
  }

  /** Show an event. */
  add(event) {
    const add = { action: this.action, products: this.products, text: this.text, page: this.page, question: this.question,
      purchase: this.purchase, error: this.problem }[event.type];
    if (add !== undefined) add.call(this, event);
  }

  /** Nothing more will come. */
  finish(reason) {
    this.dots.remove();
    for (const text of this.texts.values()) this.draw(text);
    const count = this.steps.size;
    if (count > 1) this.now.textContent = `${count} steps`;
    for (const step of this.steps.values()) if (step.row.dataset.outcome === "running") step.row.dataset.outcome = "failed";
    if (reason === "stopped") this.put(el("p", { class: "note" }, "Stopped."));
    this.node.classList.toggle("empty", this.body.childElementCount === 1 && count === 0);
  }

  action(event) {
    let step = this.steps.get(event.id);
    if (step === undefined) {
      const words = el("span", { class: "step-words", dir: "auto" }, event.sentence);
      step = { words, row: el("li", {}, words, el("code", { dir: "auto" }, event.action)), note: null };
      this.steps.set(event.id, step);
      this.list.append(step.row);
      show(this.details, true);
    }
    step.row.dataset.outcome = event.outcome;
    if (event.outcome === "running") this.now.textContent = event.sentence;
    if (event.note && step.note === null) {
      step.note = el("span", { class: "step-note", dir: "auto" }, event.note);
      step.row.append(step.note);
    }
  }

  page(event) {
    const step = this.steps.get(event.action_id);
    if (step === undefined || step.link) return;
    step.link = el("button", { type: "button", class: "link step-words", dir: "auto", title: "Show this page",
      click: (click) => this.on.look(event.number, click.currentTarget) }, ...step.words.childNodes);
    step.words.replaceWith(step.link);
  }

  products(event) {
    // Only the last results of a turn are in view; the others can be seen among the pages.
    this.strip?.remove();
    this.strip = event.products.length ? productStrip(event, this.on.ask) : null;
    if (this.strip !== null) this.put(this.strip);
  }

  text(event) {
    let text = this.texts.get(event.message);
    if (text === undefined) {
      text = { words: "", node: el("div", { class: "words", dir: "auto" }), drawn: true };
      this.texts.set(event.message, text);
      this.put(text.node);
    }
    text.words = event.whole ? event.text : text.words + event.text;
    if (event.whole) {
      this.spoken += `${event.text}\n`;
      this.draw(text);
    } else if (text.drawn) {
      text.drawn = false;
      requestAnimationFrame(() => this.draw(text));
    }
  }

  draw(text) {
    text.drawn = true;
    text.node.replaceChildren(...markdown(text.words));
  }

  question(event) {
    const card = new QuestionCard(event, this.on.decide);
    this.questions.push({ question: event, card });
    this.put(card.node);
  }

  purchase(event) {
    this.put(receipt(event));
  }

  problem(event) {
    this.put(el("p", { class: "problem" }, icon("alert"), el("span", { dir: "auto" }, event.text)));
    this.spoken += `${event.text}\n`;
  }

  put(node) {
    if (this.dots.isConnected || this.dots.parentNode === this.body) this.dots.before(node);
    else this.body.append(node);
  }
}
