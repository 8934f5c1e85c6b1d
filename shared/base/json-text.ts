import { randomUUID } from 'node:crypto';
import { wellFormedJson } from './well-formed.ts';

/** Deepest nesting of containers: far above real evidence, and far below the limit of recursion over a value. */
export const MAX_DEPTH = 250;

/** A text that is not JSON or is nested too deep. The message may be shown to the caller. */
export class JsonTextError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JsonTextError';
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/**
 * Walks over a JSON text without recursion.
 * @throws JsonTextError if containers are nested deeper than `maxDepth`
 */
export function scanJson(text: string, { maxDepth = MAX_DEPTH }: { maxDepth?: number } = {}): void {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (isOpening(code)) {
      depth += 1;
      if (depth > maxDepth) throw new JsonTextError(`JSON nested deeper than ${maxDepth} levels`);
    } else if (isClosing(code)) depth -= 1;
  }
}

/** @returns the position after the string that starts at `start`, or the end of the text if the string is not closed */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // A quote behind an odd number of backslashes is part of the string.
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

/**
 * Parses a JSON text from a caller.
 * @throws JsonTextError if it is not JSON or is nested too deep
 */
export function parseJson(text: string): unknown {
  scanJson(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonTextError('Invalid JSON', error);
  }
}

/** A JSON text that is printed unchanged, so that evidence keeps the exact digits of its numbers. */
export class RawJson {
  readonly text: string;

  /** @param text valid JSON; it is not checked again before it is printed */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return printing ? printing.placeholder(this.text) : JSON.parse(this.text);
  }
}

/** Set while {@link stringify} runs. Printing is synchronous, so two calls never overlap. */
let printing: { placeholder(text: string): string } | undefined;

/**
 * Prints a value as JSON, with each {@link RawJson} unchanged. Halves of surrogate pairs become the replacement character,
 * because many readers of JSON refuse them (rules/requests.md#well-formed-text). The placeholder is a random UUID of this call, so no
 * string of the value can equal it.
 */
export function stringify(value: unknown): string {
  const texts: string[] = [];
  const token = randomUUID();
  const outer = printing;
  printing = {
    placeholder: (text) => {
      texts.push(text);
      return token;
    },
  };
  let printed: string | undefined;
  try {
    printed = JSON.stringify(value);
  } finally {
    printing = outer;
  }
  if (printed === undefined) throw new TypeError('A value without a JSON text');
  if (texts.length === 0) return wellFormedJson(printed);
  // Placeholders are in the order in which they were requested.
  const between = printed.split(`"${token}"`);
  return wellFormedJson(between.reduce((text, part, i) => text + texts[i - 1] + part));
}

/**
 * Cuts members out of the text of a JSON object. White space between tokens is removed. Everything else stays as it was
 * sent: digits of numbers, order of keys, repeated keys, escapes. Of a repeated member the last one counts, as in
 * JSON.parse.
 * @param text a JSON object that JSON.parse accepts
 * @param names members to cut, at the top level only
 * @returns text by name, for the members that exist
 * @throws JsonTextError if the text is not a JSON object
 */
export function cutMembers(text: string, names: readonly string[]): Record<string, string> {
  const wanted = new Set(names);
  const cut: Record<string, string> = Object.create(null);
  let at = skipSpace(text, 0);
  if (text[at] !== '{') throw new JsonTextError('Not a JSON object');
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at);
    // The slice begins and ends with quotation marks.
    const name = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (wanted.has(name)) cut[name] = withoutSpace(text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  if (text[at] !== '}') throw new JsonTextError('Not a JSON object');
  return cut;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** @returns the position after the value that starts at `start`: a comma, a bracket, or white space */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      if (depth === 0) return i;
      depth -= 1;
    } else if (code === 0x2c && depth === 0) return i;
  }
  return text.length;
}

/** Returns the JSON text without the white space between its tokens. */
export function withoutSpace(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (isSpace(code)) {
      kept.push(text.slice(from, i));
      from = i + 1;
    }
  }
  kept.push(text.slice(from));
  return kept.join('');
}

/**
 * Parses a JSON object and leaves the named members as {@link RawJson}.
 * @throws JsonTextError if the text is not a JSON object or is nested too deep
 */
export function parseKeepingRaw(text: string, names: readonly string[]): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonTextError('Not a JSON object');
  const raw = Object.entries(cutMembers(text, names)).map(([name, cut]) => [name, new RawJson(cut)]);
  return { ...value, ...Object.fromEntries(raw) };
}
