import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { getPreferences } from '../../client/preferences.ts';

export interface Shortcut {
  /** What the key does, for the list that `?` opens. */
  does: string;
  run: () => void;
}

/** Keys in the form `j`, `?`, `Control+k`, or two in a row as `g h`. */
type Shortcuts = Readonly<Record<string, Shortcut>>;

const sets = new Set<{ current: Shortcuts }>();
const listeners = new Set<() => void>();
let version = 0;

function changed(): void {
  version += 1;
  for (const listener of listeners) listener();
}

/** Adds shortcuts while the component is shown. The component that was shown last wins. */
export function useKeys(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    sets.add(latest);
    changed();
    return () => {
      sets.delete(latest);
      changed();
    };
  }, []);
}

/** All shortcuts of the present page, for the list of them. */
export function useAllShortcuts(): [keys: string, does: string][] {
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => version,
  );
  const all = new Map<string, string>();
  for (const { current } of sets) for (const [keys, { does }] of Object.entries(current)) all.set(keys, does);
  return [...all];
}

const find = (keys: string): Shortcut | undefined =>
  [...sets].reverse().find(({ current }) => Object.hasOwn(current, keys))?.current[keys];

/** Milliseconds within which the second key of two must follow. */
const PAUSE = 900;

/** Listens for keys. The frame calls it once. */
export function useKeyboard(): void {
  const [before] = useState<{ key: string; at: number }>({ key: '', at: 0 });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const held = event.ctrlKey || event.metaKey;
      if (
        !held &&
        (getPreferences().keys === 'off' || isTyping(event.target) || document.querySelector('dialog:modal'))
      )
        return;
      const key = held ? `Control+${event.key.toLowerCase()}` : event.key;
      const pair = event.timeStamp - before.at < PAUSE ? `${before.key} ${key}` : '';
      const shortcut = (pair !== '' && find(pair)) || find(key);
      before.key = key;
      before.at = event.timeStamp;
      if (!shortcut) return;
      event.preventDefault();
      before.key = '';
      shortcut.run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [before]);
}

/** Whether keys and pasted texts belong to a field in which a person types. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
