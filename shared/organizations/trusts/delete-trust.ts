import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { authored } from '../records/audit.ts';
import { readTrust, removedTrustWrites, trustCover } from '../records/trusts.ts';
import { trustNotFound } from '../rules/sentences.ts';
import { trustFacts } from './read-trusts.ts';

/** What deleting a trust writes. */
export const DELETE_TRUST: Uses = { writes: ['AUDIT'], removes: ['TRUST', '@TRUSTED'] };

/**
 * Removes a trust, which ends its keys (rules/identities.md#end-of-keys).
 *
 * @throws ServiceError `not-found`
 */
export async function deleteTrust({ table }: Pick<Stores, 'table'>, by: Author<void>, name: string): Promise<void> {
  const { org } = by;
  await retrying(async () => {
    const trust = await readTrust(table, org.id, name);
    if (!trust) throw trustNotFound();
    const deleted = {
      kind: 'trust.deleted',
      subject: { type: 'trust', id: trust.id, name: trust.name },
      before: trustFacts(trust),
      covers: [trustCover(trust, undefined)],
    } as const;
    return table.transact<'again'>([...authored(by, deleted), ...removedTrustWrites(org, trust)]);
  });
}
