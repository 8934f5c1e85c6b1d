import { again } from '#shared/base/retry.ts';
import type { RequestLimits } from '#shared/callers/request-limits.ts';
import type { Feature } from '#shared/callers/roles.ts';
import type { Suspension } from '#shared/organizations/rules/suspension.ts';
import { absent, change, equal, exists } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AuditedChange, type AuditStamp, auditWrite } from './audit.ts';
import type { OrganizationRecord } from './directory-records.ts';
import { organizationKey } from './keys.ts';

/**
 * Returns the writes that replace a field of an organization, or remove it, with the audit entry. They are refused with `again` if the
 * field has changed since the record was read. Other functions see the change within 30 seconds.
 */
export function fieldWrites<F extends 'features' | 'signInRules' | 'signInGrants' | 'suspension' | 'limits'>(
  organization: OrganizationRecord,
  field: F,
  value: OrganizationRecord[F],
  stamp: AuditStamp,
  audited: Pick<AuditedChange, 'kind' | 'before' | 'after'>,
): Write<'again'>[] {
  const { id, name, [field]: before } = organization;
  const asRead = before ? [equal({ [field]: before })] : [exists(), absent(field)];
  const changes = value === undefined ? { remove: [field] } : { set: { [field]: value } };
  return [
    { update: organizationKey(name), ...change(changes, ...asRead), refused: again },
    auditWrite(id, stamp, { ...audited, subject: { type: 'organization', id, name } }),
  ];
}

/**
 * Sets the beta features of an organization (rules/organizations.md#beta-features).
 *
 * @param claim the idempotency claim of the request; it comes first, because the first refused write decides the outcome
 * @returns `again` if the features changed since the record was read
 */
export async function setFeatures(
  table: Table,
  organization: OrganizationRecord,
  features: readonly Feature[],
  stamp: AuditStamp,
  claim: readonly Write[] = [],
): Promise<'done' | 'again'> {
  const after = features.toSorted();
  const audited = {
    kind: 'organization.features_changed',
    before: { features: organization.features },
    after: { features: after },
  } as const;
  return table.transact<'again'>([...claim, ...fieldWrites(organization, 'features', after, stamp, audited)]);
}

/**
 * Suspends an organization, or ends its suspension (rules/organizations.md#suspension). The time of the audit entry says since when.
 *
 * @returns `again` if the suspension changed since the record was read
 */
export const setSuspension = (
  table: Table,
  organization: OrganizationRecord,
  suspension: Suspension | undefined,
  stamp: AuditStamp,
): Promise<'done' | 'again'> => {
  const said = (one: Suspension | undefined) => ({ suspension: one ? { what: one.what, reason: one.reason } : null });
  return table.transact<'again'>(
    fieldWrites(organization, 'suspension', suspension, stamp, {
      kind: 'organization.suspension_changed',
      before: said(organization.suspension),
      after: said(suspension),
    }),
  );
};

/**
 * Gives an organization limits in place of those of the stage, or takes them away (rules/requests.md#limits-of-organizations).
 *
 * @returns `again` if the limits changed since the record was read
 */
export const setLimits = (
  table: Table,
  organization: OrganizationRecord,
  limits: RequestLimits | undefined,
  stamp: AuditStamp,
): Promise<'done' | 'again'> =>
  table.transact<'again'>(
    fieldWrites(organization, 'limits', limits, stamp, {
      kind: 'organization.limits_changed',
      before: { limits: organization.limits ?? null },
      after: { limits: limits ?? null },
    }),
  );
