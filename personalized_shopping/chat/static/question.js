// The question before a purchase, as a dialog that holds the keyboard until it is answered or put off.

import { facts, picture, yesWords } from "./cards.js";
import { byId, el } from "./dom.js";

/** Show the dialog; one of `decide` and `later` is called when it is closed. */
export function openQuestion(question, decide, later) {
  const dialog = byId("question");
  const { product, options } = question;
  byId("question-offer").replaceChildren(
    picture(product),
    el("div", {}, el("p", { class: "offer-title", dir: "auto" }, product.title || question.text), facts(product, options)),
  );
  byId("question-yes").textContent = yesWords(question);
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue === "yes" || dialog.returnValue === "no") decide(question, dialog.returnValue === "yes");
    else later();
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
