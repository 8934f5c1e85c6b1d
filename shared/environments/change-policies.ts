import type { Id, PolicyId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone } from '#shared/http/written.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { refuseTooMany } from './attached-policies.ts';
import { readNewestContent } from './newest.ts';
import { entryUpdate, type HeadChanges, headUpdate } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { reevaluate } from './reevaluate.ts';
import { sealSnapshot } from './seal-snapshot.ts';

/** What is used by whoever changes the policies of an environment. */
export const CHANGE_POLICIES: Uses = {
  writes: ['ENV', 'SNAPSHOT', 'POLICY', 'CATALOGUE', 'BODY'],
  removes: ['POLICY'],
  bucket: ['bodies:read', 'bodies:write'],
};

type Outcome = 'done' | 'again' | EarlierRequest;

export interface PolicyChange {
  /** Other settings of the head that change with them. */
  settings?: Omit<NonNullable<HeadChanges['settings']>, 'policies'>;
  /** What else the transaction writes. */
  extra?: readonly Write<'again'>[];
  /** The idempotency claim; refused first, so that its outcome is the one that counts. */
  claim: readonly Write<EarlierRequest>[];
  /** What the field is called that has the policies, where they are too many. */
  field?: string;
}

/**
 * Gives an environment exactly these policies. What runs there is judged by them at once, in a snapshot of its own even
 * where no verdict turns (semantics §5.3). Where the policies are the same, only the rest changes, if there is any. A
 * logical environment's next snapshot is the relay's to append (design §5).
 * @param policies ids, in any order
 * @returns `again` when another writer was first
 * @throws ApiError 400 for more policies than an environment may have
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
  if (same && !settings && extra.length === 0) return claimAlone(services.table, [...claim]);

  const links: Write<'again'>[] = [
    ...added.map((id): Write<'again'> => ({ put: { ...policyEnvironmentKey(org.id, id, head.id), v: 1 } })),
    ...removed.map((id): Write<'again'> => ({ remove: policyEnvironmentKey(org.id, id, head.id) })),
  ];
  const changed = { ...settings, policies: ids };
  const sealed = same ? null : await sealedUnder(services, org, head, changed);
  await sealed?.upload();
  return services.table.transact<Outcome>([
    ...claim,
    ...(sealed?.writes ?? settingsAlone(services, org, head, changed)),
    ...links,
    ...extra,
  ]);
}

const without = <Kind extends Id>(ids: readonly Kind[], others: readonly Kind[]): Kind[] =>
  ids.filter((id) => !others.includes(id));

/** The snapshot that other policies make; null where there is nothing that they could judge. */
async function sealedUnder(
  services: Pick<Services, 'table' | 'objects' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']> & { policies: PolicyId[] },
) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(services, org, head);
  if (!content) return null;
  const draft = await reevaluate(services, org, head, content, { policies: settings.policies });
  const entry = { m: services.clock.now() };
  return sealSnapshot(services, org, head, draft, again, { settings, entry });
}

/** Without a snapshot of its own the change is seen by the next report: it evaluates, whatever the marks say. */
const settingsAlone = (
  { clock }: Pick<Services, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  settings: NonNullable<HeadChanges['settings']>,
): Write<'again'>[] => [
  headUpdate(org.id, head, { settings, snapshot: { evaluatedAt: 0 } }, again),
  entryUpdate(org.id, head.id, { m: clock.now() }, again),
];
