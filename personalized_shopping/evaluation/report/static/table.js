// The table of episodes: filters, order and pages, all of which stand in the address.

const PAGE_ROWS = 50;

class EpisodeTable {
  // `columns`: {id, title, value(row), cell(row), number}. `selects`: {id, title, value(row), title_of(value)}.
  // `ranges`: {id, title, value(row), ends: [low, high] names of parameters}. `detail(row)` gives an opened row.
  constructor(place, { rows, columns, selects, range, steps, search, detail, noun }) {
    Object.assign(this, { rows, columns, range, steps, search, detail, noun });
    this.selects = selects.filter((select) => new Set(rows.map(select.value)).size > 1);
    this.state = new URLSearchParams();
    this.open = new Set();
    this.head = h("tr", { role: "row" }, h("th", { role: "columnheader", class: "opener" }, h("span", { class: "unseen" }, "Open")), columns.map((column) => this.headCell(column)));
    this.body = h("tbody", { role: "rowgroup" });
    const table = h("table", { class: "episodes", role: "table", "aria-label": "Episodes" }, h("thead", { role: "rowgroup" }, this.head), this.body);
    this.empty = h("p", { class: "note", hidden: true }, "No episode fits the filters.");
    place.append(this.controls(), h("div", { class: "frame" }, table, this.empty), this.pager());
  }

  headCell(column) {
    const button = h("button", { type: "button", onclick: () => this.sortBy(column.id) }, column.title, h("span", { class: "arrow", "aria-hidden": "true" }));
    return h("th", { role: "columnheader", scope: "col", "data-column": column.id, class: column.number ? "number" : null }, button);
  }

  controls() {
    this.inputs = new Map();
    const input = (name, properties, label) => {
      const field = h("input", { ...properties, oninput: () => this.set(name, field.value) });
      this.inputs.set(name, field);
      return h("label", null, h("span", null, label), field);
    };
    const select = ({ id, title, value, titleOf }) => {
      const numbers = new Map();
      for (const row of this.rows) numbers.set(value(row), (numbers.get(value(row)) ?? 0) + 1);
      const options = [...numbers].filter(([name]) => name !== "").sort((a, b) => b[1] - a[1]);
      const field = h(
        "select",
        { onchange: () => this.set(id, field.value) },
        h("option", { value: "" }, "All"),
        options.map(([name, number]) => h("option", { value: name }, `${titleOf(name)} (${count(number)})`)),
      );
      this.inputs.set(id, field);
      return h("label", null, h("span", null, title), field);
    };
    const [low, high] = this.range.ends;
    const bounds = { type: "number", min: this.range.min, max: this.range.max, step: "any", inputmode: "decimal" };
    this.chip = h("button", { type: "button", class: "chip", hidden: true, onclick: () => this.set("steps", "") });
    this.clear = h("button", { type: "button", class: "quiet", onclick: () => this.reset() }, "Clear");
    this.found = h("p", { class: "found", role: "status" });
    return h(
      "form",
      { class: "controls", role: "search", "aria-label": "Filter the episodes", onsubmit: (event) => event.preventDefault() },
      input("q", { type: "search", placeholder: "Words of the instruction, a product, the reason", autocomplete: "off", spellcheck: "false" }, "Search"),
      this.selects.map(select),
      h("div", { class: "pair" }, input(low, bounds, `${this.range.title} from`), input(high, bounds, "to")),
      this.chip,
      this.clear,
      this.found,
    );
  }

  pager() {
    const turn = (by) => () => {
      this.set("page", String(this.page + by + 1), true);
      byId("episodes").scrollIntoView();
    };
    this.before = h("button", { type: "button", class: "quiet", onclick: turn(-1) }, "← Before");
    this.after = h("button", { type: "button", class: "quiet", onclick: turn(1) }, "Next →");
    this.where = h("span", { class: "muted" });
    return h("nav", { class: "pager", "aria-label": "Pages of episodes" }, this.before, this.where, this.after);
  }

  // Shows the table as the address describes it.
  restore(parameters) {
    this.state = parameters;
    const open = parameters.get("open");
    this.open = new Set(open === null ? [] : [open]);
    for (const [name, field] of this.inputs) field.value = parameters.get(name) ?? "";
    this.apply(open);
  }

  set(name, value, keepsPage = false) {
    if (value === "" || (name === "page" && value === "1")) this.state.delete(name);
    else this.state.set(name, value);
    if (!keepsPage) this.state.delete("page");
    this.state.delete("open");
    this.remember();
    this.apply();
  }

  reset() {
    const sort = this.state.get("sort");
    history.replaceState(null, "", `#${sort === null ? "" : new URLSearchParams({ sort })}`);
    this.restore(new URLSearchParams(sort === null ? {} : { sort }));
  }

  remember() {
    history.replaceState(null, "", `#${this.state}`);
  }

  sortBy(id) {
    const now = this.state.get("sort");
    const number = this.columns.find((column) => column.id === id).number;
    const turns = number ? [`-${id}`, id] : [id, `-${id}`];
    this.set("sort", turns[turns.indexOf(now) + 1] ?? "");
  }

  filtered() {
    const words = (this.state.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const tests = [];
    if (words.length) tests.push((row) => words.every((word) => this.haystack(row).includes(word)));
    for (const { id, value } of this.selects) {
      const wanted = this.state.get(id);
      if (wanted) tests.push(wanted === "any" ? (row) => value(row) !== "" : (row) => value(row) === wanted);
    }
    const [low, high] = this.range.ends.map((name) => Number.parseFloat(this.state.get(name)));
    if (!Number.isNaN(low)) tests.push((row) => this.range.value(row) >= low);
    if (!Number.isNaN(high)) tests.push((row) => this.range.value(row) <= high);
    const steps = this.stepRange();
    if (steps) tests.push((row) => row.steps >= steps[0] && row.steps <= steps[1]);
    return this.rows.filter((row) => tests.every((test) => test(row)));
  }

  stepRange() {
    const found = /^(\d+)-(\d+)$/.exec(this.state.get("steps") ?? "");
    return this.steps && found ? [Number(found[1]), Number(found[2])] : null;
  }

  haystack(row) {
    row.haystack ??= this.search.map((name) => row[name]).join("\n").toLowerCase();
    return row.haystack;
  }

  sorted(rows) {
    const sort = this.state.get("sort") ?? "";
    const column = this.columns.find((one) => one.id === sort.replace(/^-/, ""));
    if (!column) return rows;
    const sign = sort.startsWith("-") ? -1 : 1;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    const keys = new Map(rows.map((row) => [row, column.value(row)]));
    return rows.sort((a, b) => sign * compare(keys.get(a), keys.get(b)) || a.place - b.place);
  }

  apply(wanted = null) {
    this.shown = this.sorted(this.filtered());
    const pages = Math.max(Math.ceil(this.shown.length / PAGE_ROWS), 1);
    const place = wanted === null ? -1 : this.shown.findIndex((row) => row.key === wanted);
    const page = place >= 0 ? Math.floor(place / PAGE_ROWS) : Number.parseInt(this.state.get("page") ?? "1", 10) - 1;
    this.page = Math.min(Math.max(page || 0, 0), pages - 1);
    const from = this.page * PAGE_ROWS;
    const rows = this.shown.slice(from, from + PAGE_ROWS);
    this.body.replaceChildren(...rows.flatMap((row) => this.rowElements(row)));
    this.tell(from, rows.length, pages);
    if (wanted !== null && place < 0) this.found.textContent += ` · none is called ${wanted}`;
  }

  tell(from, length, pages) {
    const all = this.rows.length;
    const found = this.shown.length;
    this.found.textContent = found === all ? plural(all, this.noun) : `${count(found)} of ${plural(all, this.noun)}`;
    this.empty.hidden = found > 0;
    this.where.textContent = found ? `${count(from + 1)}–${count(from + length)} of ${count(found)}` : "";
    this.before.disabled = this.page === 0;
    this.after.disabled = this.page === pages - 1;
    this.before.parentElement.hidden = pages === 1;
    const steps = this.stepRange();
    this.chip.hidden = steps === null;
    if (steps) this.chip.textContent = `${steps[0] === steps[1] ? steps[0] : `${steps[0]} to ${steps[1]}`} steps ✕`;
    this.clear.hidden = ![...this.state.keys()].some((name) => !["sort", "page", "open"].includes(name));
    const sort = this.state.get("sort") ?? "";
    for (const cell of this.head.querySelectorAll("[data-column]")) {
      const here = sort.replace(/^-/, "") === cell.dataset.column;
      if (here) cell.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
  }

  rowElements(row) {
    const id = `row-${row.place}`;
    const open = this.open.has(row.key);
    const button = h(
      "button",
      { type: "button", class: "opener", "aria-expanded": String(open), "aria-controls": open ? id : null, "aria-label": `Details of ${row.key}` },
      h("span", { "aria-hidden": "true" }, "▸"),
    );
    const element = h(
      "tr",
      { role: "row", class: "episode", "data-key": row.key },
      h("td", { role: "cell", class: "opener" }, button),
      this.columns.map((column) => h("td", { role: "cell", class: `${column.number ? "number " : ""}c-${column.id}` }, column.cell(row))),
    );
    element.addEventListener("click", (event) => {
      if (event.target.closest("a") || String(getSelection())) return;
      this.toggle(row, element, button, id);
    });
    return open ? [element, this.detailRow(row, id)] : [element];
  }

  toggle(row, element, button, id) {
    const open = !this.open.delete(row.key);
    if (open) this.open.add(row.key);
    button.setAttribute("aria-expanded", String(open));
    if (open) {
      button.setAttribute("aria-controls", id);
      element.after(this.detailRow(row, id));
      this.state.set("open", row.key);
    } else {
      button.removeAttribute("aria-controls");
      byId(id)?.remove();
      if (this.state.get("open") === row.key) this.state.delete("open");
    }
    this.remember();
  }

  detailRow(row, id) {
    const cell = h("td", { role: "cell", colspan: String(this.columns.length + 1) }, h("p", { class: "note" }, "Reading…"));
    this.detail(row).then(
      (content) => cell.replaceChildren(content),
      (error) => cell.replaceChildren(h("p", { class: "note" }, `This episode cannot be shown: ${error.message}`)),
    );
    return h("tr", { role: "row", class: "detail", id }, cell);
  }
}

// Follows the address: a link of the report narrows the table, and brings the person to it.
function followAddress(table) {
  const follow = (event) => {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) {
      if (event === undefined) table.restore(new URLSearchParams());
      return; // a part of the report
    }
    const parameters = new URLSearchParams(hash);
    table.restore(parameters);
    if (!hash) return;
    const opened = table.body.querySelector("tr.detail")?.previousElementSibling;
    (opened ?? byId("episodes")).scrollIntoView();
    (opened?.querySelector("button") ?? byId("episodes-title")).focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const shape = event.target instanceof Element ? event.target.closest("[data-filter]") : null;
    if (shape) location.hash = `#${shape.dataset.filter}`;
    // A link to where one already is brings one there again.
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link && link.hash === location.hash) follow(event);
  });
  follow();
}
