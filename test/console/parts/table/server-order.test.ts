import { describe, expect, it } from 'vitest';
import { type ServerOrder, serverOrder } from '#console/parts/table/model/order.ts';
import { orderOf, orderQuery } from '#console/routes/search-params.ts';

const NAME: ServerOrder = { by: 'name', begins: 'ascending' };
const NEWEST: ServerOrder = { by: 'at', begins: 'descending', isUsual: true };

describe('the order of a list by the service', () => {
  it('goes from an order to its reverse, and to the usual order of the list', () => {
    expect(serverOrder(NAME, undefined)).toEqual({ direction: 'none', next: 'name' });
    expect(serverOrder(NAME, 'name')).toEqual({ direction: 'ascending', next: '-name' });
    expect(serverOrder(NAME, '-name')).toEqual({ direction: 'descending', next: undefined });
    expect(serverOrder(NAME, 'at')).toEqual({ direction: 'none', next: 'name' });
  });

  it('begins with the usual order at the column that has it', () => {
    expect(serverOrder(NEWEST, undefined)).toEqual({ direction: 'descending', next: '-at' });
    expect(serverOrder(NEWEST, '-at')).toEqual({ direction: 'ascending', next: undefined });
    expect(serverOrder(NEWEST, 'name')).toEqual({ direction: 'none', next: undefined });
  });

  it('stands in the address as a name, or as a name behind a hyphen', () => {
    const order = orderOf('name', 'at');
    expect(['name', '-at', '--at', 'state', ''].map(order)).toEqual(['name', '-at', undefined, undefined, undefined]);
  });

  it.each([
    ['name', 'name', 'asc'],
    ['-name', 'name', 'desc'],
    ['at', 'at', 'desc'],
    ['-at', 'at', 'asc'],
  ] as const)('asks for %s as %s %s: times begin with the newest', (order, sort, direction) => {
    expect(orderQuery<'name' | 'at'>(order, ['at'])).toEqual({ sort, sort_direction: direction });
  });
});
