import { isDeepStrictEqual } from 'node:util';
import type { EnvironmentId, Id, PolicyId } from '#shared/base/ids.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { type AuditedChange, auditOf, authored } from '#shared/organizations/records/audit.ts';
import { type Appended, storeClaim } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { CHANGE_POLICIES, changePolicies } from '../change-policies.ts';
import { settingsCover } from '../records/environment-covers.ts';
import { entryUpdate, headWrites } from '../records/environment-head.ts';
import type { EnvironmentFacts } from '../records/environment-records.ts';
import {
  environmentFactsWrites,
  membersChange,
  memberWrites,
  prepareEnvironmentFacts,
} from '../records/environment-writes.ts';
import type { Environment } from '../records/environments.ts';
import { nextMembers, sameIds } from '../rules/members.ts';

/** The settings that a request asks for; absent = unchanged. */
export interface Settings {
  facts: Partial<EnvironmentFacts>;
  /** Ids of the members, in the order of the request. */
  members?: readonly EnvironmentId[] | undefined;
  /** Ids of the policies, ascending. */
  policies?: readonly PolicyId[] | undefined;
}

/**
 * The most members that join or leave in one transaction (rules/environments.md#members). A transaction has room for 100
 * writes, and a member that joins costs two. A larger change takes several transactions. The last one carries all other
 * changes of the request.
 */
export const MEMBERS_AT_ONCE = 20;

export const CHANGE_SETTINGS: Uses = usesTogether([
  CHANGE_POLICIES,
  { writes: ['ENV', 'CATALOGUE', 'BODY', 'AUDIT'], removes: ['ENV'], bucket: ['bodies:read', 'bodies:write'] },
]);

/**
 * Writes the settings that differ, and nothing if none differs. If the policies change, they evaluate what runs at once
 * (rules/environments.md#attached-policies).
 *
 * @param environment as it was read
 * @returns the snapshot that the policies stored, null if none was stored; `again` if another writer was first, or if more
 *   members have to join or leave
 */
export async function changeSettings(
  stores: Stores,
  by: Author<Appended | null>,
  environment: Environment,
  settings: Settings,
): Promise<Appended | null | 'again'> {
  const { table, objects, clock } = stores;
  const { org } = by;
  const { head, factsItem } = environment;
  const at = clock.now();
  const members = ifChanged(settings.members, head.members);
  const policies = ifChanged(settings.policies, head.policies);
  const after = { ...environment.facts, ...settings.facts };
  const facts = isDeepStrictEqual(after, environment.facts) ? undefined : after;
  if (!members && !policies && !facts) {
    await storeClaim(table, by.claim(null));
    return null;
  }

  const next = members && nextMembers(head.members, members, MEMBERS_AT_ONCE);
  if (next && next !== members) {
    const audit = auditOf(by, settingsChanged(environment, { members: next }));
    await table.transact([...membersChange(org.id, head, next, at), audit]);
    return 'again';
  }
  const prepared = facts && prepareEnvironmentFacts(objects, org.id, head.id, facts);
  await prepared?.upload();
  const stored = prepared && environmentFactsWrites(org.id, head.id, factsItem, prepared, again);
  const extra: Write<'again'>[] = [
    ...(stored?.writes ?? []),
    ...(members ? memberWrites(org.id, head.id, head.members, members, again) : []),
  ];
  const audited = settingsChanged(environment, { facts, members, policies }, stored?.cover);
  const headSettings = members && { members: [...members] };
  if (policies) return changePolicies(stores, by, head, policies, { audited, settings: headSettings, extra });
  const done = await table.transact<'again'>([
    ...authored(by, audited, null),
    ...(headSettings ? headWrites(org.id, head, { settings: headSettings }, again) : []),
    entryUpdate(org.id, head.id, { m: at }, again),
    ...extra,
  ]);
  return done === 'again' ? done : null;
}

/** The audit entry: the settings that changed, before and after; members and policies by their ids. */
function settingsChanged(
  { head, facts }: Environment,
  after: {
    facts?: EnvironmentFacts | undefined;
    members?: readonly EnvironmentId[] | undefined;
    policies?: readonly PolicyId[] | undefined;
  },
  factsCover?: Cover,
): AuditedChange {
  const { id, name, members, policies } = head;
  const settings = {
    ...head,
    ...(after.members && { members: [...after.members] }),
    ...(after.policies && { policies: [...after.policies] }),
  };
  return {
    kind: 'environment.changed',
    subject: { type: 'environment', id, name },
    before: { ...(after.facts && facts), ...(after.members && { members }), ...(after.policies && { policies }) },
    after: {
      ...after.facts,
      ...(after.members && { members: after.members }),
      ...(after.policies && { policies: after.policies }),
    },
    covers: [
      ...(after.members || after.policies ? [settingsCover(head, settings)] : []),
      ...(factsCover ? [factsCover] : []),
    ],
  };
}

const ifChanged = <Kind extends Id>(
  ids: readonly Kind[] | undefined,
  before: readonly Kind[],
): readonly Kind[] | undefined => (ids && !sameIds(ids, before) ? ids : undefined);
