/**
 * Texts of records in answers to agents (rules/agents.md#text-of-others). Whoever reports evidence chooses names, descriptions and
 * findings, and an agent reads an answer as if the service had written all of it. So each such text stands in quotes, and nothing
 * outside of quotes comes from a record.
 */

const OPEN = '«';
const CLOSE = '»';
/** Longest quote, in characters, unless a tool asks for another length. */
const LONGEST = 200;

/** Characters that hide, reorder or separate text: controls, line and paragraph separators, formats such as the marks of direction. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu;

/**
 * Returns a text of a record as data: on one line, without characters that are not seen, cut, in quotes.
 *
 * @param most characters that are kept
 */
export function quote(text: string, most = LONGEST): string {
  const characters = [...seen(text).trim()];
  return inQuotes(characters.slice(0, most).join(''), characters.length > most);
}

const seen = (text: string): string => text.toWellFormed().replace(HIDDEN, ' ');

const inQuotes = (text: string, isCut: boolean): string =>
  `${OPEN}${text.replaceAll(OPEN, '‹').replaceAll(CLOSE, '›')}${isCut ? '…' : ''}${CLOSE}`;

/** Longest text of several lines, in characters. */
const LONGEST_TEXT = 3_000;

/**
 * Returns a text of several lines as data, for example a program: each line without characters that are not seen, all of it cut, in
 * one pair of quotes.
 */
export function quoteLines(text: string): string {
  const characters = [...text.toWellFormed()];
  const lines = characters.slice(0, LONGEST_TEXT).join('').split(/\r?\n/);
  return inQuotes(lines.map((line) => seen(line).trimEnd()).join('\n'), characters.length > LONGEST_TEXT);
}

/** Returns several texts of records in quotes, separated by commas. Those after the first `most` are counted. */
export function quoteAll(texts: readonly string[], most = 10): string {
  const shown = texts.slice(0, most).map((text) => quote(text));
  const more = texts.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
