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

/** What axe finds. @param only names of rules; all rules if there is none */
async function barriers(only) {
  const runOnly = only.length === 0 ? {} : { runOnly: { type: 'rule', values: only } };
  const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], ...runOnly });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

globalThis.inPage = { found, outside, barriers, nodes: () => document.querySelectorAll('*').length };
