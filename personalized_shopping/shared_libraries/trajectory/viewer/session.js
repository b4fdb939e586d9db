// One session: the conversation, its steps, and the step that is looked at.

class SessionView {
  constructor(row, detail) {
    this.row = row;
    this.detail = detail;
    this.place = 0;
    this.panel = new PagePanel(detail);
    this.timeline = new Timeline(detail, (place) => this.go(place));
    this.windowed = new Windowed("Steps", {
      height: (item) => (item.run ? 34 : 50),
      render: (item) => (item.run ? runRow(item.run, item.number) : this.stepRow(item.step)),
    });
    this.windowed.list.classList.add("steps");
    this.items = [];
    this.placeOf = [];
    detail.runs.forEach((run, number) => {
      this.items.push({ run, number });
      const next = detail.runs[number + 1]?.first_step ?? detail.steps.length;
      for (let place = run.first_step; place < next; place++) {
        this.placeOf[place] = this.items.length;
        this.items.push({ step: detail.steps[place] });
      }
    });
    this.talk = new Talk(
      detail,
      (place) => this.address(place),
      () => this.turn("steps"),
    );
    this.content = h("article", { class: "step pane", "aria-live": "off", tabindex: "-1" });
    this.element = h(
      "section",
      { class: "session-view", "aria-label": "Session", "data-session": row.key, "data-view": "steps" },
      this.head(),
      detail.steps.length ? this.timeline.element : null,
      h(
        "div",
        { class: "switch" },
        choice(
          "Side",
          [
            ["conversation", "Conversation"],
            ["steps", "Steps"],
          ],
          "steps",
          (name) => this.turn(name),
        ),
      ),
      h("div", { class: "panes" }, this.talk.element, this.windowed.element, this.content),
    );
    this.windowed.element.classList.add("pane");
    this.windowed.set(this.items);
  }

  head() {
    const { row, detail } = this;
    return h(
      "header",
      { class: "session-head" },
      h("a", { class: "back", href: "#/" }, "← Sessions"),
      h("h1", { dir: "auto", title: row.text }, row.text || "(nothing was said)"),
      h(
        "p",
        { class: "meta" },
        statusBadge(row.status),
        outcomes(row),
        h("span", null, time(row.started, { day: true })),
        h("span", null, plural(row.steps ?? 0, "step")),
        h(
          "span",
          { title: row.guard_tokens ? `${count(row.guard_tokens)} of them the guard's` : "" },
          plural(row.tokens ?? 0, "token"),
        ),
        h(
          "span",
          { title: "The agent's working time; the person's thinking between runs is not counted" },
          duration((row.duration_s ?? 0) * 1000),
        ),
        row.model ? h("span", { dir: "auto" }, row.model) : null,
        h(
          "button",
          { type: "button", class: "id", title: "Copy the session's id", onclick: () => copy(detail.id, "Id") },
          h("code", { dir: "auto" }, cut(detail.id, 60)),
        ),
      ),
    );
  }

  stepRow(step) {
    const first = step.actions[0];
    const mark = stepMark(step);
    const waiting = step.actions.some((action) => action.outcome === "pending");
    const sub = first
      ? cut(resultLine(first), 160)
      : step.response
        ? "answer"
        : (step.errors?.[0]?.[1].message ?? "no answer");
    return h(
      "li",
      { "data-step": step.index },
      h(
        "a",
        { href: this.address(step.index), class: `step-row ${mark ?? ""}` },
        h("span", { class: "place" }, step.index),
        h(
          "span",
          { class: "what" },
          h(first ? "code" : "span", { dir: "auto" }, cut(stepTitle(step), 160)),
          h("small", { class: first?.error ? "problem" : "", dir: "auto" }, sub),
        ),
        h(
          "span",
          { class: "side" },
          mark
            ? badge(
                mark === "blocked"
                  ? step.actions.findLast((action) => OUTCOME_STOPPED.has(action.outcome)).outcome
                  : mark,
                { bought: "good", blocked: "bad", error: "warn" }[mark],
                "",
              )
            : waiting
              ? badge("asks", "waits", "")
              : h("small", null, duration(step.duration_ms)),
          h("small", null, step.tokens ? short(step.tokens + step.guard_tokens) : ""),
        ),
      ),
    );
  }

  address(place) {
    return stepAddress(this.row.key, place);
  }

  go(place) {
    if (place >= 0 && place < this.detail.steps.length) location.hash = this.address(place);
  }

  // Moves by keyboard: the way back leads to the list, not through every step that was passed.
  move(by) {
    const place = Math.min(Math.max(this.place + by, 0), this.detail.steps.length - 1);
    if (place < 0 || place === this.place) return;
    history.replaceState(null, "", this.address(place));
    this.show(place);
  }

  turn(name) {
    this.element.dataset.view = name;
    for (const [number, button] of [...this.element.querySelectorAll(".switch button")].entries())
      button.setAttribute("aria-pressed", String((number === 0) === (name === "conversation")));
    this.windowed.measure();
  }

  show(place) {
    const { steps } = this.detail;
    if (!steps.length) {
      this.content.replaceChildren(note("No step was recorded."));
      return;
    }
    this.place = Math.min(Math.max(place, 0), steps.length - 1);
    const step = steps[this.place];
    this.windowed.mark(this.placeOf[this.place]);
    this.timeline.mark(this.place);
    this.panel.show(step);
    const button = (text, label, by, disabled) =>
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": label,
          title: label,
          disabled,
          onclick: () => this.go(this.place + by),
        },
        text,
      );
    this.content.replaceChildren(
      h(
        "header",
        { class: "step-head" },
        h(
          "h2",
          { title: "Steps count from 0, as in execution_trajectory.json" },
          `Step ${step.index}`,
          h("small", null, ` of 0–${steps.length - 1}`),
        ),
        h("span", { class: "grow" }),
        button("‹", "Previous step (k)", -1, this.place === 0),
        button("›", "Next step (j)", 1, this.place === steps.length - 1),
        h(
          "button",
          {
            type: "button",
            class: "quiet wide",
            title: "Copy the link to this step (c)",
            onclick: () => this.copyLink(),
          },
          "Copy link",
        ),
      ),
      stepFacts(step),
      ...stepParts(step),
      this.panel.element,
    );
    this.content.scrollTop = 0;
    this.talk.mark(this.place);
  }

  copyLink() {
    copy(location.href.split("#")[0] + this.address(this.place), "Link");
  }
}

const stepAddress = (key, place) => `#/${encodeURIComponent(key)}/step/${place}`;

function runRow(run, number) {
  return h(
    "li",
    { class: "run-row" },
    h("b", null, `Run ${number + 1}`),
    statusBadge(run.status),
    h("small", null, duration(run.duration_s * 1000)),
    run.error ? h("small", { class: "problem", title: run.error.message }, run.error.type) : null,
  );
}
