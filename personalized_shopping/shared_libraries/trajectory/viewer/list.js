// The list of sessions: search, filters, order.

const ORDERS = {
  newest: ["Newest first", (a, b) => (b.time ?? "").localeCompare(a.time ?? "")],
  tokens: ["Most tokens", (a, b) => (b.tokens ?? 0) - (a.tokens ?? 0)],
  steps: ["Most steps", (a, b) => (b.steps ?? 0) - (a.steps ?? 0)],
  longest: ["Longest", (a, b) => (b.duration_s ?? 0) - (a.duration_s ?? 0)],
  score: ["Lowest score", (a, b) => (a.score ?? 2) - (b.score ?? 2)],
};

class SessionsView {
  constructor(data) {
    this.data = data;
    this.query = "";
    this.only = new Set();
    this.order = "newest";
    const limit = data.expensive_above;
    this.filters = {
      bought: ["Bought", "Something was bought", (row) => row.bought?.length > 0],
      failed: [
        "Failed",
        "A run ended in an error, died, or used up its steps; or the session cannot be read",
        (row) => row.failed,
      ],
      blocked: ["Blocked", "The guard or the person kept an action from being carried out", (row) => row.blocked > 0],
      expensive: [
        "Expensive",
        limit === null
          ? "No session says how many tokens it took"
          : `More than ${count(limit)} tokens: above the 90th percentile of the sessions in this file`,
        (row) => limit !== null && row.tokens > limit,
      ],
    };
    this.texts = data.sessions.map((row) => [row.text, row.id, row.key, row.model, row.user].join("\n").toLowerCase());
    this.titles = data.titles.map((title) => title.toLowerCase());
    this.titleSets = data.sessions.map((row) => new Set(row.titles));
    this.rowHeight = 60;
    this.windowed = new Windowed("Sessions", {
      height: () => this.rowHeight,
      render: (place, at) => this.row(place, at),
    });
    this.windowed.list.classList.add("sessions");
    this.element = h(
      "section",
      { class: "list-view", "aria-label": "Sessions" },
      this.controls(),
      this.head(),
      this.windowed.element,
    );
    this.empty = h("p", { class: "note", hidden: true });
    this.windowed.element.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.apply();
  }

  controls() {
    this.search = h("input", {
      type: "search",
      id: "search",
      placeholder: "Search instructions, ids, models and product titles",
      "aria-label": "Search sessions",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.change({ query: this.search.value }),
    });
    this.chips = Object.entries(this.filters).map(([name, [title, meaning, holds]]) =>
      h(
        "button",
        {
          type: "button",
          class: `chip ${name}`,
          "data-filter": name,
          title: meaning,
          "aria-pressed": "false",
          onclick: () => this.toggle(name),
        },
        title,
        h("span", { class: "number" }, count(this.data.sessions.filter(holds).length)),
      ),
    );
    this.sorting = h(
      "select",
      { "aria-label": "Order", onchange: () => this.change({ order: this.sorting.value }) },
      Object.entries(ORDERS).map(([name, [title]]) => h("option", { value: name }, title)),
    );
    this.found = h("span", { class: "muted found", role: "status" });
    return h(
      "div",
      { class: "controls" },
      h("div", { class: "search" }, this.search, h("kbd", { "aria-hidden": "true" }, "/")),
      h("div", { class: "chips", role: "group", "aria-label": "Show only" }, this.chips),
      this.found,
      this.sorting,
    );
  }

  head() {
    const titles = ["Session", "Last active", "Status", "Outcome", "Steps", "Tokens", "Duration"];
    return h(
      "div",
      { class: "row head", "aria-hidden": "true" },
      titles.map((title) => h("span", null, title)),
    );
  }

  toggle(name) {
    if (!this.only.delete(name)) this.only.add(name);
    this.change({});
  }

  change(wanted) {
    Object.assign(this, wanted);
    this.apply();
    const address = this.address();
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  // Shows the list as a link describes it.
  restore(parameters) {
    this.query = parameters.get("q") ?? "";
    this.only = new Set((parameters.get("only") ?? "").split(",").filter((name) => name in this.filters));
    this.order = parameters.get("sort") in ORDERS ? parameters.get("sort") : "newest";
    this.search.value = this.query;
    this.sorting.value = this.order;
    this.apply();
  }

  address() {
    const parameters = new URLSearchParams();
    if (this.query) parameters.set("q", this.query);
    if (this.only.size) parameters.set("only", [...this.only].join(","));
    if (this.order !== "newest") parameters.set("sort", this.order);
    return parameters.size ? `#/?${parameters}` : "#/";
  }

  apply() {
    const sessions = this.data.sessions;
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const named = words.map((word) => this.titles.flatMap((title, place) => (title.includes(word) ? [place] : [])));
    const holds = [...this.only].map((name) => this.filters[name][2]);
    const found = sessions
      .map((_, place) => place)
      .filter((place) => holds.every((test) => test(sessions[place])))
      .filter((place) =>
        words.every(
          (word, number) =>
            this.texts[place].includes(word) || named[number].some((title) => this.titleSets[place].has(title)),
        ),
      )
      .sort((a, b) => ORDERS[this.order][1](sessions[a], sessions[b]) || a - b);
    for (const chip of this.chips) chip.setAttribute("aria-pressed", String(this.only.has(chip.dataset.filter)));
    this.found.textContent =
      found.length === sessions.length
        ? plural(sessions.length, "session")
        : `${count(found.length)} of ${plural(sessions.length, "session")}`;
    this.empty.hidden = found.length > 0;
    this.empty.textContent = sessions.length
      ? "No session fits the search and the filters."
      : "There are no sessions in this file.";
    this.windowed.current = -1;
    this.windowed.element.scrollTop = 0;
    this.windowed.set(found);
  }

  resize() {
    const height = Number.parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height"));
    if (!height || height === this.rowHeight) return;
    this.rowHeight = height;
    this.windowed.measure();
  }

  row(place) {
    const row = this.data.sessions[place];
    const link = h("a", { class: "row", href: `#/${encodeURIComponent(row.key)}`, "data-session": row.key });
    if (row.problem) {
      link.append(
        h(
          "span",
          { class: "what" },
          h("b", { dir: "auto" }, row.id),
          h("small", { class: "problem", dir: "auto" }, row.problem),
        ),
        h("span", { class: "when" }),
        h("span", { class: "status" }, badge("unreadable", "bad", row.problem)),
      );
      return h("li", null, link);
    }
    const tokens = row.guard_tokens
      ? `${count(row.tokens)} tokens, ${count(row.guard_tokens)} of them the guard's`
      : `${count(row.tokens ?? 0)} tokens`;
    link.append(
      h(
        "span",
        { class: "what" },
        h("b", { dir: "auto", title: row.text }, row.text || "(nothing was said)"),
        h("small", { dir: "auto" }, [row.model, row.user, row.id].filter(Boolean).join(" · ")),
      ),
      h("span", { class: "when" }, time(row.time, { day: true })),
      h("span", { class: "status" }, statusBadge(row.status)),
      h("span", { class: "outcome" }, outcomes(row)),
      h("span", { class: "number", "data-unit": "steps" }, count(row.steps ?? 0)),
      h("span", { class: "number", "data-unit": "tokens", title: tokens }, short(row.tokens ?? 0)),
      h("span", { class: "number" }, duration((row.duration_s ?? 0) * 1000)),
    );
    return h("li", null, link);
  }

  move(by) {
    const last = this.windowed.items.length - 1;
    if (last >= 0) this.windowed.mark(Math.min(Math.max(this.windowed.current + by, 0), last));
  }

  open() {
    // Without a mark it is the first: after a search, often the one that was meant.
    const place = this.windowed.items[Math.max(this.windowed.current, 0)];
    if (place !== undefined) location.hash = `#/${encodeURIComponent(this.data.sessions[place].key)}`;
  }

  // Marks the session that the person comes back from.
  markSession(key) {
    this.windowed.measure();
    this.windowed.mark(this.windowed.items.findIndex((place) => this.data.sessions[place].key === key));
  }
}

function outcomes(row) {
  const found = [];
  if (row.bought?.length) {
    const more = row.bought.length > 1 ? ` ×${row.bought.length}` : "";
    found.push(badge(`bought${more}`, "good", row.bought.join("\n")));
  }
  if (row.blocked)
    found.push(
      badge(`${row.blocked} blocked`, "warn", "Actions that the guard or the person kept from being carried out"),
    );
  if (row.score !== undefined) found.push(scoreBadge(row.score));
  if (row.errors) found.push(badge(plural(row.errors, "error"), "faint", "Errors of calls, models and runs"));
  return found;
}

function scoreBadge(score) {
  const rounded = Math.round(score * 1000) / 1000;
  return badge(
    `score ${rounded}`,
    score >= 1 ? "good" : score > 0 ? "calm" : "faint",
    "The reward of the whole session; 1 is full success",
  );
}
