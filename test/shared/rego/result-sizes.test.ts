import { describe, expect, test } from 'vitest';
import { BUILTINS } from '#shared/rego/builtins/index.ts';
import { failure, value } from './engine.ts';

/**
 * How large a result can be, for every built-in function with a result of more than one bit. A function either pays: it
 * charges the budget before it builds a result that is longer than its operands; or its result is bounded by its operands.
 */

/** By function, an expression with short operands whose result exceeds small limits. `input.s` has 1,000 characters. */
const PAYING: Readonly<Record<string, string>> = {
  concat: 'concat(input.s, ["a", "b", "c"])',
  format_int: 'format_int(bits.lsh(1, 6000), 2)',
  replace: 'replace("aaaa", "a", input.s)',
  'strings.replace_n': 'strings.replace_n({"a": input.s}, "aaaa")',
  split: 'split(input.s, "")',
  'strings.split_n': 'strings.split_n(input.s, "", 2)',
  indexof_n: 'indexof_n(input.s, "x")',
  sprintf: 'sprintf("%5000d", [1])',
  'internal.template_string': '$"{input.s}{input.s}{input.s}"',
  'regex.replace': 'regex.replace(input.s, "x+", "$0$0")',
  'regex.split': 'regex.split("", input.s)',
  'regex.find_n': 'regex.find_n("x", input.s, -1)',
  'regex.find_all_string_submatch_n': 'regex.find_all_string_submatch_n("x", input.s, -1)',
  'glob.quote_meta': 'glob.quote_meta(input.long)',
  'base64.encode': 'base64.encode(input.long)',
  'base64url.encode': 'base64url.encode(input.long)',
  'base64url.encode_no_pad': 'base64url.encode_no_pad(input.long)',
  'hex.encode': 'hex.encode(input.long)',
  'urlquery.encode': 'urlquery.encode(input.long)',
  'urlquery.encode_object': 'urlquery.encode_object({"a": [input.s, "b", input.long]})',
  'json.marshal': 'json.marshal(input.shared)',
  'json.marshal_with_options': 'json.marshal_with_options([[[1]]], {"indent": input.s})',
  'yaml.marshal': 'yaml.marshal(input.shared)',
  'strings.render_template': 'strings.render_template("{{.}}{{.}}{{.}}", input)',
  'io.jwt.encode_sign': 'io.jwt.encode_sign({"alg": "HS256"}, {"a": input.long}, {"kty": "oct", "k": "AAAA"})',
  'io.jwt.encode_sign_raw': 'io.jwt.encode_sign_raw(`{"alg": "HS256", "typ": "x"}`, input.long, "{}")',
  'providers.aws.sign_req':
    'providers.aws.sign_req({"body": input.shared, "url": "https://x.example/", "method": "get"}, {"aws_access_key": "a", "aws_secret_access_key": "b", "aws_service": "s3", "aws_region": "r"}, 1)',
  'bits.lsh': 'bits.lsh(1, 65536)',
  'numbers.range': 'numbers.range(1, 500)',
  'numbers.range_step': 'numbers.range_step(1, 5000, 2)',
  'array.concat': 'array.concat(numbers.range(1, 90), numbers.range(1, 90))',
  'array.flatten': 'array.flatten([numbers.range(1, 90), numbers.range(1, 90)])',
  or: '{x | some x in numbers.range(1, 90)} | {x | some x in numbers.range(91, 180)}',
  union: 'union({{x | some x in numbers.range(1, 90)}, {x | some x in numbers.range(91, 180)}})',
  'object.union': 'object.union({x: 1 | some x in numbers.range(1, 90)}, {x: 1 | some x in numbers.range(91, 180)})',
  'graph.reachable_paths':
    'graph.reachable_paths({n: [m | some m in numbers.range(1, 12)] | some n in numbers.range(1, 12)}, [1])',
  'net.cidr_expand': 'net.cidr_expand("10.0.0.0/16")',
  mul: 'bits.lsh(1, 7000) * bits.lsh(1, 7000)',
};

/** Functions whose result is at most a few times as large as their operands, or that has a fixed size. */
const BOUNDED: readonly string[] = [
  // Numbers: exact decimals have at most 1,000 digits; larger integers come from `mul` and `bits.lsh`, which pay.
  ...['plus', 'minus', 'div', 'rem', 'round', 'ceil', 'floor', 'abs', 'count', 'sum', 'product', 'indexof'],
  ...['bits.and', 'bits.or', 'bits.xor', 'bits.negate', 'bits.rsh', 'strings.count', 'to_number', 'units.parse'],
  ...['units.parse_bytes', 'semver.compare', 'time.now_ns', 'time.parse_rfc3339_ns', 'time.parse_ns'],
  ...['time.parse_duration_ns', 'time.add_date', 'time.date', 'time.clock', 'time.diff', 'time.weekday', 'time.format'],
  // Parts of a text, or the text in another case or order.
  ...['lower', 'upper', 'trim_space', 'strings.reverse', 'substring', 'trim', 'trim_left', 'trim_right'],
  ...['trim_prefix', 'trim_suffix', 'base64.decode', 'base64url.decode', 'hex.decode', 'urlquery.decode', 'type_name'],
  // Digests.
  ...['crypto.md5', 'crypto.sha1', 'crypto.sha256', 'crypto.hmac.md5', 'crypto.hmac.sha1', 'crypto.hmac.sha256'],
  'crypto.hmac.sha512',
  // Values that a text says: each takes at least one character. Aliases of YAML pay by the weight of the value.
  ...['json.unmarshal', 'yaml.unmarshal', 'urlquery.decode_object', 'uuid.parse', 'uri.parse', 'io.jwt.decode'],
  ...[
    'io.jwt.decode_verify',
    'graphql.parse',
    'graphql.parse_and_verify',
    'graphql.parse_query',
    'graphql.parse_schema',
  ],
  ...['crypto.x509.parse_certificates', 'crypto.x509.parse_and_verify_certificates', 'crypto.parse_private_keys'],
  ...['crypto.x509.parse_and_verify_certificates_with_options', 'crypto.x509.parse_certificate_request'],
  ...['crypto.x509.parse_rsa_private_key', 'crypto.x509.parse_keypair', 'json.match_schema', 'json.verify_schema'],
  // Elements of the operands, which are not copied.
  ...['sort', 'array.slice', 'array.reverse', 'max', 'min', 'and', 'intersection', 'object.keys', 'object.get'],
  ...['object.remove', 'object.filter', 'object.union_n', 'json.filter', 'json.remove', 'json.patch', 'walk'],
  ...['graph.reachable', 'net.cidr_contains_matches', 'net.cidr_merge'],
  // Parts of the source.
  ...['rego.metadata.chain', 'rego.metadata.rule'],
];

const sized = [...BUILTINS.values()].filter(({ result }) => result !== 'boolean').map(({ name }) => name);

describe('the result of every function', () => {
  test('is bounded by its operands, or paid from the budget before it is built', () => {
    const decided = [...Object.keys(PAYING), ...BOUNDED];
    expect(sized.filter((name) => !decided.includes(name))).toEqual([]);
    expect(decided.filter((name) => !sized.includes(name))).toEqual([]);
    expect(new Set(decided).size).toBe(decided.length);
  });

  const long = 'x'.repeat(1_900);
  const s = 'x'.repeat(1_000);
  const input = { s, long, shared: Array.from({ length: 5 }, () => s), digits: 10 ** 15 };
  const LIMITS = { string: 1_950, collection: 100, steps: 100_000 };

  test.each(Object.entries(PAYING))(
    'the result of every function of %s ends in an error of the budget if it is too large',
    (_, expression) => {
      const found = failure(() => value(`p := ${expression}`, { input, limits: LIMITS }));
      expect([found.kind, found.message]).toEqual(['budget', expect.stringMatching(/budget of \d+ exceeded/)]);
    },
  );
});

describe('a text that would exhaust the memory', () => {
  /** Sixty times the same text of a million characters: a small value with a long text. */
  const SETUP =
    's := concat("", [x | some _ in numbers.range(1, 1000); x := input])\nmany := [s | some _ in numbers.range(1, 60)]\n';
  const input = 'x'.repeat(1_000);

  test.each([
    ['json.marshal(many)'],
    ['json.marshal_with_options(many, {"pretty": false})'],
    ['yaml.marshal(many)'],
    ['sprintf("%v", [many])'],
    ['sprintf("", many)'],
    ['sprintf("% #x", [concat("", array.slice(many, 0, 10))])'],
    ['$"{many}"'],
    ['concat("", many)'],
    ['strings.render_template("{{.m}}", {"m": many})'],
    ['strings.render_template("{{println .m}}", {"m": many})'],
    ['io.jwt.encode_sign({"alg": "HS256"}, {"a": many}, {"kty": "oct", "k": "AAAA"})'],
    ['regex.replace(s, "x+", concat("", ["$0" | some _ in numbers.range(1, 5000)]))'],
  ])('%s is refused before it is built', (expression) => {
    const before = process.memoryUsage().heapUsed;
    const found = failure(() => value(`${SETUP}p := ${expression}`, { input }));
    expect([found.kind, found.message]).toEqual(['budget', 'string size budget of 16777216 exceeded']);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('integers that grow by shifts pay for their digits', () => {
    const shifts = Array.from({ length: 2_000 }, (_, i) => `n${i + 1} := bits.lsh(n${i}, 65536)`).join('\n');
    expect(failure(() => value(`n0 := 1\n${shifts}\np := format_int(n2000, 2)`)).kind).toBe('budget');
  });
});
