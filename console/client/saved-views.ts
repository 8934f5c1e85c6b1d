import { useSyncExternalStore } from 'react';
import { parseViews, type SavedView, viewsIn, withoutView, withView } from '../model/saved-views.ts';
import { store, stored } from './storage.ts';

const KEY = 'views';
const listeners = new Set<() => void>();
let views = parseViews(stored(KEY));

function change(next: SavedView[]): void {
  views = next;
  store(KEY, views);
  for (const listener of listeners) listener();
}

/** Keeps the address of a page under a name, in this browser. */
export const saveView = (view: SavedView): void => change(withView(views, view));

export const removeView = (view: Omit<SavedView, 'name'>): void => change(withoutView(views, view));

/** Another tab of this browser changed the views. */
function follow({ key }: StorageEvent): void {
  if (key !== KEY) return;
  views = parseViews(stored(KEY));
  for (const listener of listeners) listener();
}

const useAllViews = (): readonly SavedView[] =>
  useSyncExternalStore(
    (listener) => {
      if (listeners.size === 0) addEventListener('storage', follow);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener('storage', follow);
      };
    },
    () => views,
  );

/** The views that a person saved of pages of an organization, by name. */
export function useSavedViews(owner: string | undefined, org: string | undefined): SavedView[] {
  const all = useAllViews();
  return owner === undefined || org === undefined ? [] : viewsIn(all, owner, org);
}
