import type { AnyRouter } from '@tanstack/react-router';
import { rememberPage } from '../../search/recent.ts';

/**
 * Moves the focus to the heading after going to another page, so that screen readers read what the page is about. Remembers
 * the page as a recent one.
 */
export function watchNavigation(router: AnyRouter): void {
  router.subscribe('onRendered', ({ pathChanged, fromLocation, toLocation }) => {
    // React writes the title with the page.
    requestAnimationFrame(() => rememberPage({ title: document.title, href: toLocation.href }));
    if (!pathChanged || fromLocation === undefined) return;
    const heading = document.querySelector<HTMLElement>('main h1');
    heading?.focus({ preventScroll: true });
  });
}
