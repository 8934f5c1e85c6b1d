import { useSyncExternalStore } from 'react';

/** What the open page is about, by its address: the way to the page shows this name and not the number in the address. */
let named: { path: string; name: string } | undefined;
const listeners = new Set<() => void>();

/** Says what the page at a path is about. */
export function namePage(path: string, name: string): void {
  if (named?.path === path && named.name === name) return;
  named = { path, name };
  for (const listener of listeners) listener();
}

/** @returns undefined until the page at the path is drawn */
export const usePageName = (path: string): string | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (named?.path === path ? named.name : undefined),
  );
