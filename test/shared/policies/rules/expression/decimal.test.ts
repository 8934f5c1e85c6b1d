import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDecimals, type Decimal, parseDecimal } from '#shared/policies/rules/expression/decimal.ts';

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`${text} is no number`);
  return value;
}

const compare = (a: string, b: string) => Math.sign(compareDecimals(decimal(a), decimal(b)));

describe('parseDecimal', () => {
  test.each(['', ' 1', '1 ', '+1', '1.', '.5', '1e3', '0x10', '1_000', '1,5', 'Infinity', 'NaN', '--1', '٣'])(
    'does not take %j for a number',
    (text) => {
      expect(parseDecimal(text)).toBeNull();
    },
  );
});

describe('compareDecimals', () => {
  test.each([
    ['1', '2', -1],
    ['10', '9', 1],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['1.10', '1.9', -1],
    ['1.5', '1.50', 0],
    ['007', '7', 0],
    ['-0', '0.000', 0],
    ['0.5', '-0.5', 1],
    ['12345678901234567890', '12345678901234567891', -1],
  ])('puts %s and %s in the order %i', (a, b, order) => {
    expect(compare(a, b)).toBe(order);
    expect(compare(b, a)).toBe(order === 0 ? 0 : -order);
  });

  test('agrees with exact fractions of a thousand', () => {
    const thousandths = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const written = (n: bigint) => {
      const size = n < 0n ? -n : n;
      return `${n < 0n ? '-' : ''}${size / 1000n}.${(size % 1000n).toString().padStart(3, '0')}`;
    };
    fc.assert(
      fc.property(thousandths, thousandths, (a, b) => {
        expect(compare(written(a), written(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});
