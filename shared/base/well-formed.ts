/**
 * Half a surrogate pair is part of a character that is not there: `"\ud83d"` in JSON is half an emoji. Such a text has no
 * UTF-8 form, no canonical JSON, and cannot be part of an address (rules/requests.md#well-formed-text).
 */

/** Cuts a text after at most `length` UTF-16 code units, never inside a character. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return text.length > length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Cuts a text that is longer than `length` and marks the cut. */
export const shortenText = (text: string, length: number): string =>
  text.length > length ? `${cutText(text, length)}…` : text;

/** Encodes a text for an address. Half a surrogate pair becomes the replacement character. */
export const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

/**
 * Replaces halves of surrogate pairs in all texts of a plain value, names of members included. Hardly any value has one, so a value
 * without them is returned as it is: copies took a quarter of the time of canonical JSON.
 */
export const wellFormed = (value: unknown): unknown => (isWellFormed(value) ? value : replaced(value));

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaced);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), replaced(member)]));
}

/** Escapes of JSON strings: a pair, one half, or anything else. */
const ESCAPES = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/g;
/** A text without this contains no half. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LENGTH_OF_HALF = 6;

/** Whether a JSON text may contain half a surrogate pair. */
export const mayBeIllFormed = (json: string): boolean => SURROGATE_ESCAPE.test(json);

/** Replaces escaped halves of surrogate pairs in a JSON text. Everything else stays as it is. */
export const wellFormedJson = (json: string): string =>
  mayBeIllFormed(json)
    ? json.replace(ESCAPES, (sequence) =>
        sequence.length === LENGTH_OF_HALF && SURROGATE_ESCAPE.test(sequence) ? '\\ufffd' : sequence,
      )
    : json;

/** Yields the path of each text in a value that contains half a surrogate pair. The name of a member is part of its path. */
export function* illFormedTexts(
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<{ path: readonly PropertyKey[]; text: string }> {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* illFormedTexts(item, [...path, i]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const here = [...path, name];
      if (!name.isWellFormed()) yield { path: here, text: name };
      else yield* illFormedTexts(member, here);
    }
  }
}
