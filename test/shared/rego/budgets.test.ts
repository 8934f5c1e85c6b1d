import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { failure, value } from './engine.ts';

const MANY = 'some _ in numbers.range(1, 1000)';
const NEWER = 'import rego.v2\n\n';

const DOUBLING = Array.from({ length: 60 }, (_, index) => `s${index + 1} := [s${index}, s${index}]`).join('\n');

const SHARED = `{a0: &a0 [1], ${Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join(', ')}}`;

describe('a hostile source ends in an error', () => {
  test.each([
    ['brackets 10,000 deep', `p := ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['sets 10,000 deep', `p := ${'{'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['parentheses 10,000 deep', `p := ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['comprehensions 10,000 deep', `p := ${'[x | x := '.repeat(10_000)}1${']'.repeat(10_000)}`],
    ['references 10,000 deep', `p := input${'[input'.repeat(10_000)}${']'.repeat(10_000)}`],
    ['calls 10,000 deep', `p := ${'abs('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['10,000 branches of else', `p := 1 if false\n${'else := 2 if false\n'.repeat(10_000)}`],
    ['100,000 operators', `p := 1${' + 1'.repeat(100_000)}`],
    ['100,000 expressions in a body', `p if {\n${'true\n'.repeat(100_000)}}`],
    ['bars that could be unions or comprehensions', `p := ${'{1 | '.repeat(200)}1${' + 2}'.repeat(200)}`],
    ['templates 10,000 deep', `p := ${'$"{'.repeat(10_000)}1${'}"'.repeat(10_000)}`],
    ['templates in calls 5,000 deep', `p := ${'$"{abs('.repeat(5000)}input${')}"'.repeat(5000)}`],
    ['groups of operands 10,000 deep', `${NEWER}p if ${'('.repeat(10_000)}true or false${')'.repeat(10_000)}`],
    ['bodies of operands 10,000 deep', `${NEWER}p if ${'{ true and '.repeat(10_000)}{ true }${' }'.repeat(10_000)}`],
    ['bodies of not 10,000 deep', `${NEWER}p if ${'not { '.repeat(10_000)}true${' }'.repeat(10_000)}`],
    ['braces that could be bodies or sets', `${NEWER}p if ${'{ {x | '.repeat(100)}true${'} }'.repeat(100)}`],
    ['annotations 10,000 deep', `# METADATA\n# custom: ${'['.repeat(10_000)}\np := rego.metadata.rule()`],
    ['annotations of 100,000 characters', `# METADATA\n# title: ${'a'.repeat(100_000)}\np := rego.metadata.rule()`],
    ['aliases that multiply', `# METADATA\n# custom: ${SHARED}\np := rego.metadata.rule()`],
    ['a number of a million digits', `p := 1${'0'.repeat(1_000_000)}`],
  ])('%s', (_what, rules) => {
    expect(failure(() => value(rules)).kind).toMatch(/^(parse|budget)$/);
  });

  test('more than 5 MiB of source', () => {
    expect(failure(() => value(`# ${'x'.repeat(5_300_000)}\np := 1`)).kind).toBe('budget');
  });

  test('5 MB of comments are accepted', () => {
    expect(value(`# ${'x'.repeat(5_000_000)}\np := 1`)).toBe('1');
  });
});

describe('a budget', () => {
  test.each([
    ['steps budget', 'p if { xs := numbers.range(1, 1000); xs[_] + xs[_] + xs[_] < 0 }', { steps: 100_000 }],
    [
      'steps budget',
      `${Array.from({ length: 60 }, (_, i) => `f${i}(x) := f${i + 1}(x) + f${i + 1}(x)`).join('\n')}\nf60(x) := x\np := f0(1)`,
      { steps: 100_000 },
    ],
    [
      'call depth budget',
      `${Array.from({ length: 60 }, (_, i) => `f${i}(x) := f${i + 1}(x)`).join('\n')}\nf60(x) := x\np := f0(1)`,
      { depth: 50 },
    ],
    ['collection size budget', 'p := count(numbers.range(1, 1000000000))', {}],
    ['collection size budget', 'p := [x | some x in numbers.range(1, 100)]', { collection: 99 }],
    ['collection size budget', 'p contains x if some x in input', { collection: 2 }],
    ['string size budget', 'p := concat("", ["12345", "67890"])', { string: 9 }],
    ['string size budget', 'p := sprintf("%10d", [1])', { string: 9 }],
    ['string size budget', 'p := replace("aaaa", "a", "bbb")', { string: 11 }],
    ['string size budget', 'p := upper("0123456789")', { string: 9 }],
    ['string size budget', 'p := $"{input}{input}"', { string: 17 }],
    [
      'string size budget',
      `t0 := "0123456789"\n${Array.from({ length: 60 }, (_, i) => `t${i + 1} := $"{t${i}}{t${i}}"`).join('\n')}\np := t60`,
      {},
    ],
    ['steps budget', `s0 := [1]\n${DOUBLING}\np := $"{s15}"`, { steps: 60_000 }],
    ['steps budget', `import rego.v2\n\np if not { ${MANY}; ${MANY}; ${MANY}; false }`, { steps: 100_000 }],
    [
      'steps budget',
      `import rego.v2\n\np if { ${MANY}; ${MANY}; false } or { ${MANY}; ${MANY}; false }`,
      { steps: 100_000 },
    ],
    ['steps budget', 'p := replace(concat("", ["é" | some _ in numbers.range(1, 9999)]), "", "x")', { steps: 20_000 }],
    [
      'steps budget',
      'p := graph.reachable_paths({n: [m | some m in numbers.range(1, 12)] | some n in numbers.range(1, 12)}, [1])',
      { steps: 1_000_000 },
    ],
    [
      'string size budget',
      `${Array.from({ length: 40 }, (_, i) => `n${i + 1} := n${i} * n${i}`).join('\n')}\nn0 := 10\np := n40`,
      {},
    ],
    ['value size budget', `s0 := [1]\n${DOUBLING}\np := s60`, {}],
    ['value size budget', `s0 := [1]\n${DOUBLING}\np := sprintf("%v", [s60])`, {}],
  ])('ends the evaluation: %s', (message, rules, limits) => {
    const found = failure(() => value(rules, { limits, input: [1, 2, 3] }));
    expect(found.kind).toBe('budget');
    expect(found.message).toContain(message);
  });

  test('may be used up exactly', () => {
    expect(value('p := count([x | some x in numbers.range(1, 100)])', { limits: { collection: 100 } })).toBe('100');
    expect(value('p := concat("", ["12345", "67890"])', { limits: { string: 10 } })).toBe('"1234567890"');
  });

  test('is not used up by a pattern that would never end with backtracking', () => {
    const text = 'concat("", ["a" | some _ in numbers.range(1, 20000)])';
    expect(value(`p := regex.match("(a*)*(a*)*b", ${text})`)).toBe('false');
  });
});

const rsaKey = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ type: 'spki', format: 'pem' });
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const RS256 = `${base64url('{"alg":"RS256"}')}.e30.AAAA`;
/** A schema whose parts each refer to the part before them twice. */
const DOUBLING_SCHEMA = {
  definitions: Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => {
      const before = { $ref: `#/definitions/d${at - 1}` };
      return [`d${at}`, at === 0 ? {} : { allOf: [before, before] }];
    }),
  ),
  $ref: '#/definitions/d59',
};
const ALIASES = Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join('\n');

describe('a budget bounds the work of functions', () => {
  test.each([
    [
      'checks of RSA signatures',
      'count([1 | some _ in numbers.range(1, 20); not io.jwt.verify_rs256(input.token, input.key)])',
      { token: RS256, key: rsaKey(2048) },
    ],
    ['keys, many of them', 'io.jwt.verify_rs256(input.token, input.keys)', { token: RS256, keys: manyKeys(50) }],
    ['a schema that doubles', 'json.match_schema("5", input)', DOUBLING_SCHEMA],
    ['a schema that refers to itself', 'json.match_schema("5", {"$ref": "#"})', null],
    [
      'fields of a query, each compared with each',
      'graphql.is_valid(input, "type Query { a: Int }")',
      `{${' a'.repeat(500)}}`,
    ],
    ['definitions of a schema', 'graphql.schema_is_valid(input)', 'scalar A '.repeat(500)],
    ['brackets of a query', 'graphql.parse_query(input)', `${'{a'.repeat(20_000)}`],
    ['anchors that double', 'yaml.unmarshal(input)', `a0: &a0 [x]\n${ALIASES}`],
    ['loops of a template', 'strings.render_template("{{range .}}{{range $}}{{end}}{{end}}", input)', manyMembers(400)],
    ['brackets of a document', 'yaml.unmarshal(input)', '['.repeat(5000)],
    ['numbers of a template', 'strings.render_template("{{range 1000000000}}{{end}}", {})', null],
    ['patterns, each place compared with each', 'regex.globs_match(input, input)', 'a*'.repeat(400)],
    ['indentation', 'json.marshal_with_options([[[1]]], {"indent": input})', 'x'.repeat(90_000)],
  ])('%s', (_what, expression, input) => {
    const limits = { steps: 30_000, string: 100_000 };
    expect(failure(() => value(`p := ${expression}`, { input, limits })).kind).toBe('budget');
  });

  test.each([
    ['an RSA key beyond 8192 bits', { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(1025, 255).toString('base64url') }],
    ['a public exponent beyond 31 bits', { kty: 'RSA', e: Buffer.alloc(5, 255).toString('base64url'), n: modulus() }],
  ])('no signature is checked with %s', (_what, jwk) => {
    const input = { token: RS256, key: JSON.stringify(jwk) };
    expect(value('p := io.jwt.verify_rs256(input.token, input.key)', { input })).toBe('undefined');
  });

  test('a schema that refers to another document is not valid, and nothing is fetched', () => {
    expect(value('p := json.verify_schema({"$ref": "http://127.0.0.1:1/schema"})')).toBe(
      '[false,"jsonschema: schema http://127.0.0.1:1/schema: other documents are not supported"]',
    );
  });

  test('signatures that contain random numbers are refused', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const input = privateKey.export({ format: 'jwk' });
    expect(value('p := io.jwt.encode_sign({"alg": "ES256"}, {}, input)', { input })).toBe('undefined');
  });
});

function modulus(): string {
  return Buffer.concat([Buffer.from([255]), Buffer.alloc(255, 1)]).toString('base64url');
}

function manyKeys(count: number): string {
  return JSON.stringify({ keys: Array.from({ length: count }, () => ({ kty: 'RSA', e: 'AQAB', n: modulus() })) });
}

function manyMembers(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
}

test('a large input and a long policy need a quarter of the default steps', () => {
  const statuses = Array.from({ length: 500 }, (_, at) => [`a${at}`, { ok: at % 7 !== 0, approvers: [`u${at % 13}`] }]);
  const input = {
    trails: Array.from({ length: 10 }, (_, at) => ({ name: `t${at}`, statuses: Object.fromEntries(statuses) })),
  };
  const rules = Array.from(
    { length: 60 },
    (_, at) => `r${at} contains msg if {
	some trail in input.trails
	some name, status in trail.statuses
	not status.ok
	some approver in status.approvers
	approver in {"u1", "u${at % 13}"}
	msg := sprintf("%s/%s by %s", [trail.name, name, approver])
}

p contains m if some m in r${at}`,
  );
  expect(JSON.parse(value(rules.join('\n\n'), { input, limits: { steps: 5_000_000 } })).length).toBeGreaterThan(100);
});
