import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { ActionRecord, Target } from '../rules/records.ts';
import { newSecretWrite, prepareSecret, secretRemoval } from './action-secrets.ts';
import { actionCounterKey, actionKey, actionNameKey, notifiedOrganizationKey } from './keys.ts';
import { prepareHealth } from './target-health.ts';

/** What a save says of an action. */
export interface GivenAction {
  name: string;
  triggers: ActionRecord['triggers'];
  /** Ids; empty = every flow. */
  flows: FlowId[];
  environments: EnvironmentId[];
  targets: Target[];
  /** The signing secret that came with a target; undefined leaves the present one. */
  secret?: string | undefined;
}

/** Who saves an action, and when. */
export interface ActionStamp {
  at: Micros;
  by: string;
}

/**
 * Makes an action under the organization's next number: numbers are shared by both kinds, given without gaps and never
 * again (semantics §10.1, design §2.3).
 * @param secret signs its webhooks from now on
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` where another writer was first
 */
export async function createAction<C>(
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  { secret: _, ...given }: GivenAction,
  secret: string,
  { at, by }: ActionStamp,
  claim: readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const counter = await table.get(actionCounterKey(org));
  const last = Number(counter?.['last'] ?? 0);
  const number = last + 1;
  const action: ActionRecord = {
    ...{ ...given, number, kind, by, created: at, modified: at, version: 1, deleted: false },
  };
  return table.transact<'again' | C>([
    ...claim,
    {
      put: { ...actionCounterKey(org), v: 1, last: number },
      ConditionExpression: 'attribute_not_exists(pk) OR #last = :last',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':last': last },
      refused: again,
    },
    versionWrite(org, action),
    putIfAbsent({ ...actionNameKey(org, kind, given.name), v: 1, number }, again),
    newSecretWrite(org, number, secret),
    {
      // From the first action on somebody waits for the organization's events, and for none before.
      update: notifiedOrganizationKey(org),
      UpdateExpression: 'SET #v = :v, since = if_not_exists(since, :at)',
      ExpressionAttributeNames: { '#v': 'v' },
      ExpressionAttributeValues: { ':v': 1, ':at': at },
    },
  ]);
}

/**
 * Replaces what an action says; number, maker and time of making stay (semantics §10.1). Health of targets that are
 * taken up anew begins anew, and disabled ones are enabled.
 * @param before the version that was read
 * @returns `again` where another writer was first, or another action of the kind has the new name
 */
export async function changeAction<C>(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  { secret, ...given }: GivenAction,
  now: Micros,
  claim: readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const at = after(before.modified, now);
  const targets = { before: before.targets, after: given.targets };
  const [health, changed] = await Promise.all([
    prepareHealth(table, org, before.number, targets, at),
    secret === undefined ? { writes: [] } : prepareSecret(table, org, before.number, secret, at),
  ]);
  // Only a deletion since `before` was read takes the secret away.
  if (!changed) return 'again';
  const action: ActionRecord = { ...before, ...given, modified: at, version: before.version + 1 };
  return table.transact<'again' | C>([
    ...claim,
    versionWrite(org, action),
    ...nameWrites(org, before, given.name),
    ...health,
    ...changed.writes,
  ]);
}

function nameWrites(org: OrganizationId, { kind, name, number }: ActionRecord, next: string): Write<'again'>[] {
  if (next === name) return [];
  return [
    { remove: actionNameKey(org, kind, name) },
    putIfAbsent({ ...actionNameKey(org, kind, next), v: 1, number }, again),
  ];
}

/** Ends an action: its name is free, its number stays taken, its secrets are forgotten. */
export const deleteAction = async <C>(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  now: Micros,
  claim: readonly Write<C>[],
): Promise<'done' | 'again' | C> => table.transact<'again' | C>([...claim, ...deletionWrites(org, before, now)]);

/** The writes that end an action, for a transaction that ends what it was about. */
export const deletionWrites = (org: OrganizationId, before: ActionRecord, now: Micros): Write<'again'>[] => [
  nextVersionWrite(org, before, now, { deleted: true }),
  { remove: actionNameKey(org, before.kind, before.name) },
  secretRemoval(org, before.number),
];

/** The next version of an action that was read, with some of it changed. */
export const nextVersionWrite = (
  org: OrganizationId,
  before: ActionRecord,
  now: Micros,
  changes: Partial<Pick<ActionRecord, 'deleted' | 'environments'>>,
): Write<'again'> =>
  versionWrite(org, { ...before, ...changes, modified: after(before.modified, now), version: before.version + 1 });

/** A version is written once: whoever finds it taken reads again. */
const versionWrite = (org: OrganizationId, action: ActionRecord): Write<'again'> =>
  putIfAbsent({ ...actionKey(org, action.number, action.version), v: 1, ...action }, again);
