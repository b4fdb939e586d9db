// Numbers, times and results in words.

const NUMBER = new Intl.NumberFormat();
const SHORT_NUMBER = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const CLOCK_S = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

const count = (number) => NUMBER.format(number);
const short = (number) => SHORT_NUMBER.format(number);
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} m`;
}

// The moment in the reader's own time; hovering tells it in UTC.
function time(utc, { day = false } = {}) {
  const moment = new Date(utc);
  if (Number.isNaN(moment.getTime())) return h("span", null, utc ?? "");
  const now = new Date();
  const today = moment.toDateString() === now.toDateString();
  const date = (moment.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(moment);
  const text = day ? `${today ? "today" : date}, ${CLOCK.format(moment)}` : CLOCK_S.format(moment);
  return h("time", { datetime: utc, title: `${utc.replace("T", " ").replace("Z", "")} UTC` }, text);
}

const STATUS = {
  completed: ["completed", "good", "The run ended by itself"],
  paused: ["paused", "waits", "The run waits for the person's yes or no"],
  running: ["running", "waits", "The run went on when this file was made"],
  cancelled: ["cancelled", "calm", "The run was broken off"],
  max_steps: ["step limit", "bad", "The run used up its steps"],
  error: ["error", "bad", "An error ended the run"],
  aborted: ["aborted", "bad", "The run died without a word"],
};

function badge(text, tone, title) {
  return h("span", { class: `badge ${tone}`, title }, text);
}

function statusBadge(status) {
  return badge(...(STATUS[status] ?? [status, "calm", ""]));
}

const OUTCOME = {
  done: ["done", "good", "The call was carried out"],
  failed: ["failed", "bad", "The call ended with an error"],
  pending: ["waits", "waits", "A person was asked, and has not answered"],
  refused: ["refused", "warn", "The person said no, or the call came out of order. It was not carried out"],
  blocked: ["blocked", "bad", "The guard kept the call from running"],
};

const OUTCOME_STOPPED = new Set(["blocked", "refused"]);

function outcomeBadge(action) {
  const unknown = action.started
    ? "The run died in this call: nobody knows what came of it"
    : "The run died before this call";
  return badge(...(OUTCOME[action.outcome] ?? ["unknown", "warn", unknown]));
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// What a tool call gave, in a line.
function resultLine(action) {
  const result = action.result;
  if (action.error) return action.error.message || action.error.type;
  if (action.outcome === "blocked") return action.decisions.at(-1)?.risk_explanation || "Blocked by the guard";
  if (action.purchase) return `Bought ${purchaseWords(action.purchase)}`;
  if (action.outcome === "pending") return action.confirmations.at(-1)?.question || "Waits for the person";
  if (!action.outcome) return "The log does not tell what came of it";
  if (!isObject(result)) return result === null || result === undefined ? "" : cut(asText(result), 300);
  if (result.error) return asText(result.error);
  if (result.page === "results" && result.total_results !== undefined)
    return `${plural(result.total_results, "result")}, page ${result.page_number ?? 1}`;
  if (isObject(result.product) && result.product.title)
    return [pageWord(result.page), result.product.title, result.product.price].filter(Boolean).join(" · ");
  if (typeof result.observation === "string") return cut(result.observation, 300);
  return cut(asText(result), 300);
}

const pageWord = (page) => (page && page !== "item" ? page[0].toUpperCase() + page.slice(1) : "");

function purchaseWords(purchase) {
  if (!isObject(purchase)) return asText(purchase);
  return [purchase.title ?? purchase.asin, purchase.price].filter(Boolean).map(asText).join(" · ");
}

function asText(value) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
