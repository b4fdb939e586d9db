// The frame in which a page of the shop is shown: one page at a time, and the newest wins.

const PATIENCE_MS = 5_000;

/**
 * Shows addresses in a frame.
 *
 * The pages are sandboxed, so browsers give them a process of their own. While a frame moves there, a further change of
 * its address can get lost, and the frame stays at the page before. So a page is loaded only when the one before has
 * come, and of those that are wanted meanwhile only the last.
 */
export class PageFrame {
  constructor(node) {
    this.node = node;
    this.clear();
  }

  /** Forget what is shown: a new frame takes the place of the old one, so no page is left or still on its way. */
  clear() {
    clearTimeout(this.patience);
    const fresh = this.node.cloneNode();
    this.node.replaceWith(fresh);
    this.node = fresh;
    this.wanted = this.at = null;
    this.loading = false;
    fresh.addEventListener("load", () => {
      if (fresh === this.node) this.loaded();
    });
  }

  /** Show a page, as soon as no other is on its way. */
  show(address) {
    this.wanted = address;
    // Pages that are added one after the other, as when a conversation is restored, count as one wish.
    queueMicrotask(() => this.next());
  }

  next() {
    if (this.loading || this.wanted === this.at) return;
    this.loading = true;
    // An answer that never comes must not hold up the pages after it.
    this.patience = setTimeout(() => this.loaded(), PATIENCE_MS);
    this.at = this.wanted;
    // Not its `src`: each page would become a step of the browser's way back.
    this.node.contentWindow.location.replace(new URL(this.at, document.baseURI));
  }

  loaded() {
    clearTimeout(this.patience);
    this.loading = false;
    this.next();
  }
}
