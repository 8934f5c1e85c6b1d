/** Runs in each page before its scripts: notes what the page must not do, and measures it. */

const found = [];

document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  found.push(`violation of ${violatedDirective}: ${blockedURI}`);
});

new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    const moved = sources.map(({ node }) => describe(node));
    found.push(`layout shift of ${value.toFixed(4)}: ${moved.join(' | ')}`);
  }
}).observe({ type: 'layout-shift', buffered: true });

const describe = (node) => (node?.outerHTML ?? node?.parentElement?.outerHTML ?? '').slice(0, 160);

/** The first elements that stand outside of the window, if the page can be scrolled to the side. */
function outside() {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const elements = [...document.querySelectorAll('body *')];
  const wide = elements.filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1);
  return [`${root.scrollWidth} px wide`, ...wide.slice(0, 4).map(describe)];
}

/** Whether an element has text of its own, not only in elements within it. */
const hasText = (element) => [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');

/** The nearest element around one that cuts off or scrolls what is wider than itself. */
function frameOf(element) {
  for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
    if (getComputedStyle(one).overflowX !== 'visible') return one;
  }
  return null;
}

/**
 * The first elements whose text nobody can read whole: it is wider than its element, or it stands outside of a frame around
 * it. A frame that can be scrolled is allowed if it says so with `data-scrolls`. The column of reasons never needs it.
 */
async function cut() {
  // Frames notice their new width before the next picture.
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const wrong = new Set();
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element) || element.closest('[data-scrolls]')) continue;
    const { overflowX } = getComputedStyle(element);
    const isWider = element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
    if (isWider && overflowX !== 'visible' && element.innerText) wrong.add(element);
    if (!hasText(element)) continue;
    const frame = frameOf(element) ?? document.documentElement;
    const { left, right } = element.getBoundingClientRect();
    const within = frame.getBoundingClientRect();
    // Spaces at the end of a line may hang over the edge of their element. They make no frame wider.
    const isOutside = right > within.right + 1 && frame.scrollWidth > frame.clientWidth + 1;
    // The words for screen readers are in a frame of one pixel.
    if (frame.clientWidth > 1 && (isOutside || left < within.left - 1)) wrong.add(element);
  }
  for (const cell of document.querySelectorAll('td[data-wide]')) {
    const { right } = cell.getBoundingClientRect();
    if (isShown(cell) && right > document.documentElement.clientWidth + 1) wrong.add(cell);
  }
  return [...wrong].slice(0, 5).map((element) => `cut: ${describe(element)}`);
}

/** What axe finds. @param only names of rules; all rules if there is none */
async function barriers(only) {
  const runOnly = only.length === 0 ? {} : { runOnly: { type: 'rule', values: only } };
  const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], ...runOnly });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

globalThis.inPage = { found, outside, cut, barriers, nodes: () => document.querySelectorAll('*').length };
