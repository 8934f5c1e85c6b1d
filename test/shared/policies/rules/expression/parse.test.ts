import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from '#shared/policies/rules/expression/ast.ts';
import {
  MAX_EXPRESSION_DEPTH,
  MAX_EXPRESSION_LENGTH,
  MAX_PATTERN_SIZE,
  parseExpression,
} from '#shared/policies/rules/expression/parse.ts';
import { ExpressionError } from '#shared/policies/rules/expression/tokens.ts';

/** Writes the tree with brackets, so that precedence is visible. */
function shape(node: Node): string {
  switch (node.kind) {
    case 'name':
      return node.name;
    case 'tag':
      return `#${node.key}`;
    case 'string':
      return `'${node.value}'`;
    case 'number':
      return `${node.value.negative ? '-' : ''}${node.value.whole}.${node.value.fraction}`;
    case 'boolean':
      return `${node.value}`;
    case 'list':
      return `[${node.items.map(shape).join(' ')}]`;
    case 'exists':
      return `(exists ${shape(node.of)})`;
    case 'matches':
      return `(matches ${shape(node.input)} /${node.pattern.pattern()}/)`;
    case 'not':
      return `(not ${shape(node.operand)})`;
    case 'comparison':
      return `(${node.operator} ${shape(node.left)} ${shape(node.right)})`;
    case 'identity':
      return `identity:${node.field}`;
    case 'claim':
      return `claim:${node.key}`;
    case 'statement':
      return `statement:${node.field}`;
    default:
      return `(${node.kind} ${node.operands.map(shape).join(' ')})`;
  }
}

const parsed = (text: string) => shape(parseExpression(text).root);

function refusal(text: string): string {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  return 'parsed';
}

test('who reported can be read only where the caller of the parser allows it', () => {
  const text = 'identity.repository == "org/web" and exists(identity) and identity.claims.sub-a.b == "x"';
  expect(shape(parseExpression(text, { identity: true }).root)).toBe(
    "(and (== identity:repository 'org/web') (exists identity:null) (== claim:sub-a.b 'x'))",
  );
  expect(refusal(text)).toContain("unknown name 'identity.repository'");
  for (const name of ['identity.actor', 'identity.claims', 'identity.toString', 'identity.claims.']) {
    expect(() => parseExpression(`${name} == "a"`, { identity: true })).toThrow(`unknown name '${name}'`);
  }
});

const REFERENCES = 'flow, flow.name, artifact, artifact.name, artifact.fingerprint or flow.tags.<key>';
const TERM = "a value, a call, 'not' or '('";

describe('the grammar', () => {
  test.each([
    ['flow.name == "web"', "(== flow.name 'web')"],
    ["flow.name=='web'", "(== flow.name 'web')"],
    ['not flow.name == "a"', "(not (== flow.name 'a'))"],
    ['not not true', '(not (not true))'],
    ['true or false and true', '(or true (and false true))'],
    ['true and false or true and true', '(or (and true false) (and true true))'],
    ['(true or false) and true', '(and (or true false) true)'],
    ['true and true and true', '(and true true true)'],
    ['not true and false', '(and (not true) false)'],
    ['not (flow.name == "a" or true)', "(not (or (== flow.name 'a') true))"],
    ['flow.name in ["a", \'b\', 3]', "(in flow.name ['a' 'b' 3.])"],
    ['flow.name in []', '(in flow.name [])'],
    ['"x" in [flow.name, flow.tags.x]', "(in 'x' [flow.name #x])"],
    ['exists(flow)', '(exists flow)'],
    ['exists( artifact )', '(exists artifact)'],
    ['matches(artifact.name, "^web:.*\\.\\d+$")', '(matches artifact.name /^web:.*\\.\\d+$/)'],
    ['matches(flow.tags.a, "x") and exists(flow.tags.a)', '(and (matches #a /x/) (exists #a))'],
    ['flow.tags.score >= 7.50', '(>= #score 7.5)'],
    ['flow.tags.score>-3', '(> #score -3.)'],
    ['flow.tags.score<=3', '(<= #score 3.)'],
    ['3 < flow.tags.score', '(< 3. #score)'],
    ['artifact.fingerprint != "ab"', "(!= artifact.fingerprint 'ab')"],
    ['(true) == (false)', '(== true false)'],
    ['true', 'true'],
    ['"and" == "it\'s (not) ]"', "(== 'and' 'it's (not) ]')"],
    ['true\n  and\tfalse', '(and true false)'],
  ])('reads %j as %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  test.each([
    ['risk-level', 'flow.tags.risk-level > 5', '(> #risk-level 5.)'],
    ['key.with.dots', 'flow.tags.key.with.dots=="x"', "(== #key.with.dots 'x')"],
    ['a_b~c', 'exists(flow.tags.a_b~c)', '(exists #a_b~c)'],
    ['a key before a comma', 'matches(flow.tags.a, "x")', '(matches #a /x/)'],
    ['a key before a bracket', '"x" in [flow.tags.a-1]', "(in 'x' [#a-1])"],
    ['a number', 'flow.tags.2024 != "x"', "(!= #2024 'x')"],
    ['a word of the language', 'flow.tags.not == flow.tags.in', '(== #not #in)'],
  ])('reads the key of a tag verbatim: %s', (_, text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  test.each([
    [`\${{ flow.name == "a" }}`, 'flow.name == "a"'],
    [`  \${{flow.name == "a"}}\n`, 'flow.name == "a"'],
    [' flow.name == "a" ', 'flow.name == "a"'],
    [`\${{ "}}" == flow.name }}`, '"}}" == flow.name'],
  ])('keeps the text of %j without its wrapper', (text, inner) => {
    const expression = parseExpression(text);
    expect(expression.text).toBe(inner);
    expect(parseExpression(expression.text).text).toBe(inner);
  });
});

describe('a refusal names the place and what was expected there', () => {
  test.each([
    ['', `line 1, column 1: expected ${TERM}, found the end`],
    ['  ', `line 1, column 3: expected ${TERM}, found the end`],
    [`\${{ }}`, `line 1, column 5: expected ${TERM}, found the end`],
    [`\${{`, "line 1, column 4: expected '}}' to close '${{'"],
    [`\${{ true`, "line 1, column 9: expected '}}' to close '${{'"],
    [`\${{}`, "line 1, column 5: expected '}}' to close '${{'"],
    ['true }}', "line 1, column 6: expected a comparison, 'and', 'or' or the end, found '}'"],
    [`\${{ true }} and \${{ true }}`, "line 1, column 10: expected a comparison, 'and', 'or' or the end, found '}'"],
    [`\${{ flow.name == }}`, "line 1, column 18: expected a value, a call or '(', found the end"],
    ['flow.name == ', "line 1, column 13: expected a value, a call or '(', found the end"],
    ['flow.name == not true', "line 1, column 14: expected a value, a call or '(', found 'not'"],
    ['flow.name =', "line 1, column 11: expected a comparison, 'and', 'or' or the end, found '='"],
    ['flow.name = "a"', "line 1, column 11: expected a comparison, 'and', 'or' or the end, found '='"],
    ['true && false', "line 1, column 6: expected a comparison, 'and', 'or' or the end, found '&'"],
    ['!true', `line 1, column 1: expected ${TERM}, found '!'`],
    ['1 == 1 == 1', "line 1, column 8: expected 'and', 'or' or the end, found '=='"],
    ['true and 1 == 1 2', "line 1, column 17: expected 'and', 'or' or the end, found '2'"],
    ['1 == 1 and true 2', "line 1, column 17: expected a comparison, 'and', 'or' or the end, found '2'"],
    ['true and', `line 1, column 9: expected ${TERM}, found the end`],
    ['and true', `line 1, column 1: expected ${TERM}, found 'and'`],
    ['(true', "line 1, column 6: expected a comparison, 'and', 'or' or ')', found the end"],
    ['(1 == 1 "a")', "line 1, column 9: expected 'and', 'or' or ')', found 'a'"],
    ['true)', "line 1, column 5: expected a comparison, 'and', 'or' or the end, found ')'"],
    ['flow.name in ["a",]', "line 1, column 19: expected a value, found ']'"],
    ['flow.name in ["a" "b"]', "line 1, column 19: expected ',' or ']', found 'b'"],
    ['flow.name not in ["a"]', "line 1, column 11: expected a comparison, 'and', 'or' or the end, found 'not'"],
    ['exists flow', "line 1, column 8: expected '(', found 'flow'"],
    ['exists("a")', `line 1, column 8: expected ${REFERENCES}, found 'a'`],
    ['exists(true)', `line 1, column 8: expected ${REFERENCES}, found 'true'`],
    ['exists(flow, artifact)', "line 1, column 12: expected ')', found ','"],
    ['matches(flow.name)', "line 1, column 18: expected ',', found ')'"],
    ['matches(flow.name, flow.tags.x)', "line 1, column 20: expected a pattern in quotes, found 'flow.tags.x'"],
    ['matches(flow.name, "a", "b")', "line 1, column 23: expected ')', found ','"],
    ['flow.nam == "a"', `line 1, column 1: unknown name 'flow.nam', expected ${REFERENCES}`],
    ['flow.tags == "a"', `line 1, column 1: unknown name 'flow.tags', expected ${REFERENCES}`],
    ['flow.tags. == "a"', `line 1, column 1: unknown name 'flow.tags.', expected ${REFERENCES}`],
    ['True', `line 1, column 1: unknown name 'True', expected ${REFERENCES}`],
    ['artifact.__proto__', `line 1, column 1: unknown name 'artifact.__proto__', expected ${REFERENCES}`],
    ['toString', `line 1, column 1: unknown name 'toString', expected ${REFERENCES}`],
    ['true and\n  flow.x', `line 2, column 3: unknown name 'flow.x', expected ${REFERENCES}`],
    ['flow.name == "a', 'line 1, column 14: expected a closing " for this string'],
    ['flow.name ==\n \'a"', "line 2, column 2: expected a closing ' for this string"],
    ['"\n\n" == flow.x', `line 3, column 6: unknown name 'flow.x', expected ${REFERENCES}`],
    ['"😀é" == flow.x', `line 1, column 9: unknown name 'flow.x', expected ${REFERENCES}`],
    ['flow.tags.ключ == "a"', `line 1, column 1: unknown name 'flow.tags.', expected ${REFERENCES}`],
  ])('%j', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test.each([
    ['an open group', '(a'],
    ['look-ahead', 'a(?=b)'],
    ['a back-reference', '(a)\\1'],
    ['a count that is too high', 'a{2000}'],
    ['counts that multiply', '((a{50}){50}){50}'],
  ])('a pattern with %s', (_, pattern) => {
    expect(refusal(`matches(flow.name, '${pattern}')`)).toMatch(/^line 1, column 20: expected a regular expression: /);
  });

  test('a pattern that is too large because of a repetition count', () => {
    expect(refusal(`matches(flow.name, '[a-z]{${MAX_PATTERN_SIZE}}')`)).toMatch(
      /^line 1, column 20: expected a smaller pattern/,
    );
    expect(refusal("matches(flow.name, '^[a-f0-9]{64}$')")).toBe('parsed');
  });
});

describe('limits', () => {
  const nested: [string, (depth: number) => string][] = [
    ['brackets', (depth) => `${'('.repeat(depth)}true${')'.repeat(depth)}`],
    ['lists', (depth) => `1 in ${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['negations', (depth) => `${'not '.repeat(depth)}true`],
    ['calls', (depth) => `${'matches('.repeat(depth)}flow${', "a")'.repeat(depth)}`],
  ];

  test.each(nested)('allow %s as deep as the limit and no deeper', (_, text) => {
    expect(refusal(text(MAX_EXPRESSION_DEPTH))).toBe('parsed');
    expect(refusal(text(MAX_EXPRESSION_DEPTH + 1))).toMatch(/expected nesting of at most 32 levels$/);
  });

  test('count depth and not the number of brackets', () => {
    expect(refusal(Array(200).fill('(not (true))').join(' and '))).toBe('parsed');
  });

  test('count characters', () => {
    const filled = (length: number) => `"${'😀'.repeat(length - 8)}" == 1`.slice(0, -1).concat('1');
    expect(refusal(filled(MAX_EXPRESSION_LENGTH + 1).trim())).toBe('parsed');
    expect(refusal(`${filled(MAX_EXPRESSION_LENGTH + 1)} `)).toBe(
      `line 1, column 1: expected at most ${MAX_EXPRESSION_LENGTH} characters, found ${MAX_EXPRESSION_LENGTH + 1}`,
    );
  });
});

describe('any text at all', () => {
  const words = fc.constantFrom(
    ...['and', 'or', 'not', 'in', '(', ')', '[', ']', ',', '==', '<', 'exists', 'matches', 'flow', 'flow.tags.a'],
    ...['"a"', "'", '1', `\${{`, '}}', 'true', ' ', '\n', 'artifact.name', '-', '\\', '😀'],
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
  );

  test('parses, or is refused at a place inside it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const message = refusal(text);
        if (message === 'parsed') return;
        const [, line = '', column = ''] = /^line (\d+), column (\d+): (?:expected|unknown name)/.exec(message) ?? [];
        const lines = text.split('\n');
        expect(Number(line)).toBeLessThanOrEqual(lines.length);
        expect(Number(line)).toBeGreaterThan(0);
        expect(Number(column)).toBeGreaterThan(0);
        expect(Number(column)).toBeLessThanOrEqual([...(lines[Number(line) - 1] ?? '')].length + 1);
      }),
      { numRuns: 2000 },
    );
  });
});
