import { describe, expect, it } from 'vitest';
import { nextOrder, ordered, orderFrom } from '#console/parts/table/model/order.ts';

describe('the order of a table', () => {
  it('is read from the address', () => {
    expect([orderFrom('Since'), orderFrom('-Since')]).toEqual([
      { head: 'Since', isDescending: false },
      { head: 'Since', isDescending: true },
    ]);
    expect([undefined, '', '-'].map(orderFrom)).toEqual([undefined, undefined, undefined]);
  });

  it('goes from ascending to descending and back to that of the service', () => {
    expect(nextOrder(undefined, 'Name')).toBe('Name');
    expect(nextOrder(orderFrom('Name'), 'Name')).toBe('-Name');
    expect(nextOrder(orderFrom('-Name'), 'Name')).toBeUndefined();
    expect(nextOrder(orderFrom('-Name'), 'Since')).toBe('Since');
  });

  it('puts numbers in texts in the order of numbers, and rows without a value last', () => {
    const rows = ['release-10', null, 'release-9'];
    expect(ordered(rows, (row) => row, false)).toEqual(['release-9', 'release-10', null]);
    expect(ordered(rows, (row) => row, true)).toEqual(['release-10', 'release-9', null]);
    expect(ordered([3, 1, 2], (row) => row, true)).toEqual([3, 2, 1]);
  });

  it('keeps the order of rows with the same value', () => {
    const rows = [
      { name: 'b', at: 1 },
      { name: 'a', at: 1 },
    ];
    expect(ordered(rows, ({ at }) => at, true)).toEqual(rows);
  });
});
