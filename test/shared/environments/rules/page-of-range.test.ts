import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IndexRange, pageOfRange } from '#shared/environments/rules/interval.ts';

const numbersIn = ({ from, to }: IndexRange): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

test('pages show every number of a range once, newest first or oldest first, and nothing past the end', () => {
  fc.assert(
    fc.property(
      fc.nat(50),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      fc.nat(20),
      (count, perPage, reverse, first) => {
        const range = { from: first + 1, to: first + count };
        const pages = Math.ceil(count / perPage);
        const shown = Array.from({ length: pages }, (_, i) => {
          const numbers = numbersIn(pageOfRange(range, { page: i + 1, perPage, reverse }));
          return reverse ? numbers : numbers.reverse();
        });
        const all = numbersIn(range);
        expect(shown.flat()).toEqual(reverse ? all : all.reverse());
        for (const page of shown.slice(0, -1)) expect(page).toHaveLength(perPage);
        for (const page of [pages + 1, pages + 2, 2 ** 50]) {
          expect(numbersIn(pageOfRange(range, { page, perPage, reverse }))).toEqual([]);
        }
      },
    ),
  );
});
