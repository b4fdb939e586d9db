// Which view the address asks for, and the keyboard.

const data = JSON.parse(byId("sessions").textContent);
const rowsByKey = new Map(data.sessions.map((row) => [row.key, row]));
const main = byId("main");
const sessions = new SessionsView(data);
let open = null;
let wanted = 0;

// `#/`, `#/?q=…`, `#/session` or `#/session/step/12`; steps count from 0.
function route() {
  const [path, query] = location.hash.slice(1).split("?", 2);
  const parts = path.split("/").filter(Boolean);
  try {
    return {
      key: parts[0] === undefined ? null : decodeURIComponent(parts[0]),
      step: parts[1] === "step" ? Number.parseInt(parts[2], 10) : null,
      query,
    };
  } catch {
    return { key: null, step: null, query: "" };
  }
}

async function follow() {
  const { key, step, query } = route();
  const turn = ++wanted;
  if (key === null) return showList(query);
  if (open?.row.key !== key) {
    const view = await sessionView(key);
    if (turn !== wanted) return; // the person has gone on in the meantime
    open = view;
    main.replaceChildren(view.element);
    view.content?.focus({ preventScroll: true });
  } else if (!open.element.isConnected) main.replaceChildren(open.element);
  document.title = `${cut(open.row.text || open.row.id, 60)} · Trajectories`;
  open.windowed?.measure();
  open.show?.(Number.isInteger(step) ? step : 0);
}

async function sessionView(key) {
  const row = rowsByKey.get(key);
  if (row === undefined) return plainView({ key, id: key, text: key }, `This file holds no session “${key}”.`);
  if (row.problem) return plainView(row, row.problem);
  try {
    const text = await inflated("session", key);
    if (text === null) throw new Error("its part of this file is missing");
    return new SessionView(row, JSON.parse(text));
  } catch (error) {
    return plainView(row, `This session cannot be shown: ${error.message}`);
  }
}

function plainView(row, problem) {
  return {
    row,
    element: h(
      "section",
      { class: "session-view plain" },
      h("a", { class: "back", href: "#/" }, "← Sessions"),
      h("h1", { dir: "auto" }, row.text || row.id),
      note(problem),
    ),
  };
}

function showList(query) {
  const cameFrom = open?.row.key;
  const shown = sessions.element.isConnected;
  document.title = "Trajectories";
  main.replaceChildren(sessions.element);
  if (query !== undefined || shown || !cameFrom) sessions.restore(new URLSearchParams(query ?? ""));
  if (!shown && cameFrom) sessions.markSession(cameFrom);
}

// At once, so that the next key already goes to the list.
function back() {
  const address = sessions.address();
  if (location.hash !== address) history.pushState(null, "", address);
  follow();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const target = event.target;
  const typing = target instanceof Element && target.matches("input, textarea, select");
  const inSession = !sessions.element.isConnected;
  if (event.key === "Escape") {
    if (inSession) back();
    else if (typing) target.blur();
    return;
  }
  if (typing && !(target === sessions.search && ["ArrowDown", "ArrowUp", "Enter"].includes(event.key))) return;
  const arrow = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
  if (arrow && target instanceof Element && target.closest("[data-scrolls]")) return;
  const act = action(event, inSession);
  if (act === null) return;
  event.preventDefault();
  act();
}

function action(event, inSession) {
  const view = inSession ? open : sessions;
  // The button that closed the help keeps the focus until the next frame is drawn.
  const onLink = event.target instanceof Element && event.target.closest("a, button, summary")?.checkVisibility();
  const move = (by) => () => view.move?.(by);
  const tab = (name) => () => open.panel?.change?.({ tab: name });
  switch (event.key) {
    case "j":
    case "ArrowDown":
      return move(1);
    case "k":
    case "ArrowUp":
      return move(-1);
    case "ArrowRight":
      return inSession ? move(1) : null;
    case "ArrowLeft":
      return inSession ? move(-1) : null;
    case "Home":
      return move(-Infinity);
    case "End":
      return move(Infinity);
    case "Enter":
      return inSession || onLink ? null : () => sessions.open();
    case "/":
      return () => {
        if (inSession) back();
        sessions.search.select();
      };
    case "?":
      return () => byId("keys").showModal();
    case "1":
    case "2":
    case "3":
      return inSession ? tab({ 1: "page", 2: "tree", 3: "text" }[event.key]) : null;
    case "b":
      return inSession ? () => open.panel?.change?.({ side: open.panel.side === "before" ? "after" : "before" }) : null;
    case "c":
      return inSession ? () => open.copyLink?.() : null;
    default:
      return null;
  }
}

byId("made").append("made ", time(data.made, { day: true }));
byId("show-keys").addEventListener("click", () => byId("keys").showModal());
document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a.back, a.brand") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  back();
});
window.addEventListener("hashchange", follow);
if (location.hash.length <= 2 && data.selected !== null)
  history.replaceState(null, "", `#/${encodeURIComponent(data.selected)}`);
follow();
