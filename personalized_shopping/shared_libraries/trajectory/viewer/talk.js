// The conversation: what the person and the agent said, run by run, and what came of it.

const SPEAKERS = {
  person: "Person",
  agent: "Agent",
  question: "Question",
  yes: "Person",
  no: "Person",
  bought: "Bought",
  blocked: "Blocked",
};

class Talk {
  // `address(place)` is the link to a step; `follow()` is called when one is followed.
  constructor(detail, address, follow) {
    this.detail = detail;
    this.address = address;
    this.follow = follow;
    this.element = h(
      "section",
      { class: "conversation pane", "aria-label": "Conversation", tabindex: "-1" },
      this.aboutPart(),
      this.list(),
    );
  }

  aboutPart() {
    const { system, tools, ...about } = this.detail.about;
    return fold(
      "About this session",
      () =>
        [
          json(about),
          system ? fold("System prompt", () => json(system)) : null,
          tools ? fold(plural(Array.isArray(tools) ? tools.length : 0, "tool"), () => json(tools)) : null,
        ].filter(Boolean),
      { class: "about" },
    );
  }

  list() {
    const { runs, conversation } = this.detail;
    const list = h("ol", { class: "talk" });
    let entry = 0;
    runs.forEach((run, number) => {
      list.append(h("li", { class: "run-line" }, runLine(run, number), this.stepsOf(number)));
      for (; entry < conversation.length && conversation[entry].run <= number; entry++)
        list.append(this.said(conversation[entry]));
      if (run.error) list.append(h("li", { class: "said-error" }, errorBox("The run failed", run.error)));
    });
    return list;
  }

  stepsOf(number) {
    const first = this.detail.runs[number].first_step;
    const next = this.detail.runs[number + 1]?.first_step ?? this.detail.steps.length;
    if (next <= first) return null;
    return h(
      "a",
      { href: this.address(first), onclick: this.follow },
      next - first > 1 ? `steps ${first}–${next - 1}` : `step ${first}`,
    );
  }

  said(entry) {
    const text = { yes: "Yes", no: "No" }[entry.kind] ?? entry.text ?? "";
    const step = entry.step ?? null;
    const attachments = (entry.attachments ?? []).map((type) =>
      badge(asText(type), "calm", "An attachment that is not text"),
    );
    // What the agent says while it goes on working is no answer yet.
    const aside = entry.kind === "agent" && this.detail.steps[step]?.actions.length;
    return h(
      "li",
      { class: `said-by-${entry.kind}${aside ? " aside" : ""}`, "data-at": step },
      h(
        "header",
        null,
        h("b", null, SPEAKERS[entry.kind]),
        time(entry.time),
        step === null ? null : h("a", { href: this.address(step), onclick: this.follow }, `step ${step}`),
      ),
      prose(text, "bubble"),
      attachments,
      entry.facts && entry.kind === "question" ? fold("What was asked about", () => json(entry.facts)) : null,
    );
  }

  // Marks in the conversation what was said at this step, and shows where in it the step lies.
  mark(place) {
    const said = [...this.element.querySelectorAll("[data-at]")];
    for (const entry of said) entry.classList.toggle("here", Number(entry.dataset.at) === place);
    const nearest =
      said.find((entry) => entry.classList.contains("here")) ??
      said.findLast((entry) => Number(entry.dataset.at) < place);
    nearest?.scrollIntoView({ block: "nearest" });
  }
}

function runLine(run, number) {
  const lost = [
    run.lost ? plural(run.lost, "record") : "",
    run.dropped_pages ? plural(run.dropped_pages, "page") : "",
  ].filter(Boolean);
  return [
    h("span", { class: "run-name" }, `Run ${number + 1}`),
    statusBadge(run.status),
    time(run.time, { day: true }),
    h("small", null, duration(run.duration_s * 1000)),
    lost.length ? badge(`${lost.join(", ")} lost`, "warn", "The log is not whole") : null,
    run.state?.length ? fold("State", () => json(run.state)) : null,
  ];
}
