import { isDeepStrictEqual } from 'node:util';
import type { EnvironmentId, Id, PolicyId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { CHANGE_POLICIES, changePolicies } from '#shared/environments/change-policies.ts';
import { entryUpdate, headUpdate } from '#shared/environments/records/environment-head.ts';
import type { EnvironmentFacts } from '#shared/environments/records/environment-records.ts';
import {
  environmentFactsWrites,
  membersChange,
  memberWrites,
  prepareEnvironmentFacts,
} from '#shared/environments/records/environment-writes.ts';
import type { Environment } from '#shared/environments/records/environments.ts';
import type { Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone } from '#shared/http/written.ts';
import { type AuditedChange, auditOf } from '#shared/organizations/records/audit.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { membersTowards, sameIds } from './settings.ts';

/** What a request makes of an environment's settings; absent = as they are. */
export interface Settings {
  facts: Partial<EnvironmentFacts>;
  /** In order. */
  members?: readonly EnvironmentId[] | undefined;
  /** Ascending. */
  policies?: readonly PolicyId[] | undefined;
}

type Outcome = 'done' | 'again' | EarlierRequest;

/**
 * At most so many members join or leave in one transaction, which has room for 100 writes: two for each who joins,
 * beside those of the policies. A request with more is carried out in several, the last of which has the rest of it.
 */
export const MEMBERS_AT_ONCE = 20;

/** What {@link changeSettings} needs. */
export const CHANGE_SETTINGS: Uses = usesTogether([
  CHANGE_POLICIES,
  { writes: ['ENV', 'CATALOGUE', 'BODY', 'AUDIT'], removes: ['ENV'], bucket: ['bodies:read', 'bodies:write'] },
]);

/**
 * Changes what is different, and nothing where nothing is. Policies are evaluated at once where they change (semantics
 * §5.3).
 * @param environment as it was read
 * @param claim the request's idempotency claim
 * @returns `again` where another writer was first, or where there is more to be done
 */
export async function changeSettings(
  request: Pick<Request, 'org' | 'caller' | 'receivedAt'>,
  environment: Environment,
  settings: Settings,
  services: Services,
  claim: Write<EarlierRequest>[],
): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org } = request;
  const { head, factsRev } = environment;
  const at = clock.now();
  const members = different(settings.members, head.members);
  const policies = different(settings.policies, head.policies);
  const after = { ...environment.facts, ...settings.facts };
  const facts = isDeepStrictEqual(after, environment.facts) ? undefined : after;
  if (!members && !policies && !facts) return claimAlone(table, claim);

  const next = members && membersTowards(head.members, members, MEMBERS_AT_ONCE);
  if (next && next !== members) {
    await table.transact(membersChange(org.id, head, next, at));
    return 'again';
  }
  const prepared = facts && prepareEnvironmentFacts(objects, org.id, head.id, facts);
  await prepared?.upload();
  const extra: Write<'again'>[] = [
    ...(prepared ? environmentFactsWrites(org.id, head.id, factsRev, prepared, again) : []),
    ...(members ? memberWrites(org.id, head.id, head.members, members, again) : []),
    auditOf(request, settingsChanged(environment, { facts, members, policies })),
  ];
  const ofHead = members && { members: [...members] };
  if (policies)
    return changePolicies(services, org, head, policies, { ...(ofHead && { settings: ofHead }), extra, claim });
  return table.transact<'again' | EarlierRequest>([
    ...claim,
    ...(ofHead ? [headUpdate(org.id, head, { settings: ofHead }, again)] : []),
    entryUpdate(org.id, head.id, { m: at }, again),
    ...extra,
  ]);
}

/** What the audit log says: what changed, as it was and as it is; members and policies by their ids. */
function settingsChanged(
  { head, facts }: Environment,
  after: { facts: EnvironmentFacts | undefined; members: Ids | undefined; policies: Ids | undefined },
): AuditedChange {
  const { id, name, members, policies } = head;
  return {
    kind: 'environment.changed',
    subject: { type: 'environment', id, name },
    before: { ...(after.facts && facts), ...(after.members && { members }), ...(after.policies && { policies }) },
    after: {
      ...after.facts,
      ...(after.members && { members: after.members }),
      ...(after.policies && { policies: after.policies }),
    },
  };
}

type Ids = readonly Id[];

const different = <Kind extends Id>(
  ids: readonly Kind[] | undefined,
  before: readonly Kind[],
): readonly Kind[] | undefined => (ids && !sameIds(ids, before) ? ids : undefined);
