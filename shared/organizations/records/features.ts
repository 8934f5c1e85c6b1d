import { again } from '#shared/base/retry.ts';
import type { Feature } from '#shared/base/roles.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AuditStamp, auditWrite } from './audit.ts';
import type { OrganizationRecord } from './directory-records.ts';
import { organizationKey } from './keys.ts';

/**
 * Gives an organization other beta features (semantics §12.6); functions learn of it within 30 seconds.
 * @param organization as it was read
 * @param features all that it has from now on
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` where the features changed since the record was read
 */
export async function setFeatures<C = never>(
  table: Table,
  { id, name, features: before }: OrganizationRecord,
  features: readonly Feature[],
  stamp: AuditStamp,
  claim: readonly Write<C>[] = [],
): Promise<'done' | 'again' | C> {
  const after = features.toSorted();
  return table.transact<'again' | C>([
    ...claim,
    {
      update: organizationKey(name),
      UpdateExpression: 'SET #features = :features',
      ConditionExpression: '#features = :before',
      ExpressionAttributeNames: { '#features': 'features' },
      ExpressionAttributeValues: { ':features': after, ':before': before },
      refused: again,
    },
    auditWrite(id, stamp, {
      kind: 'organization.features_changed',
      subject: { type: 'organization', id, name },
      before: { features: before },
      after: { features: after },
    }),
  ]);
}

/** The features with one of them switched; the same list where it is so already. */
export const switched = (had: readonly Feature[], feature: Feature, on: boolean): readonly Feature[] => {
  if (had.includes(feature) === on) return had;
  return on ? [...had, feature] : had.filter((other) => other !== feature);
};
