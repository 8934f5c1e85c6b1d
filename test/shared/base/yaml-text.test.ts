import { describe, expect, test } from 'vitest';
import { parseYaml, YamlTextError } from '#shared/base/yaml-text.ts';

const MEGABYTE = 1024 * 1024;

/** What a text is refused with; undefined where it is not. */
function refusalOf(text: string): string | undefined {
  try {
    parseYaml(text);
  } catch (error) {
    if (error instanceof YamlTextError) return error.message;
    throw error;
  }
  return undefined;
}

describe('parseYaml', () => {
  test('reads scalars of the core schema and nothing beyond it', () => {
    expect(parseYaml('[1, 1.5, true, null, ~, yes, on, 2020-01-01, "7", 0x10]')).toEqual([
      1,
      1.5,
      true,
      null,
      null,
      'yes',
      'on',
      '2020-01-01',
      '7',
      16,
    ]);
  });

  test('keeps prototype keys as plain keys', () => {
    const value = parseYaml('__proto__: {polluted: true}\nconstructor: 1\n');
    expect(value).toEqual(
      new Map<string, unknown>([
        ['__proto__', new Map([['polluted', true]])],
        ['constructor', 1],
      ]),
    );
    expect({}).not.toHaveProperty('polluted');
  });

  test.each([
    ['an anchor', 'a: &x 1', 'line 1, column 4: anchors are not allowed'],
    ['an alias', 'a: 1\nb: *x', 'line 2, column 4: aliases are not allowed'],
    ['a tag', 'a:\n  - !!js/function x', 'line 2, column 5: tags are not allowed'],
    ['a tag of the core schema', '!!str 1', 'line 1, column 1: tags are not allowed'],
    ['a directive', '%YAML 1.1\n---\na: 1', 'line 1, column 1: directives are not allowed'],
    ['a second document', 'a: 1\n---\nb: 2', 'only one document is allowed'],
    ['a repeated key', 'a: 1\nb: 2\na: 3', "line 3, column 1: the key 'a' is repeated"],
    ['a repeated key in a flow mapping', 'x: {a: 1, a: 2}', "line 1, column 11: the key 'a' is repeated"],
    ['a mapping as a key', '? {a: 1}\n: 2', 'line 1, column 3: a key must be a single value'],
    [
      'an open bracket',
      'a: [1\n',
      'line 2, column 1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['a tab as indentation', 'a:\n\tb: 1', 'line 2, column 1: Tabs are not allowed as indentation'],
  ])('refuses %s', (_, text, message) => {
    expect(refusalOf(text)).toBe(message);
  });

  test('refuses text of more than a megabyte', () => {
    expect(refusalOf(`# ${'x'.repeat(MEGABYTE)}`)).toBe('the text is larger than 1 MB');
    expect(refusalOf(`# ${'x'.repeat(MEGABYTE - 2)}`)).toBeUndefined();
  });

  test('refuses a text that would expand to a billion values', () => {
    const lines = ['a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]'];
    for (let i = 1; i < 10; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(refusalOf(lines.join('\n'))).toBe('line 1, column 5: anchors are not allowed');
  });

  const nested = Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:\n`).join('');

  test.each([
    ['10,000 brackets', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['10,000 braces', '{a: '.repeat(10_000) + '}'.repeat(10_000)],
    ['10,000 dashes', `${'- '.repeat(10_000)}a`],
    ['10,000 question marks', `${'? '.repeat(10_000)}a`],
    ['1,000 nested blocks', nested],
  ])('refuses the depth of %s', (_, text) => {
    expect(refusalOf(text)).toMatch(/^line \d+, column \d+: nested too deep$/);
  });

  // Each of these takes the parser's own error collection far longer than the limit that tests have.
  test.each([
    '[',
    ']',
    '[,',
    '""',
    '- ',
    '? ',
    ': ',
    ',',
    '\t',
    '---\n',
    '...\n',
    '{},',
    '&a ',
    '*a ',
    '!a ',
    '%a\n',
    '-\n',
    '?\n',
    ':\n',
    '#\n',
    '\n',
    "''",
    '|\n',
    '{a',
  ])(
    'is done with a megabyte of %j',
    (piece) => {
      const text = piece.repeat(Math.floor(MEGABYTE / piece.length));
      expect(refusalOf(text) ?? 'accepted').toEqual(expect.any(String));
    },
    20_000,
  );

  test('reads ten thousand list entries', () => {
    const text = Array.from({ length: 10_000 }, (_, i) => `- name: n${i}\n  type: snyk\n`).join('');
    expect(parseYaml(text)).toHaveLength(10_000);
  }, 20_000);

  test('reads twenty thousand keys', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join('');
    expect(parseYaml(text)).toBeInstanceOf(Map);
  }, 20_000);

  test('refuses more elements than real data of that size has', () => {
    expect(refusalOf('- a\n'.repeat(100_000))).toBe('the text has too many elements');
  });
});
