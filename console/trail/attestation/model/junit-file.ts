/** A test that did not pass, as its file says. */
export interface FailedTest {
  name: string;
  /** Class or suite; null if the file names none. */
  place: string | null;
  /** `failed` by an assertion, or ended with an `error`. */
  outcome: 'failed' | 'error';
  message: string | null;
  /** What the tool printed: usually the trace of the failure. */
  details: string;
}

interface JunitFile {
  failed: FailedTest[];
  /** Whether the text was read to its end. The beginning of a long file is not. */
  isComplete: boolean;
}

/** A piece of XML: the text between two tags, or a tag. */
type Token = { text: string } | { name: string; attributes: string; isEnd: boolean; isClosed: boolean };

/**
 * Reads which tests failed from a file of test results. It is no parser of XML: it follows the tags of suites, tests and failures, and
 * stops where the text ends or cannot be followed. The browser's own parser is not used, because the content security policy forbids it.
 *
 * @returns null if the text has no suite
 */
export function junitFile(text: string): JunitFile | null {
  const suites: (string | null)[] = [];
  const failed: FailedTest[] = [];
  let test: { name: string; place: string | null } | null = null;
  let open: FailedTest | null = null;
  let isJunit = false;
  let isComplete = false;
  for (const token of tokensOf(text)) {
    if ('text' in token) {
      if (open) open.details += token.text;
      continue;
    }
    const { name, attributes, isEnd, isClosed } = token;
    switch (name) {
      case 'testsuites':
      case 'testsuite':
        isJunit = true;
        if (isEnd) suites.pop();
        else if (!isClosed) suites.push(attribute(attributes, 'name'));
        isComplete = suites.length === 0;
        break;
      case 'testcase':
        if (isEnd || isClosed) test = null;
        else {
          const suite = suites.findLast((one) => one !== null) ?? null;
          test = {
            name: attribute(attributes, 'name') ?? 'a test without a name',
            place: attribute(attributes, 'classname') ?? suite,
          };
        }
        break;
      case 'failure':
      case 'error':
        if (isEnd) open = null;
        else if (test) {
          const outcome = name === 'error' ? 'error' : 'failed';
          const message = attribute(attributes, 'message') ?? attribute(attributes, 'type');
          const one: FailedTest = { ...test, outcome, message, details: '' };
          failed.push(one);
          if (!isClosed) open = one;
        }
        break;
    }
  }
  if (!isJunit) return null;
  return { failed: failed.map((one) => ({ ...one, details: one.details.trim() })), isComplete };
}

/** Yields the pieces of a text up to its end, or up to a piece that does not end. */
function* tokensOf(text: string): Generator<Token> {
  let at = 0;
  for (;;) {
    const begin = text.indexOf('<', at);
    if (begin < 0) return;
    if (begin > at) yield { text: unescaped(text.slice(at, begin)) };
    const [kind, end] = endOf(text, begin);
    if (end < 0) return;
    if (kind === 'data') yield { text: text.slice(begin + '<![CDATA['.length, end - ']]>'.length) };
    if (kind === 'tag') yield tagOf(text.slice(begin + 1, end - 1));
    at = end;
  }
}

/** What begins at a `<`, and the place behind it; -1 if it does not end. */
function endOf(text: string, begin: number): ['data' | 'tag' | 'other', number] {
  const behind = (end: string): number => {
    const found = text.indexOf(end, begin);
    return found < 0 ? -1 : found + end.length;
  };
  if (text.startsWith('<![CDATA[', begin)) return ['data', behind(']]>')];
  if (text.startsWith('<!--', begin)) return ['other', behind('-->')];
  if (text.startsWith('<?', begin)) return ['other', behind('?>')];
  let quote = '';
  for (let at = begin + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return [text.startsWith('<!', begin) ? 'other' : 'tag', at + 1];
  }
  return ['tag', -1];
}

function tagOf(inside: string): Token {
  const isEnd = inside.startsWith('/');
  const isClosed = inside.endsWith('/');
  const from = isEnd ? 1 : 0;
  const space = inside.slice(from).search(/[\s/]/);
  const name = space < 0 ? inside.slice(from) : inside.slice(from, from + space);
  return { name: name.slice(name.indexOf(':') + 1), attributes: inside.slice(from + name.length), isEnd, isClosed };
}

/** The value of an attribute, without white space around it; null if it is missing or empty. */
function attribute(attributes: string, wanted: string): string | null {
  for (const [, name, double, single] of attributes.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name !== wanted) continue;
    const value = unescaped(double ?? single ?? '').trim();
    return value === '' ? null : value;
  }
  return null;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
