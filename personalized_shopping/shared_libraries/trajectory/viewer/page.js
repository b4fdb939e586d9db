// The page that stood before or after a step, as the agent saw it. It is inflated when it is shown, and not before.

const FRAME_POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`;
const asRecorded = globalThis.trustedTypes?.createPolicy("recorded-page", { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
};

class PagePanel {
  constructor(detail) {
    this.detail = detail;
    this.tab = "page";
    this.side = "after";
    this.action = 0;
    this.body = h("div", { class: "page-body" });
    this.bar = h("div", { class: "page-bar" });
    this.element = h("section", { class: "card page-panel", "aria-label": "The page" }, this.bar, this.body);
  }

  show(step) {
    if (step !== this.step) this.action = Math.max(step.actions.length - 1, 0);
    this.step = step;
    const { pages } = this.detail;
    const acted = step.actions[this.action];
    const before = acted?.page_before ?? step.page ?? null;
    const after = acted?.page_after ?? null;
    const side = after === null ? "before" : this.side;
    const key = side === "after" ? after : before;
    this.page = key === null ? null : (pages[String(key)] ?? null);
    this.key = key === null ? null : String(key);
    this.change = (part) => {
      Object.assign(this, part);
      this.show(step);
    };
    const same = before !== null && after !== null && String(before) === String(after);
    const controls = [
      choice(
        "How the page is shown",
        [
          ["page", "Page"],
          ["tree", "Tree"],
          ["text", "Text"],
        ],
        this.tab,
        (tab) => this.change({ tab }),
      ),
      this.page
        ? h("span", { class: "muted kind" }, this.page.kind, this.page.truncated ? " (cut)" : "")
        : h("span", { class: "kind" }),
      step.actions.length > 1
        ? choice(
            "Action",
            step.actions.map((action, place) => [place, cut(action.text, 24)]),
            this.action,
            (action) => this.change({ action }),
          )
        : null,
      step.actions.length
        ? choice(
            "Which page",
            [
              ["before", "Before", before === null],
              ["after", same ? "After (the same)" : "After", after === null],
            ],
            side,
            (chosen) => this.change({ side: chosen }),
          )
        : h("span", { class: "muted kind" }, "the page that stood then"),
    ];
    this.bar.replaceChildren(...controls.filter(Boolean));
    this.fill(side);
  }

  async fill(side) {
    const wanted = `${this.tab} ${this.key} ${this.step.index} ${this.action}`;
    this.wanted = wanted;
    const content = await this.content(side).catch((error) => note(`This page cannot be shown: ${error.message}`));
    if (this.wanted === wanted) this.body.replaceChildren(content);
  }

  async content(side) {
    if (this.tab === "text") {
      const text = this.observation(side);
      return text === null
        ? note("No text of this page was given to the agent.")
        : h(
            "pre",
            { class: "code wrap", tabindex: "0", "data-scrolls": true, dir: "auto" },
            text.replaceAll(" [SEP] ", "\n"),
          );
    }
    if (this.key === null) return note("The shop was not entered yet.");
    const sha256 = this.tab === "page" ? this.page?.html : this.page?.a11y;
    const text = sha256 ? await inflated("page", sha256) : null;
    if (text === null) return note("This page was not kept, or what was kept is damaged.");
    if (this.tab === "tree")
      return h("pre", { class: "code wrap tree", tabindex: "0", "data-scrolls": true, dir: "auto" }, treeLines(text));
    const frame = h("iframe", { sandbox: "", title: "The page as the agent saw it", referrerpolicy: "no-referrer" });
    // A frame that has the focus keeps the keys to itself.
    frame.addEventListener("pointerleave", () => document.activeElement === frame && frame.blur());
    frame.srcdoc = asRecorded.createHTML(FRAME_POLICY + text);
    return frame;
  }

  // The text of the page as a tool's answer gave it. That of the page before is the answer of the call that led there.
  observation(side) {
    const acted = this.step.actions[this.action];
    if (side === "after" && acted) return observationOf(acted);
    const earlier = this.detail.steps
      .slice(0, this.step.index + 1)
      .flatMap((step) => (step === this.step ? step.actions.slice(0, this.action) : step.actions));
    const led = earlier.findLast(
      (action) =>
        String(action.page_after) === this.key &&
        isObject(action.result) &&
        typeof action.result.observation === "string",
    );
    return led ? led.result.observation : null;
  }
}

function observationOf(action) {
  const result = action.result;
  if (result === null || result === undefined) return null;
  if (isObject(result) && typeof result.observation === "string") return result.observation;
  return typeof result === "string" ? result : JSON.stringify(result, null, 2);
}

function treeLines(text) {
  return text.split("\n").flatMap((line) => {
    const found = /^\[([a-z]+)\]/.exec(line);
    return found
      ? [h("i", { class: `role ${found[1]}` }, found[1]), `${line.slice(found[0].length)}\n`]
      : [`${line}\n`];
  });
}

const note = (text) => h("p", { class: "note" }, text);
