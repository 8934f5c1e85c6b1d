import type { Id, PolicyId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Services } from '#shared/http/services.ts';
import { type ClaimOf, claimAlone } from '#shared/http/written.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { refuseTooMany } from './attached-policies.ts';
import { readNewestContent } from './newest.ts';
import { entryUpdate, type HeadChanges, headWrites } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { attachmentWrite } from './records/environment-writes.ts';
import { reevaluate } from './reevaluate.ts';
import { sealSnapshot } from './seal-snapshot.ts';

/** Rights that {@link changePolicies} needs. */
export const CHANGE_POLICIES: Uses = {
  writes: ['ENV', 'SNAPSHOT', 'POLICY', 'CATALOGUE', 'BODY'],
  removes: ['POLICY'],
  bucket: ['bodies:read', 'bodies:write'],
};

type Outcome = 'done' | 'again' | EarlierRequest;

export interface PolicyChange {
  /** Other settings of the head that change in the same transaction. */
  settings?: Omit<NonNullable<HeadChanges['settings']>, 'policies'>;
  /** Further writes of the transaction. */
  extra?: readonly Write<'again'>[];
  /** The idempotency claim. It stands first in the transaction, so its refusal decides the outcome. */
  claim: ClaimOf;
  /** Name of the request's field that holds the policies, for the error about too many of them. */
  field?: string;
}

/**
 * Replaces the policies of an environment (rules/environments.md#attached-policies). If the set differs, the policies
 * evaluate what runs at once, and a snapshot is stored even if no verdict changes. If the set is the same, only
 * `settings` and `extra` are written. The snapshot of a logical environment is appended by the relay.
 * @param policies ids, in any order
 * @returns `again` if another writer was first
 * @throws ServiceError `invalid` for more policies than an environment may have, and if their evidence takes too many reads
 */
export async function changePolicies(
  services: Pick<Services, 'table' | 'objects' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  policies: readonly PolicyId[],
  { settings, extra = [], claim, field = 'policies' }: PolicyChange,
): Promise<Outcome> {
  const ids = [...new Set(policies)].sort();
  refuseTooMany(ids, field);
  const [added, removed] = [without(ids, head.policies), without(head.policies, ids)];
  const same = added.length === 0 && removed.length === 0;
  if (same && !settings && extra.length === 0) return claimAlone(services.table, claim());

  const links: Write<'again'>[] = [
    ...added.map((id) => attachmentWrite(org.id, id, head)),
    ...removed.map((id): Write<'again'> => ({ remove: policyEnvironmentKey(org.id, id, head.id) })),
  ];
  const changed = { ...settings, policies: ids };
  const sealed = same ? null : await sealUnderPolicies(services, org, head, changed, field);
  await sealed?.upload();
  return services.table.transact<Outcome>([
    ...claim(sealed?.appended),
    ...(sealed?.writes ?? settingsWrites(services, org, head, changed)),
    ...links,
    ...extra,
  ]);
}

const without = <Kind extends Id>(ids: readonly Kind[], others: readonly Kind[]): Kind[] =>
  ids.filter((id) => !others.includes(id));

/** Prepares the snapshot under the new policies; null for a logical environment, and if no content can be evaluated. */
async function sealUnderPolicies(
  services: Pick<Services, 'table' | 'objects' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']> & { policies: PolicyId[] },
  field: string,
) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(services, org, head);
  if (!content) return null;
  const draft = await reevaluate(services, org, head, content, { policies: settings.policies, field });
  const entry = { m: services.clock.now() };
  return sealSnapshot(services, org, head, draft, again, { settings, entry });
}

/** The change without a snapshot. `evaluatedAt: 0` makes the next report evaluate, whatever the marks are. */
const settingsWrites = (
  { clock }: Pick<Services, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']>,
): Write<'again'>[] => [
  ...headWrites(org.id, head, { settings, snapshot: { evaluatedAt: 0 } }, again),
  entryUpdate(org.id, head.id, { m: clock.now() }, again),
];
