// Time and tokens of every step in one picture. A series is one path, so 500 steps cost as much as five.

const LANE = 34;
const TOP = 12;
const HEIGHT = TOP + 2 * LANE + 6;
const MIDDLE = TOP + LANE + 3;

class Timeline {
  // `choose(place)` is called with the step that was clicked.
  constructor(detail, choose) {
    this.steps = detail.steps;
    this.runs = detail.runs;
    this.choose = choose;
    this.current = 0;
    this.parts = this.steps.map((step) => {
      const asked =
        (step.latency_ms ?? 0) + (step.failed_calls ?? []).reduce((sum, call) => sum + (call.latency_ms ?? 0), 0);
      const tools = step.actions.reduce((sum, action) => sum + (action.duration_ms ?? 0), 0);
      return {
        model: asked,
        time: Math.max(asked + tools, step.duration_ms),
        guard: step.guard_tokens,
        tokens: step.tokens + step.guard_tokens,
      };
    });
    this.maxTime = Math.max(...this.parts.map((part) => part.time), 1);
    this.maxTokens = Math.max(...this.parts.map((part) => part.tokens), 1);
    this.svg = svg("svg", { height: HEIGHT, "aria-hidden": "true" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.stage = h(
      "div",
      {
        class: "stage",
        role: "slider",
        tabindex: "0",
        "aria-label": "Step",
        "aria-valuemin": "0",
        "aria-valuemax": String(this.steps.length - 1),
      },
      this.svg,
      this.tip,
    );
    this.stage.addEventListener("pointermove", (event) => this.hover(event));
    this.stage.addEventListener("pointerleave", () => this.leave());
    this.stage.addEventListener("click", (event) => this.choose(this.under(event)));
    const most = (name, value, title) => h("div", null, h("b", null, name), h("small", { title }, `up to ${value}`));
    this.element = h(
      "div",
      { class: "timeline" },
      h(
        "div",
        { class: "legend" },
        most("Time", duration(this.maxTime), "Dark: the model. Light: tools and the rest of the step"),
        most("Tokens", short(this.maxTokens), "Dark: the agent's model. Light: the guard's"),
      ),
      this.stage,
    );
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  draw() {
    const width = this.stage.clientWidth;
    if (!width || !this.steps.length) return;
    this.step = Math.min(width / this.steps.length, 56);
    const gap = this.step > 6 ? 2 : this.step > 3 ? 1 : 0;
    const bars = (from, to) =>
      this.parts.map((part, place) => {
        const x = place * this.step;
        return `M${x.toFixed(2)} ${from(part).toFixed(2)}V${to(part).toFixed(2)}h${(this.step - gap).toFixed(2)}V${from(part).toFixed(2)}z`;
      });
    const up = (value) => MIDDLE - 3 - (value ? Math.max((value / this.maxTime) * LANE, 1) : 0);
    const down = (value) => MIDDLE + 3 + (value ? Math.max((value / this.maxTokens) * LANE, 1) : 0);
    this.here = svg("rect", { class: "here", y: 0, height: HEIGHT, width: Math.max(this.step - gap, 2), rx: 2 });
    this.over = svg("rect", {
      class: "over",
      y: 0,
      height: HEIGHT,
      width: Math.max(this.step - gap, 2),
      rx: 2,
      x: -100,
    });
    const series = (name, paths) => svg("path", { class: name, d: paths.join("") });
    this.svg.setAttribute("width", String(width));
    this.svg.replaceChildren(
      this.here,
      this.over,
      series(
        "time rest",
        bars(
          (part) => up(part.model),
          (part) => up(part.time),
        ),
      ),
      series(
        "time model",
        bars(
          () => up(0),
          (part) => up(part.model),
        ),
      ),
      series(
        "tokens guard",
        bars(
          (part) => down(part.tokens - part.guard),
          (part) => down(part.tokens),
        ),
      ),
      series(
        "tokens agent",
        bars(
          () => down(0),
          (part) => down(part.tokens - part.guard),
        ),
      ),
      svg("path", { class: "axis", d: `M0 ${MIDDLE}H${(this.step * this.steps.length).toFixed(2)}` }),
      ...this.runs
        .slice(1)
        .filter((run) => run.first_step < this.steps.length)
        .map((run) => this.boundary(run, gap)),
      ...["bought", "blocked", "error"].map((kind) => this.marks(kind, gap)),
    );
    this.mark(this.current);
  }

  boundary(run, gap) {
    const x = run.first_step * this.step - gap / 2;
    return svg("path", { class: "boundary", d: `M${x.toFixed(2)} ${TOP - 2}V${HEIGHT}` });
  }

  marks(kind, gap) {
    const radius = Math.min(Math.max(this.step / 3, 1.5), 3.5);
    const dots = this.steps.flatMap((step, place) => {
      if (stepMark(step) !== kind) return [];
      const x = place * this.step + (this.step - gap) / 2 - radius;
      return [
        `M${x.toFixed(2)} 5a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`,
      ];
    });
    return svg("path", { class: `dot ${kind}`, d: dots.join("") });
  }

  under(event) {
    const x = event.clientX - this.stage.getBoundingClientRect().left;
    return Math.min(Math.max(Math.floor(x / this.step), 0), this.steps.length - 1);
  }

  hover(event) {
    if (!this.step) return;
    const place = this.under(event);
    const [step, part] = [this.steps[place], this.parts[place]];
    this.over.setAttribute("x", String(place * this.step));
    const tokens = part.guard
      ? `${count(part.tokens)} tokens, ${count(part.guard)} the guard's`
      : `${count(part.tokens)} tokens`;
    this.tip.replaceChildren(
      h("b", null, `${place}  ${cut(stepTitle(step), 60)}`),
      h("span", null, `${duration(part.time)} · ${tokens}`),
    );
    this.tip.hidden = false;
    const room = this.stage.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.min(Math.max(place * this.step - this.tip.offsetWidth / 2, 0), Math.max(room, 0))}px`;
  }

  leave() {
    this.tip.hidden = true;
    this.over?.setAttribute("x", "-100");
  }

  mark(place) {
    this.current = place;
    this.here?.setAttribute("x", String(place * this.step));
    this.stage.setAttribute("aria-valuenow", String(place));
    if (this.steps[place])
      this.stage.setAttribute("aria-valuetext", `${place}: ${cut(stepTitle(this.steps[place]), 80)}`);
  }
}

// The gravest thing that happened in a step.
function stepMark(step) {
  if (step.actions.some((action) => action.purchase)) return "bought";
  if (step.actions.some((action) => OUTCOME_STOPPED.has(action.outcome))) return "blocked";
  return step.errors?.length || step.failed_calls?.length ? "error" : null;
}

function stepTitle(step) {
  if (!step.actions.length) return step.response ? `“${step.response.replaceAll(/\*\*|`/g, "")}”` : "no answer";
  const more = step.actions.length > 1 ? ` +${step.actions.length - 1}` : "";
  return step.actions[0].text + more;
}
