import { SignatureError } from './errors.ts';

/** Deepest nesting of containers in what is signed: far above real statements, and far below the limit of recursion over a value. */
const MAX_DEPTH = 250;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses a JSON text that somebody signed. Readers of JSON do not agree which of two members of the same name counts, so a text with
 * repeated members could mean one thing to the signer and another to us.
 *
 * @param what begins the sentences: `The bundle`
 * @throws SignatureError if the text is no JSON, is nested too deep, or has an object with the same member twice
 */
function parseStrictJson(what: string, text: string): unknown {
  try {
    scan(what, text);
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SignatureError(`${what} is not JSON`, error);
  }
}

/** Parses a JSON text that has to be an object. @throws SignatureError */
export function parseObject(what: string, text: string): Readonly<Record<string, unknown>> {
  const value = parseStrictJson(what, text);
  if (!isObject(value)) throw new SignatureError(`${what} is not a JSON object`);
  return value;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Walks over the text without recursion, before anything parses it. */
function scan(what: string, text: string): void {
  /** The names of each open object, and null for each open array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (isName && names) addName(what, names, text.slice(at, end));
      isName = false;
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? new Set() : null);
      if (open.length > MAX_DEPTH) throw new SignatureError(`${what} is nested deeper than ${MAX_DEPTH} levels`);
      isName = code === 0x7b;
    } else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x2c) isName = open.at(-1) !== null;
  }
}

function addName(what: string, names: Set<string>, literal: string): void {
  const name = String(JSON.parse(literal));
  if (names.has(name)) throw new SignatureError(`${what} has the member '${name.slice(0, 80)}' twice in one object`);
  names.add(name);
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
