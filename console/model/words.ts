const MOST_NAMED = 4;

/** `a, b and c`, or `a, b, c and 3 more`. */
export function listed(names: readonly string[], most = MOST_NAMED): string {
  if (names.length > most) return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** `1 trail`, `2 trails`, `2 policies`. */
export const count = (number: number, noun: string): string => `${number.toLocaleString('en')} ${nounOf(number, noun)}`;

/** The noun that follows a number: `trail` after 1, else `trails`. */
export const nounOf = (number: number, noun: string): string =>
  number === 1 ? noun : `${noun.replace(/([^aeiou])y$/, '$1ie')}s`;
