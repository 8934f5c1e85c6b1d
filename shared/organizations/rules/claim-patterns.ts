/**
 * Patterns for the values of claims (rules/identities.md#claim-patterns). A pattern matches a whole value, byte for byte. `*`
 * stands for any characters but `/`, so it never reaches into the next part of a path.
 */

/** Returns whether a pattern matches a value. Takes time in proportion to both lengths. */
export function matchesPattern(pattern: string, value: string): boolean {
  const [patterns, parts] = [pattern.split('/'), value.split('/')];
  return patterns.length === parts.length && patterns.every((one, i) => matchesPart(one, parts[i] ?? ''));
}

function matchesPart(pattern: string, part: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return pattern === part;
  if (!part.startsWith(first)) return false;
  let end = first.length;
  for (const piece of pieces) {
    const at = part.indexOf(piece, end);
    if (at < 0) return false;
    end = at + piece.length;
  }
  return part.length - last.length >= end && part.endsWith(last);
}

/**
 * Returns whether a pattern and a form have a value in common. In a form, a part `**` stands for any number of parts, also for
 * none. Everything else means the same as in a pattern. Takes time in proportion to the product of both lengths.
 */
export const canMatch = (pattern: string, form: string): boolean => partsMeet(pattern.split('/'), form.split('/'));

function partsMeet(parts: readonly string[], [form, ...forms]: readonly string[]): boolean {
  if (form === undefined) return parts.length === 0;
  if (form === '**') return [...parts, ''].some((_, skipped) => partsMeet(parts.slice(skipped), forms));
  const [part, ...others] = parts;
  return part !== undefined && partMeets(part, form) && partsMeet(others, forms);
}

/** Returns whether two patterns of one part have a text in common. */
function partMeets(one: string, other: string): boolean {
  const width = other.length + 1;
  // Place i * width + j: the first i characters of one and the first j of the other can stand for the same text.
  const reached = new Set([0]);
  for (const place of reached) {
    const [i, j] = [Math.floor(place / width), place % width];
    const [mine, theirs] = [one[i], other[j]];
    if (mine === '*' || theirs === '*') {
      if (mine !== undefined) reached.add(place + width);
      if (theirs !== undefined) reached.add(place + 1);
    } else if (mine !== undefined && mine === theirs) reached.add(place + width + 1);
  }
  return reached.has(one.length * width + other.length);
}

export const hasWildcard = (pattern: string): boolean => pattern.includes('*');

/** Returns whether a pattern has a letter or a digit. Others match nearly everything. */
export const isBound = (pattern: string): boolean => /[\p{L}\p{N}]/u.test(pattern);

/**
 * Returns the value of a claim as the text that patterns are compared with; undefined if it is a list, an object, null, or
 * a number that is not whole.
 */
export function claimText(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}
