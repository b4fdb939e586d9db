// What a browser with scripts does better. Every page works without this file.
"use strict";

(() => {
  const FOCUS = "webshop-focus";

  document.documentElement.classList.add("scripted");

  // A form that opens a page leaves a lone question mark behind its address.
  if (location.href.endsWith("?")) {
    history.replaceState(history.state, "", location.pathname);
  }

  // Choosing a value opens its address. The next page takes up the focus and the place where the shopper was.
  let byKeyboard = false;
  document.addEventListener("keydown", () => { byKeyboard = true; }, true);
  document.addEventListener("pointerdown", () => { byKeyboard = false; }, true);
  for (const radio of document.querySelectorAll("input[type=radio][data-url]")) {
    radio.addEventListener("change", () => {
      sessionStorage.setItem(FOCUS, JSON.stringify({ id: radio.id, top: window.scrollY, focusVisible: byKeyboard }));
      location.assign(radio.dataset.url);
    });
  }
  const kept = sessionStorage.getItem(FOCUS);
  if (kept !== null) {
    sessionStorage.removeItem(FOCUS);
    const { id, top, focusVisible } = JSON.parse(kept);
    const radio = document.getElementById(id);
    if (radio !== null) {
      window.scrollTo(0, top);
      radio.focus({ preventScroll: true, focusVisible });
    }
  }

  // A page that comes back from the browser's memory shows what its address says, not what was clicked last.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("#options-form")) {
      form.reset();
    }
  });

  // An image that cannot be loaded leaves its place to the drawing behind it.
  for (const image of document.querySelectorAll(".picture img")) {
    const hide = () => image.classList.add("broken");
    image.addEventListener("error", hide);
    if (image.complete && image.naturalWidth === 0 && image.currentSrc !== "") {
      hide();
    }
  }
})();
