import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, parseJson } from '#shared/rego/index.ts';
import { calculate, remainder } from '#shared/rego/values/arithmetic.ts';
import { numberOfDouble, numberText, parseNumber } from '#shared/rego/values/decimal.ts';
import { fromPlain } from '#shared/rego/values/plain.ts';
import { compare, equal, keyOf, RegoObject, RegoSet, type Value } from '#shared/rego/values/value.ts';

const VALUES: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(numberOfDouble),
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map((value) => parseNumber(String(value)) ?? 0),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }).map((members) => RegoSet.of(members)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((pairs) => RegoObject.of(pairs)),
  ),
})).value;

describe('the order of values', () => {
  test('is total: of two values one comes first or both are equal', () => {
    fc.assert(fc.property(VALUES, VALUES, (a, b) => Math.sign(compare(a, b)) === -Math.sign(compare(b, a))));
  });

  test('is transitive', () => {
    fc.assert(
      fc.property(VALUES, VALUES, VALUES, (a, b, c) => {
        const [x, y, z] = [a, b, c].sort(compare);
        return x !== undefined && y !== undefined && z !== undefined && compare(x, z) <= 0 && compare(x, y) <= 0;
      }),
    );
  });

  test('agrees with equality and with map keys', () => {
    fc.assert(
      fc.property(VALUES, VALUES, (a, b) => {
        const same = compare(a, b) === 0;
        return equal(a, b) === same && (keyOf(a) === keyOf(b)) === same && equal(a, a);
      }),
    );
  });

  test('puts types in the order of the language', () => {
    const values: Value[] = [new RegoSet(), new RegoObject(), [], '', 0, true, false, null];
    expect(values.toSorted(compare)).toEqual(values.toReversed());
  });

  test('compares strings by code point', () => {
    expect(['\u{1f600}', '\uffff', 'a'].sort(compare)).toEqual(['a', '\uffff', '\u{1f600}']);
  });
});

describe('numbers', () => {
  test('are exact for integers of any size', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        const [x, y] = [parseNumber(String(a)) ?? 0, parseNumber(String(b)) ?? 0];
        const sum = calculate('plus', x, y);
        const product = calculate('mul', x, y);
        return (
          sum !== null && product !== null && BigInt(numberText(sum)) === a + b && BigInt(numberText(product)) === a * b
        );
      }),
    );
  });

  test.each([
    ['0.1', 'plus', '0.2', '0.3'],
    ['1', 'div', '3', '0.33333333333333333334'],
    ['0.1', 'mul', '0.1', '0.010000000000000000001'],
    ['9007199254740993', 'plus', '0.5', '9.0071992547409935e+15'],
    ['10000000000000000000000000000000000000000', 'div', '7', '1428571428571428571400000000000000000000'],
    ['1e-7', 'mul', '3', '3e-07'],
    ['0', 'div', '-7', '-0'],
  ] as const)('print %s %s %s as %s, like OPA', (a, operation, b, expected) => {
    const result = calculate(operation, parseNumber(a) ?? 0, parseNumber(b) ?? 0);
    expect(result === null ? null : numberText(result)).toBe(expected);
  });

  test('cannot be divided by zero', () => {
    expect([calculate('div', 1, 0), remainder(1, 0), remainder(parseNumber('1.5') ?? 0, 1)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('are equal by value, whatever their text', () => {
    const set = RegoSet.of(['1', '1.0', '10e-1'].map((text) => parseNumber(text) ?? 0));
    expect(canonicalJson(set)).toBe('[1]');
  });
});

describe('JSON', () => {
  test('reads back to the same value', () => {
    fc.assert(fc.property(fc.jsonValue(), (data) => equal(parseJson(canonicalJson(fromPlain(data))), fromPlain(data))));
  });

  test('keeps the text of numbers and sorts keys', () => {
    expect(canonicalJson(parseJson('{"b": 1.50, "a": [123456789012345678901234567890, 1e3]}'))).toBe(
      '{"a":[123456789012345678901234567890,1e3],"b":1.50}',
    );
  });
});
