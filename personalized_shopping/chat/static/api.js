// Talking to the server: a few requests, and streams of events.

let token = "";

/** A request that was not answered; its message is a sentence for the person. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Return what was said so far, and keep the token that later requests carry. */
export async function history() {
  const told = await (await ask("chat/history")).json();
  token = told.token;
  return told;
}

/** Send a message, and yield what the agent does about it. */
export function say(text) {
  return events("chat/messages", { text });
}

/** Answer a question, and yield what follows from it. */
export function answer(questionId, confirmed) {
  return events("chat/answers", { question_id: questionId, confirmed });
}

/** Yield the turn that goes on, from its beginning; nothing where none does. */
export async function* running() {
  const response = await ask("chat/stream");
  if (response.status !== 204) yield* messages(response.body);
}

/** Stop the turn that goes on. */
export async function stop() {
  await post("chat/stop", {});
}

/** Begin a new conversation. */
export async function startAnew() {
  await post("chat/new", {});
}

async function* events(address, body) {
  yield* messages((await post(address, body)).body);
}

function post(address, body) {
  const headers = { "Content-Type": "application/json", "X-Chat-Token": token };
  return ask(address, { method: "POST", headers, body: JSON.stringify(body) });
}

async function ask(address, options = {}) {
  let response;
  try {
    response = await fetch(address, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused("The shop cannot be reached. Check your connection and try again.", 0);
  }
  if (response.ok) return response;
  let sentence = "The shop could not answer. Please try again.";
  try {
    sentence = (await response.json()).error || sentence;
  } catch {
    // An answer of something between us and the server; its status is all there is to know.
  }
  throw new Refused(sentence, response.status);
}

/** Yield the messages of a text/event-stream; they are one line of JSON each, beside comments that keep it awake. */
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const line = part.split("\n").find((other) => other.startsWith("data: "));
      if (line !== undefined) yield JSON.parse(line.slice("data: ".length));
    }
  }
}
