/** The storage of this browser, in which people, other versions and extensions may have written anything. */

/** Browsers that forbid storage throw a DOMException. The console then works with the defaults. */
function readStorage(key: string): string {
  try {
    return localStorage.getItem(key) ?? 'null';
  } catch (error) {
    if (error instanceof DOMException) return 'null';
    throw error;
  }
}

/** Reads a value. Returns null if nothing is stored, or no JSON. */
export function stored(key: string): unknown {
  try {
    return JSON.parse(readStorage(key));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Stores a value. Without storage, or with a full one, the value holds until the tab is closed. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
