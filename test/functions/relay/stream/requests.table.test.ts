import { describe, expect, it } from 'vitest';
import { findRequests } from '#shared/evidence/events/requests-of-moments.ts';
import { itemSize } from '#shared/table/item-size.ts';
import { requestOf } from '#shared/table/items.ts';
import { imageOf } from '#shared/table/stream-item.ts';
import { familyOf } from '#shared/table/uses.ts';
import { aCommit, evidenceApi, newOrganization } from '#test/support/evidence.ts';
import { scanItems } from '#test/support/table/scan-items.ts';
import { databaseAddress } from '#test/support/table.ts';

/** rules/storage.md#requests-of-effects */

const api = await evidenceApi();
const { table } = api.services;
/** The id of every request of tests. */
const REQUEST = 'request-1';

/** Attests with names of the attestation that grow by a byte each. @returns the moments */
async function momentsOfSizes() {
  const acme = await newOrganization(api);
  const trail = 'a-trail-with-a-name';
  await acme.begin({ name: trail, description: 'd' });
  for (let n = 8; n < 60; n += 4)
    await acme.attest('generic', { attestation_name: 'a'.repeat(n), git_commit_info: aCommit() }, { trail });
  const items = await scanItems(databaseAddress(), table.name, acme.id);
  return items.filter(({ pk, record }) => familyOf(pk) === 'MOMENT' && record !== undefined);
}

describe('a moment', () => {
  it('names its request unless it would then cost another unit, and the relay finds the request at its record', async () => {
    const moments = await momentsOfSizes();
    const unnamed = moments.filter((moment) => requestOf(moment) === undefined);
    const room = 'request'.length + REQUEST.length;
    expect(unnamed.length).toBeGreaterThan(0);
    for (const moment of unnamed) {
      expect(itemSize(moment)).toBeLessThanOrEqual(1024);
      expect(itemSize(moment) + room).toBeGreaterThan(1024);
    }
    expect(moments.length - unnamed.length).toBeGreaterThan(0);
    const found = await findRequests(table, moments.map(imageOf));
    expect([...found.values()]).toEqual(unnamed.map(() => REQUEST));
    expect([...found.keys()]).toEqual(unnamed.map((moment) => moments.indexOf(moment)));
  });
});
