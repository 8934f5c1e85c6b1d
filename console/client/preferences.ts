import { useSyncExternalStore } from 'react';
import type { Zone } from '../model/time.ts';

/** What a person chose for this browser. Nothing else is kept in the browser's storage. */
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
let preferences = stored();

/** Reads the storage, in which people, other versions and extensions may have written anything. */
function stored(): Preferences {
  const given = parsed(readStorage());
  const choice = <K extends keyof Preferences>(name: K): Preferences[K] =>
    CHOICES[name].find((value) => value === given[name]) ?? CHOICES[name][0];
  return { theme: choice('theme'), zone: choice('zone'), rows: choice('rows'), keys: choice('keys') };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Browsers that forbid storage throw a SecurityError. The console then works with the defaults. */
function readStorage(): string {
  try {
    return localStorage.getItem(KEY) ?? '{}';
  } catch (error) {
    if (error instanceof DOMException) return '{}';
    throw error;
  }
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
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch (error) {
    // Without storage, or with a full one, the choice holds until the tab is closed.
    if (!(error instanceof DOMException)) throw error;
  }
}

export const getPreferences = (): Preferences => preferences;

export const usePreferences = (): Preferences =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getPreferences);
