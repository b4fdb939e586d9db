// The question before a purchase, as a dialog that holds the keyboard until it is answered or put off.

import { facts, picture } from "./cards.js";
import { byId, el } from "./dom.js";

/** Show the dialog. `decide` is called with the answer; putting it off calls nothing. */
export function openQuestion(question, decide) {
  const dialog = byId("question");
  const { product, options } = question;
  byId("question-offer").replaceChildren(
    picture(product),
    el("div", {}, el("p", { class: "offer-title", dir: "auto" }, product.title), facts(product, options)),
  );
  byId("question-yes").textContent = `Buy for ${product.price}`;
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue === "yes" || dialog.returnValue === "no") decide(question, dialog.returnValue === "yes");
    else byId("message").focus();
  };
  if (!dialog.open) dialog.showModal();
  // Not on a button: whoever is just typing must not answer by pressing Enter.
  byId("question-title").focus();
}

/** Close the dialog, if it is open, without an answer. */
export function closeQuestion() {
  const dialog = byId("question");
  if (dialog.open) dialog.close("");
}
