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

const byId = (id) => document.getElementById(id);
const NUMBER = new Intl.NumberFormat("en");
const count = (number) => NUMBER.format(number);
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
// A score from 0 to 1 on the scale to 100, rounded as the filter rounds it.
const toPoints = (score) => Math.round(score * 1000) / 10;
const dollars = (amount) => `$${amount.toFixed(amount === 0 || amount >= 0.1 ? 2 : 4)}`;
const price = (amount) => `$${amount.toFixed(2)}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plain = (name) => capital(name.replaceAll(/[_-]/g, " ").trim());

function seconds(time) {
  if (time < 1) return `${Math.round(time * 1000)} ms`;
  if (time < 60) return `${time.toFixed(1)} s`;
  const whole = Math.round(time);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function badge(text, tone, title) {
  return h("span", { class: `badge ${tone}`, title }, text);
}

// What lies compressed in the page, by the block's id.
const inflations = new Map();
function inflated(id) {
  if (!inflations.has(id)) inflations.set(id, inflate(byId(id).textContent));
  return inflations.get(id);
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
