import { useSyncExternalStore } from 'react';
import type { Zone } from '../model/time.ts';
import { store, stored } from './storage.ts';

/** What a person chose for this browser. The storage has these choices and the saved views (saved-views.ts), and nothing else. */
export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  zone: Zone;
  rows: 'comfortable' | 'compact';
  /** Whether single keys such as `j` act. People who speak to their computer switch them off. */
  keys: 'on' | 'off';
}

const CHOICES: { [K in keyof Preferences]: readonly [Preferences[K], ...Preferences[K][]] } = {
  theme: ['system', 'light', 'dark'],
  zone: ['local', 'utc'],
  rows: ['comfortable', 'compact'],
  keys: ['on', 'off'],
};

const KEY = 'preferences';
const listeners = new Set<() => void>();
let preferences = readPreferences();

function readPreferences(): Preferences {
  const value = stored(KEY);
  const given: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const choice = <K extends keyof Preferences>(name: K): Preferences[K] =>
    CHOICES[name].find((one) => one === given[name]) ?? CHOICES[name][0];
  return { theme: choice('theme'), zone: choice('zone'), rows: choice('rows'), keys: choice('keys') };
}

/** Shows the choices in the page: the styles read them from attributes of the root element. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  dataset['rows'] = preferences.rows;
  if (preferences.theme === 'system') delete dataset['theme'];
  else dataset['theme'] = preferences.theme;
}

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  preferences = { ...preferences, [name]: value };
  applyPreferences();
  for (const listener of listeners) listener();
  store(KEY, preferences);
}

export const getPreferences = (): Preferences => preferences;

export const usePreferences = (): Preferences =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getPreferences);
