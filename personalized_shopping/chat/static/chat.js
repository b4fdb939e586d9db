// The chat: what the person does goes to the server, what the server tells becomes the conversation.

import * as api from "./api.js";
import { byId, el, icon, show } from "./dom.js";
import { PagePane } from "./pane.js";
import { closeQuestion, openQuestion } from "./question.js";
import { AgentTurn, personBubble } from "./turn.js";

const NEAR_END_PX = 120;
const GAP_PX = 16;
const pane = new PagePane();
const log = byId("log");
const message = byId("message");
const scroller = byId("scroller");
let limit = 4000;
let busy = false;
let recording = false;
let turn = null;
let questions = new Map();
let owners = new Map();
let lastResults = "";

const on = {
  ask: (text) => send(text),
  look: (number, opener) => pane.open(number, opener),
  decide: (question, confirmed) => decide(question, confirmed),
};

/** Show an event of the conversation. */
function add(event) {
  if (event.type === "user") {
    log.append(personBubble(event.text));
    begin();
  } else if (event.type === "answer") {
    mark(event.question_id, event.confirmed ? "yes" : "no");
    log.append(personBubble(event.confirmed ? "Yes, buy it." : "No, don’t buy it."));
    begin();
  } else if (event.type === "done") {
    finish(event);
  } else {
    if (turn === null) begin();
    if (event.type !== "products" || isNews(event)) ownerOf(event).add(event);
    if (event.type === "page") pane.add(event);
    if (event.type === "question") questions.set(event.id, turn.questions.at(-1));
  }
}

/** Return the turn that an event belongs to: what a tool answers after a yes belongs to the turn that called it. */
function ownerOf(event) {
  if (event.type === "action" && !owners.has(event.id)) owners.set(event.id, turn);
  const call = { action: event.id, page: event.action_id }[event.type];
  return owners.get(call) ?? turn;
}

/** Whether these results are others than those that were shown last. */
function isNews(event) {
  const results = JSON.stringify([event.query, event.page_number]);
  const news = results !== lastResults;
  lastResults = results;
  return news;
}

function begin() {
  turn?.finish("");
  turn = new AgentTurn(on);
  log.append(turn.node);
  show(byId("welcome"), false);
  show(byId("trajectory"), recording);
}

function finish(event) {
  if (turn === null) return;
  turn.finish(event.reason);
  byId("announce").textContent = turn.spoken.trim() || (event.reason === "stopped" ? "Stopped." : "");
  turn = null;
  settle(event.question);
}

/** Let one question be open, or none. */
function settle(open) {
  for (const [id, { card }] of questions) {
    if (id === open) card.show("open");
    else if (!["yes", "no"].includes(card.node.dataset.state)) card.show("closed");
  }
}

function mark(questionId, state) {
  questions.get(questionId)?.card.show(state);
}

/** Follow a stream of events to its end; what the person sees is busy for as long. */
async function follow(events, whenRefused = () => {}) {
  setBusy(true);
  let asked = null;
  let over = false;
  try {
    for await (const event of events) {
      keepAtEnd(() => add(event));
      if (event.type === "done") {
        over = true;
        asked = event.question;
      }
    }
    if (!over) throw new api.Refused("The connection was lost. Load the page again to see what happened.", 0);
  } catch (error) {
    whenRefused();
    keepAtEnd(() => fail(error));
  } finally {
    setBusy(false);
  }
  const open = questions.get(asked);
  if (open === undefined) return;
  openQuestion(open.question, decide, () => {
    message.focus();
    open.card.node.scrollIntoView({ block: "nearest" });
  });
}

async function send(text) {
  const words = text.trim();
  if (!words || busy) return;
  if (words.length > limit) {
    complain(`This message has ${words.length} characters; ${limit} are the most.`);
    return;
  }
  closeQuestion();
  const fromField = message.value === text;
  if (fromField) message.value = "";
  grow();
  scrollToEnd();
  await follow(api.say(words), () => {
    if (fromField && !message.value) message.value = text;
  });
}

async function decide(question, confirmed) {
  if (busy) return;
  closeQuestion();
  message.focus();
  await follow(api.answer(question.id, confirmed));
}

function fail(error) {
  const text = error instanceof api.Refused ? error.message : "Something went wrong in this page. Please load it again.";
  if (!(error instanceof api.Refused)) console.error(error);
  if (turn !== null) {
    turn.add({ type: "error", text });
    turn.finish("failed");
    turn = null;
  } else {
    complain(text);
  }
}

function complain(text) {
  byId("complaint").replaceChildren(icon("alert"), el("span", { dir: "auto" }, text));
}

function setBusy(now) {
  busy = now;
  document.body.classList.toggle("busy", now);
  show(byId("send"), !now);
  show(byId("stop"), now);
  if (now) {
    byId("complaint").replaceChildren();
    byId("announce").textContent = "Working on it.";
  }
}

/** Change the conversation, and stay at its end if the person is there: but what they said stays in view. */
function keepAtEnd(change) {
  const atEnd = lastSaid() - scroller.scrollTop < NEAR_END_PX;
  change();
  if (atEnd) scrollToEnd();
}

/** Return how far one would scroll: to the end, or until what was said last reaches the top. */
function lastSaid() {
  const end = scroller.scrollHeight - scroller.clientHeight;
  const said = [...log.querySelectorAll(".person")].at(-1);
  return said === undefined ? end : Math.min(end, Math.max(said.offsetTop - GAP_PX, 0));
}

function scrollToEnd() {
  requestAnimationFrame(() => {
    scroller.scrollTop = Math.max(scroller.scrollTop, lastSaid());
    offerJump();
  });
}

function offerJump() {
  show(byId("jump"), scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop > NEAR_END_PX);
}

function grow() {
  message.style.height = "auto";
  message.style.height = `${message.scrollHeight}px`;
  const left = limit - message.value.length;
  byId("counter").textContent = left < limit / 10 ? `${left} characters left` : "";
}

function clear() {
  log.replaceChildren();
  questions = new Map();
  owners = new Map();
  lastResults = "";
  turn = null;
  pane.clear();
  closeQuestion();
  byId("complaint").replaceChildren();
  show(byId("welcome"), true);
  show(byId("trajectory"), false);
}

/** Show the conversation as the server knows it, and follow what still goes on. */
async function restore() {
  const told = await api.history();
  clear();
  limit = told.max_message_chars;
  recording = told.recording;
  for (const event of told.events) add(event);
  if (turn !== null) {
    turn.finish("");
    turn = null;
  }
  settle(told.question);
  scrollToEnd();
  if (told.running) await follow(api.running());
}

async function startAnew() {
  if (log.childElementCount && !window.confirm("Begin a new conversation? This one will be left behind.")) return;
  try {
    await api.startAnew();
    await restore();
  } catch (error) {
    fail(error);
  }
  message.focus();
}

byId("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  send(message.value);
});
message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send(message.value);
});
message.addEventListener("input", grow);
scroller.addEventListener("scroll", offerJump, { passive: true });
new ResizeObserver(offerJump).observe(log);
byId("jump").addEventListener("click", () => {
  scroller.scrollTop = scroller.scrollHeight;
  message.focus();
});
byId("stop").addEventListener("click", () => api.stop().catch(fail));
byId("new").addEventListener("click", startAnew);
for (const button of document.querySelectorAll("[data-wish]")) {
  button.addEventListener("click", () => {
    message.focus();
    send(button.dataset.wish);
  });
}
restore().catch(fail);
