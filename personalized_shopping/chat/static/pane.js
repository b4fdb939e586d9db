// The pane that shows which page of the shop the agent looks at, and those before it.

import { byId, show } from "./dom.js";
import { PageFrame } from "./frame.js";

const WIDE = "(min-width: 62rem)";

export class PagePane {
  constructor() {
    this.pages = [];
    this.at = -1;
    this.follows = true;
    this.opener = null;
    this.frame = new PageFrame(byId("page-frame"));
    byId("page-back").addEventListener("click", () => this.look(this.at - 1));
    byId("page-forward").addEventListener("click", () => this.look(this.at + 1));
    byId("pane-toggle").addEventListener("click", (event) => this.toggle(event.currentTarget));
    byId("pane-close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOver && !byId("question").open) this.close();
    });
    window.matchMedia(WIDE).addEventListener("change", () => this.lay());
    this.lay();
    this.clear();
  }

  /** Whether the pane lies over the conversation, as on small screens. */
  get isOver() {
    return document.body.classList.contains("pane-open") && !window.matchMedia(WIDE).matches;
  }

  clear() {
    this.pages = [];
    this.at = -1;
    this.follows = true;
    this.frame.clear();
    this.draw();
  }

  /** Add the page that the agent has come to. */
  add(page) {
    this.pages.push(page);
    byId("pane-toggle").classList.toggle("news", !this.isOver);
    if (this.follows) this.look(this.pages.length - 1);
    else this.draw();
  }

  /** Show a page by its number in the conversation. */
  open(number, opener) {
    const at = this.pages.findIndex((page) => page.number === number);
    if (at < 0) return;
    this.look(at);
    if (!window.matchMedia(WIDE).matches) this.toggle(opener, true);
  }

  look(at) {
    if (at < 0 || at >= this.pages.length) return;
    this.at = at;
    this.follows = at === this.pages.length - 1;
    // A page that nobody sees is not worth a request; it is loaded when the pane is opened.
    if (window.matchMedia(WIDE).matches || this.isOver) this.frame.show(`chat/pages/${this.pages[at].number}`);
    byId("page-frame").title = this.pages[at].title;
    this.draw();
  }

  draw() {
    const page = this.pages[this.at];
    show(byId("page-frame"), page !== undefined);
    show(byId("page-none"), page === undefined);
    show(byId("page-bar"), this.pages.length > 1);
    byId("page-title").textContent = page === undefined ? "Nothing yet" : page.title;
    byId("page-count").textContent = page === undefined ? "" : `${this.at + 1} of ${this.pages.length}`;
    byId("page-back").disabled = this.at <= 0;
    byId("page-forward").disabled = this.at < 0 || this.at >= this.pages.length - 1;
  }

  toggle(opener, open = !document.body.classList.contains("pane-open")) {
    if (!open) {
      this.close();
      return;
    }
    this.opener = opener;
    document.body.classList.add("pane-open");
    this.lay();
    byId("pane-toggle").classList.remove("news");
    this.look(this.at);
    byId("pane-close").focus();
  }

  close() {
    document.body.classList.remove("pane-open");
    this.lay();
    (this.opener ?? byId("pane-toggle")).focus();
    this.opener = null;
  }

  /** Keep the keyboard out of what cannot be seen. */
  lay() {
    const wide = window.matchMedia(WIDE).matches;
    byId("pane").inert = !wide && !this.isOver;
    byId("conversation").inert = this.isOver;
    byId("pane-toggle").setAttribute("aria-expanded", String(this.isOver));
    if (wide && this.at >= 0) this.look(this.at);
  }
}
