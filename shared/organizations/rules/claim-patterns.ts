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
