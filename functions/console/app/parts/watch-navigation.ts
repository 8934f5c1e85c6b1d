import type { AnyRouter } from '@tanstack/react-router';

/** Moves the focus to the heading after going to another page, so that screen readers read what the page is about. */
export function watchNavigation(router: AnyRouter): void {
  router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
    if (!pathChanged || fromLocation === undefined) return;
    const heading = document.querySelector<HTMLElement>('main h1');
    heading?.focus({ preventScroll: true });
  });
}
