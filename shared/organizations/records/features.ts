import { again } from '#shared/base/retry.ts';
import type { Feature } from '#shared/callers/roles.ts';
import { change, equal } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AuditStamp, auditWrite } from './audit.ts';
import type { OrganizationRecord } from './directory-records.ts';
import { organizationKey } from './keys.ts';

/**
 * Sets the beta features of an organization (rules/organizations.md#beta-features). Other functions see the change within
 * 30 seconds.
 *
 * @param organization the record as it was read
 * @param features all features after the change
 * @param claim the idempotency claim of the request; it comes first, because the first refused write decides the outcome
 * @returns `again` if the features changed since the record was read
 */
export async function setFeatures(
  table: Table,
  { id, name, features: before }: OrganizationRecord,
  features: readonly Feature[],
  stamp: AuditStamp,
  claim: readonly Write[] = [],
): Promise<'done' | 'again'> {
  const after = features.toSorted();
  return table.transact<'again'>([
    ...claim,
    {
      update: organizationKey(name),
      ...change({ set: { features: after } }, equal({ features: before })),
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

/** Returns the features with one of them switched on or off; the same list if nothing changes. */
export const switched = (features: readonly Feature[], feature: Feature, enabled: boolean): readonly Feature[] => {
  if (features.includes(feature) === enabled) return features;
  return enabled ? [...features, feature] : features.filter((other) => other !== feature);
};
