// Measurements for test_looks.py: every text and every control, with their boxes and contrast. One function expression.
() => {
  const rgb = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+(?:e-?\d+)?/g).map(Number), share = text.startsWith("color(") ? 255 : 1;
    return [r * share, g * share, b * share, a];
  };
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".hidden, .skip, option, script, :disabled");
  const sides = (box) => [box.left, box.top, box.right, box.bottom];
  const written = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement, look = getComputedStyle(element);
    if (!node.textContent.trim() || !shown(element) || element.matches("textarea")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const drawn = element instanceof SVGElement, on = element.classList.contains("on");
    const ground = drawn && on ? rgb(getComputedStyle(element.previousSibling).fill) : behind(element);
    const [a, b] = [light(rgb(drawn ? look.fill : look.color)), light(ground)].sort((p, q) => q - p);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      written.push({ text: node.textContent.trim().slice(0, 30), box: sides(box), contrast: (a + 0.05) / (b + 0.05), drawn, plane: element.closest("#plane") !== null && element.closest("#layer-names") === null });
    }
  }
  const used = [...document.querySelectorAll("button, input:not([type=radio]), select, textarea, summary")].filter(shown)
    .map((element) => ({ text: element.id || element.name || element.textContent, box: sides(element.getBoundingClientRect()) }));
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  return { written, used, ids, width: document.documentElement.scrollWidth };
}
