// One look at a page: what every element is, where it is, whether it can be seen and pressed. Changes nothing, presses
// nothing, reads no cookies and nothing that was typed. Runs in a world of its own, so that the page's scripts cannot
// change what it calls. The answer is one string: as an object it would take ten times as long to hand over.
(options) => {
  const elements = Array.from(document.querySelectorAll("*")).slice(0, options.maxElements);
  const places = new Map(elements.map((element, index) => [element, index]));
  const width = window.innerWidth;
  const height = window.innerHeight;
  const points = [[0.5, 0.5], [0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]];

  const shorten = (text) => text.slice(0, 4 * options.maxText).replace(/\s+/g, " ").trim().slice(0, options.maxText);
  const ownText = (element) => {
    let text = "";
    if (options.wordless.includes(element.tagName.toLowerCase())) return text;
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) text += ` ${child.nodeValue.slice(0, 4 * options.maxText)}`;
      if (text.length > 8 * options.maxText) break;
    }
    return shorten(text);
  };
  const shownText = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return "";
    if (element.tagName === "INPUT") {
      const words = options.words[element.type];
      return words === undefined ? "" : shorten(element.getAttribute("value") ?? words);
    }
    return element.tagName === "TEXTAREA" ? "" : shorten(element.innerText ?? element.textContent ?? "");
  };

  const attributesOf = (element) => {
    const found = {};
    for (const { name, value } of element.attributes) {
      if (name === "value" && element.tagName === "INPUT" && element.type === "password") continue;
      found[name] = value.slice(0, options.maxValue);
    }
    return found;
  };

  const yesOrNo = (written) => (written === "true" ? true : written === "false" ? false : undefined);
  const tristate = (written) => (written === "mixed" ? "mixed" : yesOrNo(written));
  const checkedOf = (element) => {
    if (element.tagName === "INPUT" && ["checkbox", "radio"].includes(element.type)) {
      return element.indeterminate && element.type === "checkbox" ? "mixed" : element.checked;
    }
    const role = (element.getAttribute("role") ?? "").toLowerCase().split(/\s+/).find((word) => word);
    if (!options.checkedRoles.includes(role)) return undefined;
    return tristate(element.getAttribute("aria-checked")) ?? false;
  };
  const statesOf = (element) => {
    const isSummary = element.tagName === "SUMMARY" && element.parentElement?.tagName === "DETAILS";
    return {
      checked: checkedOf(element),
      pressed: tristate(element.getAttribute("aria-pressed")),
      expanded: isSummary ? element.parentElement.open : yesOrNo(element.getAttribute("aria-expanded")),
      selected: (element.tagName === "OPTION" && isChosen(element)) || element.getAttribute("aria-selected") === "true" || undefined,
      disabled: element.matches(":disabled") || element.getAttribute("aria-disabled") === "true" || undefined,
      required: element.hasAttribute("required") || element.getAttribute("aria-required") === "true" || undefined,
    };
  };
  const isChosen = (option) => option.selected && option.closest("select") !== null;

  // Which part of a control something else lies over. Where its own forebears are hit, nothing lies over it there.
  const occlusionOf = (element, box) => {
    const labels = Array.from(element.labels ?? []);
    const foreign = [];
    let own = 0;
    for (const [right, down] of points) {
      const x = box.left + right * box.width;
      const y = box.top + down * box.height;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const hit = document.elementFromPoint(x, y);
      if (hit === null || (hit !== element && hit.contains(element))) continue;
      if (element.contains(hit) || labels.some((label) => label.contains(hit))) own += 1;
      else foreign.push(hit);
    }
    if (own + foreign.length === 0) return { ratio: null, cover: null };
    return { ratio: foreign.length / (own + foreign.length), cover: foreign.length ? places.get(foreign[0]) ?? null : null };
  };

  const describe = (element, index) => {
    const box = element.getBoundingClientRect();
    const isControl = element.matches(options.controls);
    const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const visible = isShown && box.width > 0 && box.height > 0;
    const labels = Array.from(element.labels ?? []).slice(0, options.maxLabels);
    const found = {
      parent: element.parentElement === null ? null : places.get(element.parentElement) ?? null,
      tag: element.tagName.toLowerCase(),
      attributes: attributesOf(element),
      text: isControl ? shownText(element) : ownText(element),
      states: statesOf(element),
      visible,
      box: [box.x, box.y, box.width, box.height].map(Math.round),
      inViewport: box.bottom > 0 && box.right > 0 && box.top < height && box.left < width,
    };
    if (labels.length) {
      found.labels = labels.map((label) => places.get(label)).filter((place) => place !== undefined);
      found.labelTexts = labels.map(shownText);
    }
    if (isControl && visible) {
      const style = getComputedStyle(element);
      found.looks = {
        z_index: style.zIndex,
        opacity: style.opacity,
        pointer_events: style.pointerEvents,
        border_radius: style.borderTopLeftRadius,
      };
      if (found.inViewport) found.occlusion = occlusionOf(element, box);
    }
    return found;
  };

  return JSON.stringify({
    url: location.href,
    title: document.title,
    viewport: [width, height],
    scroll: [Math.round(window.scrollX), Math.round(window.scrollY)],
    scrollHeight: document.documentElement.scrollHeight,
    scale: window.devicePixelRatio,
    userAgent: navigator.userAgent,
    isQuirky: document.compatMode === "BackCompat",
    total: document.getElementsByTagName("*").length,
    frames: window.frames.length,
    shadows: elements.filter((element) => element.shadowRoot !== null).length,
    elements: elements.map(describe),
  });
};
