import { expect, it } from 'vitest';
import { addressOf } from '#console/client/operations.ts';

it('the address of an operation has its parameters encoded', () => {
  expect(
    addressOf('/trails/{org}/{flow}', { org: 'a', flow: 'b/c d' }, { page: 1, tag: ['x', 'y'], no: undefined }),
  ).toBe('/api/v2/trails/a/b%2Fc%20d?page=1&tag=x&tag=y');
  expect(addressOf('/repos/{org}/{name+}', { org: 'a', name: 'group/re po' })).toBe('/api/v2/repos/a/group/re%20po');
});
