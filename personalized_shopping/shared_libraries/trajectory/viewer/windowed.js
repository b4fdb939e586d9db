// A long list of which only the rows in sight are in the page.

class Windowed {
  // `height(item)` gives a row's height in pixels, `render(item, index)` its element.
  constructor(label, { height, render }) {
    this.height = height;
    this.render = render;
    this.rows = new Map();
    this.items = [];
    this.tops = [0];
    this.current = -1;
    this.list = h("ol", { class: "windowed", "aria-label": label });
    this.element = h("div", { class: "scroller" }, this.list);
    this.element.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  set(items) {
    this.items = items;
    this.clear();
    this.measure();
  }

  clear() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
  }

  // Row heights depend on the width of the window.
  measure() {
    const tops = [0];
    for (const item of this.items) tops.push(tops[tops.length - 1] + this.height(item));
    const changed = tops.length !== this.tops.length || tops.some((top, place) => top !== this.tops[place]);
    this.tops = tops;
    this.list.style.height = `${tops[tops.length - 1]}px`;
    if (changed) this.clear();
    this.draw();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(this.at(scrollTop) - 8, 0);
    const last = Math.min(this.at(scrollTop + clientHeight) + 8, this.items.length - 1);
    const wanted = (place) => (place >= first && place <= last) || place === this.current;
    for (const [place, row] of this.rows) {
      if (wanted(place)) continue;
      row.remove();
      this.rows.delete(place);
    }
    for (let place = first; place <= last; place++) this.show(place);
    if (this.current >= 0 && this.current < this.items.length) this.show(this.current);
  }

  show(place) {
    if (this.rows.has(place)) return;
    const row = this.render(this.items[place], place);
    row.style.top = `${this.tops[place]}px`;
    row.style.height = `${this.tops[place + 1] - this.tops[place]}px`;
    row.setAttribute("aria-setsize", String(this.items.length));
    row.setAttribute("aria-posinset", String(place + 1));
    emphasize(row, place === this.current);
    // The order in the page is the order in which the keyboard and a screen reader go through it.
    let next = null;
    for (const [other, element] of this.rows)
      if (other > place && (next === null || other < next[0])) next = [other, element];
    this.list.insertBefore(row, next === null ? null : next[1]);
    this.rows.set(place, row);
  }

  // Which row lies at a height.
  at(height) {
    let low = 0;
    let high = Math.max(this.items.length - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Marks a row and brings it into sight.
  mark(place) {
    emphasize(this.rows.get(this.current), false);
    this.current = place;
    emphasize(this.rows.get(place), true);
    if (place < 0 || place >= this.items.length) return;
    const { scrollTop, clientHeight } = this.element;
    const top = this.tops[place];
    const bottom = this.tops[place + 1];
    if (top < scrollTop || bottom > scrollTop + clientHeight)
      this.element.scrollTop = top < scrollTop ? top - 60 : bottom - clientHeight + 60;
    this.draw();
  }
}

function emphasize(row, current) {
  row?.classList.toggle("current", current);
  const link = row?.querySelector("a");
  if (current) link?.setAttribute("aria-current", "true");
  else link?.removeAttribute("aria-current");
}
