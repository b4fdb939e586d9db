// Building the page from nodes. What products, models and people say becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return a new element. Functions among the attributes listen to events; null and false leave an attribute out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Return one of the icons that chat.html defines; it says nothing to a screen reader. */
export function icon(name) {
  const node = document.createElementNS(SVG, "svg");
  node.setAttribute("class", "icon");
  node.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  node.append(use);
  return node;
}

/** Return an element of the page by its id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Show or hide an element. */
export function show(node, visible) {
  node.hidden = !visible;
}
