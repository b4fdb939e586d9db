// Building the page. Every text goes in as a text node; nothing here parses HTML.

function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function svg(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties ?? {})) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

// A person sees at once that something was done; a screen reader says it.
let silence = 0;
function say(text) {
  const place = byId("said");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(silence);
  silence = setTimeout(() => place.classList.remove("shown"), 1800);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Some browsers give no clipboard to a page from the disk; the old way still works there.
    const field = h("textarea", { class: "unseen", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    if (!copied) return say("This browser refused to copy");
  }
  say(`${what} copied`);
}

// What lies compressed in the page: a session, or one rendering of a page. Null where it is not there.
async function inflated(kind, name) {
  const block = byId(`${kind}-${name}`);
  if (block === null) return null;
  const bytes = Uint8Array.from(atob(block.textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// A closed section whose content is made when it is first opened.
function fold(title, content, properties) {
  const body = h("div", { class: "fold-body" });
  const details = h("details", properties, h("summary", null, title), body);
  details.addEventListener("toggle", () => {
    if (details.open && !body.hasChildNodes()) body.append(...[content()].flat());
  });
  return details;
}

function json(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return h("pre", { class: "code", tabindex: "0", "data-scrolls": true }, text);
}

const LONG_TEXT = 6000;

// A text with **bold** and `code` as the model wrote them. A very long one is cut until the person asks for the rest.
function prose(text, className = "prose") {
  const place = h("div", { class: className, dir: "auto" });
  const fill = (shown) => place.replaceChildren(...spans(shown));
  if (text.length <= LONG_TEXT) {
    fill(text);
    return place;
  }
  fill(text.slice(0, LONG_TEXT));
  const more = h("button", { type: "button", class: "link", onclick: () => fill(text) });
  more.textContent = `Show all ${count(text.length)} characters`;
  place.append("… ", more);
  return place;
}

function* spans(text) {
  let from = 0;
  for (const found of text.matchAll(/\*\*([^*\n]+)\*\*|`([^`\n]+)`/g)) {
    if (found.index > from) yield text.slice(from, found.index);
    yield found[1] !== undefined ? h("strong", null, found[1]) : h("code", null, found[2]);
    from = found.index + found[0].length;
  }
  if (from < text.length) yield text.slice(from);
}

// One of several: the buttons of a set of tabs or of a switch. `choose` is called with the name that was chosen.
function choice(label, options, chosen, choose) {
  const buttons = options.map(([name, title, disabled]) =>
    h(
      "button",
      { type: "button", "aria-pressed": String(name === chosen), disabled, onclick: () => choose(name) },
      title,
    ),
  );
  return h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}
