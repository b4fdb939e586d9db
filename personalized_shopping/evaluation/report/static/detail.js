// An opened episode: what was wanted and what was bought, side by side, and how it came to that.

const PART_TITLES = { r_type: "Kind of product", r_att: "Attributes", r_option: "Options", r_price: "Price" };

const same = (text) => h("span", { class: "mark good" }, "✓ ", text);
const differs = (text) => h("span", { class: "mark bad" }, "✗ ", text);
const folded = (text) => text.toLowerCase().trim();

function section(title, ...content) {
  return h("section", null, h("h3", null, title), ...content);
}

function listOf(items, tag = "ul", properties = {}) {
  return h(tag, properties, items.map((item) => h("li", { dir: "auto" }, item)));
}

// The wanted option values, each marked by whether it was chosen.
function wantedOptions(detail) {
  const { wanted, bought, parts } = detail;
  if (!wanted.options?.length) return "–";
  if (!bought) return listOf(wanted.options);
  const chosen = Object.values(bought.options ?? {}).map(folded);
  const met = (value) => parts.r_option === 1 || chosen.includes(folded(value));
  return listOf(wanted.options.map((value) => (met(value) ? same(value) : differs(value))));
}

function sideBySide(detail) {
  const { wanted, bought } = detail;
  const limit = wanted.price_limit ?? null;
  const known = wanted.title || wanted.asin || wanted.options?.length || wanted.attributes?.length || limit !== null;
  if (!known && !bought) return null;
  const product = (one, mark) => [
    h("span", { dir: "auto" }, one?.title || "–"),
    one?.asin ? h("code", null, one.asin) : null,
    " ",
    mark,
  ];
  let productMark = null;
  if (bought && wanted.asin)
    productMark = wanted.asin === bought.asin ? same("the wanted product") : differs("another product");
  let priceMark = null;
  if (bought && typeof bought.price === "number" && limit !== null)
    priceMark = bought.price <= limit ? same("within the limit") : differs(`${price(bought.price - limit)} above`);
  const options = Object.entries(bought?.options ?? {}).map(([name, value]) => `${name}: ${value}`);
  const attributes = detail.parts.r_att;
  const attributeMark = typeof attributes !== "number" ? "–" : attributes >= 1 ? same("all of them") : differs(`${Math.round(attributes * 100)} % of them`);
  const row = (title, left, right) =>
    h("tr", null, h("th", { scope: "row" }, title), h("td", { "data-side": "Wanted" }, left), h("td", { "data-side": "Bought" }, right));
  return h(
    "table",
    { class: "sides" },
    h("thead", null, h("tr", null, h("td", null), h("th", { scope: "col" }, "Wanted"), h("th", { scope: "col" }, "Bought"))),
    h(
      "tbody",
      null,
      row("Product", product(wanted), bought ? product(bought, productMark) : h("span", { class: "mark bad" }, "✗ nothing was bought")),
      row("Options", wantedOptions(detail), options.length ? listOf(options) : "–"),
      wanted.attributes?.length ? row("Attributes", wanted.attributes.join(", "), bought ? attributeMark : "–") : null,
      row("Price", limit === null ? "any" : `at most ${price(limit)}`, bought && typeof bought.price === "number" ? [price(bought.price), " ", priceMark] : "–"),
    ),
  );
}

function partBadges(parts) {
  const known = Object.entries(PART_TITLES).filter(([name]) => typeof parts[name] === "number" || typeof parts[name] === "boolean");
  if (!known.length) return null;
  const whole = (value) => Number(value) >= 1;
  return h(
    "p",
    { class: "badges" },
    known.map(([name, title]) => badge(`${title} ${toPoints(Number(parts[name]))}`, whole(parts[name]) ? "good" : "bad")),
  );
}

function checkList(checks) {
  const items = checks.map(([name, passed, said]) => [
    h("b", { class: passed ? "good" : "bad" }, passed ? "✓ " : "✗ ", h("span", { class: "unseen" }, passed ? "held: " : "failed: "), plain(name)),
    said ? h("span", { class: "muted" }, ` ${said}`) : null,
  ]);
  return h("ul", { class: "checks" }, items.map((item) => h("li", { dir: "auto" }, item)));
}

function factLine(row, detail) {
  const facts = [`ended: ${detail.ended}`, plural(row.steps, "step")];
  for (const [name, value] of Object.entries(detail.facts)) if (value) facts.push(`${count(value)} ${name}`);
  if (row.cost) facts.push(dollars(row.cost));
  if (row.seconds !== undefined) facts.push(seconds(row.seconds));
  return h("p", { class: "muted small" }, facts.join(" · "));
}

function detailElement(row, detail) {
  const failed = row.failure !== "";
  const link = detail.link && h("a", { class: "button", href: detail.link }, "Open the trajectory");
  const steps = h("ol", { class: "actions", start: "0" }, detail.actions.map((action) => h("li", null, h("code", { dir: "auto" }, action))));
  return h(
    "div",
    { class: "opened" },
    failed ? h("p", { class: "why", dir: "auto" }, row.why || "No reason was recorded.") : null,
    h("p", { class: "whole", dir: "auto" }, row.instruction),
    sideBySide(detail),
    partBadges(detail.parts),
    h(
      "div",
      { class: "columns" },
      detail.checks.length ? section("Checks", checkList(detail.checks)) : null,
      section("Actions", detail.actions.length ? steps : h("p", { class: "muted" }, "None was taken.")),
      detail.answer ? section("Answer", h("p", { class: "answer", dir: "auto" }, detail.answer)) : null,
      detail.error ? section("Error", h("p", { class: "answer bad", dir: "auto" }, detail.error)) : null,
    ),
    factLine(row, detail),
    link,
  );
}
