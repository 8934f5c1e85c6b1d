import { describe, expect, test } from 'vitest';
import { builtinTable, compileModules, evaluate, parseModules, REFUSED } from '#shared/rego/index.ts';
import { failure, value } from './engine.ts';

describe('built-in functions answer like OPA', () => {
  test.each([
    ['sprintf("%d %s %v %q", [1, "a", [1.0], "b"])', '"1 a [1.0] \\"b\\""'],
    ['sprintf("%d %d", [1])', '"1 %!d(MISSING)"'],
    ['sprintf("%d", ["a"])', '"%!d(string=a)"'],
    ['sprintf("no", [1, "a"])', '"no%!(EXTRA int64=1, string=a)"'],
    ['sprintf("%5d|%-5d|%05d|%+d", [1, 2, 3, 4])', '"    1|2    |00003|+4"'],
    ['split("a,b,,c", ",")', '["a","b","","c"]'],
    ['substring("hello", 1, -1)', '"ello"'],
    ['strings.replace_n({"a": "b", "b": "a"}, "abab")', '"baba"'],
    ['upper("straße")', '"STRAßE"'],
    ['indexof_n("aaa", "aa")', '[0,1]'],
    ['count("é😀")', '2'],
    ['numbers.range_step(0, 10, 3)', '[0,3,6,9]'],
    ['array.slice([1, 2, 3], -1, 2)', '[1,2]'],
    ['sort({3, 1, "a", null})', '[null,1,3,"a"]'],
    ['regex.find_all_string_submatch_n("a(b)?", "ab a", -1)', '[["ab","b"],["a",""]]'],
    ['regex.replace("abc", "(b)", "<$1>$0x")', '"a\\u003cb\\u003ec"'],
    ['regex.split("x*", "axbc")', '["a","b","c"]'],
    ['glob.match("*.example.com", ["."], "api.x.example.com")', 'false'],
    ['glob.match("**.example.com", ["."], "api.x.example.com")', 'true'],
    ['object.union({"a": {"b": 1}}, {"a": {"c": 2}})', '{"a":{"b":1,"c":2}}'],
    ['json.filter({"a": {"b": 1, "c": 2}}, ["a/b"])', '{"a":{"b":1}}'],
    ['json.patch({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])', '{"a":[1,2]}'],
    ['urlquery.encode_object({"a": "1 2", "b": ["x", "y"]})', '"a=1+2&b=x&b=y"'.replaceAll('&', '\\u0026')],
    ['base64url.decode("YT8")', '"a?"'],
    ['time.parse_rfc3339_ns("2024-01-02T03:04:05.123456789Z")', '1704164645123456789'],
    ['time.format([1700000000123456789, "Europe/Berlin", "RFC1123Z"])', '"Tue, 14 Nov 2023 23:13:20 +0100"'],
    ['time.diff(1700000000000000000, 1600000000000000000)', '[3,2,1,9,46,40]'],
    ['time.add_date(1703444325734390000, 10, 14, 75)', '2062436325734390000'],
    ['time.parse_duration_ns("1h1.5m3s4ms")', '3693004000000'],
    ['semver.compare("1.2.3", "1.2.3-alpha")', '1'],
    ['net.cidr_contains("10.0.0.0/8", "10.1.0.0/16")', 'true'],
    ['net.cidr_expand("10.0.0.0/30")', '["10.0.0.0","10.0.0.1","10.0.0.2","10.0.0.3"]'],
    ['graph.reachable({"a": ["b"], "b": {"c"}, "c": []}, {"a"})', '["a","b","c"]'],
    ['graph.reachable_paths({"a": ["b", "c"], "b": ["c"], "c": ["a"]}, ["a"])', '[["a","b","c"],["a","c"]]'],
    ['[x | walk({"a": [1]}, x)]', '[[[],{"a":[1]}],[["a"],[1]],[["a",0],1]]'],
    ['crypto.hmac.sha256("a", "k")', '"78da91511e675587f5b9df78bedebaf5560da2abb88162ee875dcdf744951d9e"'],
    ['units.parse("100m")', '0.1000000000'],
    ['bits.lsh(1, 70)', '1180591620717411303424'],
    ['to_number("1e400")', 'undefined'],
    ['json.unmarshal("{")', 'undefined'],
    ['1 / 0', 'undefined'],
  ])('%s', (expression, expected) => {
    expect(value(`p := ${expression}`)).toBe(expected);
  });
});

test('time.now_ns is the instant that the caller passes', () => {
  const compiled = compileModules(parseModules([{ path: 'a.rego', text: 'package a\n\np := time.now_ns()' }]));
  expect(evaluate(compiled, { query: 'data.a.p', now: 42n }).value).toBe(42);
});

test('print is ignored, whatever its operands are', () => {
  expect(value('p := 1 if { print("a", input.missing, count(input.nothing)); true }')).toBe('1');
});

test.each([...REFUSED])('%s is refused with its name and a reason', (name, reason) => {
  const found = failure(() => value(`p := ${name}(1)`));
  expect(found.kind).toBe('compile');
  expect(found.message).toContain(`undefined or unsupported function ${name} (`);
  expect(found.message.toLowerCase()).toContain(reason.toLowerCase());
  expect(builtinTable().map((row) => row.name)).not.toContain(name);
});

test('the table of built-in functions lists each function once, sorted by theme', () => {
  const rows = builtinTable();
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(rows.map(({ theme }) => theme)).toEqual(rows.map(({ theme }) => theme).sort());
  expect(rows).toContainEqual({ theme: 'strings', name: 'split', signature: '(string, string) → array' });
});
