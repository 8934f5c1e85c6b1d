import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type Covering, lineOf } from '#shared/bodies/covered-lines.ts';
import { absent, change, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type ActionRecord, SHOWN_ACTION, type Target } from '../rules/records.ts';
import { newSecretWrite, prepareSecret, secretRemoval } from './action-secrets.ts';
import {
  actionCounterKey,
  actionKey,
  actionNameKey,
  currentActionKey,
  notifiedOrganizationKey,
  targetHealthKey,
} from './keys.ts';
import { prepareHealth } from './target-health.ts';

/** The content of an action as a save gives it. */
export interface GivenAction {
  name: string;
  triggers: ActionRecord['triggers'];
  /** Ids; empty = every flow. */
  flows: FlowId[];
  environments: EnvironmentId[];
  targets: Target[];
  /** The signing secret that a target of the request brought; undefined keeps the current one. */
  secret?: string | undefined;
}

/** Who saves an action, and when. */
interface ActionStamp {
  at: Micros;
  by: string;
}

/**
 * Creates an action under the organization's next number. Both kinds share the numbers; there are no gaps, and no
 * number is used twice (`rules/notifications.md#kinds-and-numbers`).
 * @param secret signs the webhooks of the action
 * @param claim returns the request's idempotency claim for the number of the action, which is the first write, so that its
 *   refusal decides the outcome, and the audit entry
 * @returns `again` if another writer was faster, or what the refused claim returns
 */
export async function createAction<C>(
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  { secret: _, ...given }: GivenAction,
  secret: string,
  { at, by }: ActionStamp,
  claim: (number: number, covers: readonly Cover[]) => readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const counter = await table.get(actionCounterKey(org));
  const last = Number(counter?.['last'] ?? 0);
  const number = last + 1;
  const action: ActionRecord = {
    ...given,
    number,
    kind,
    by,
    created: at,
    modified: at,
    version: 1,
    deleted: false,
  };
  return table.transact<'again' | C>([
    ...claim(number, [actionCover(action)]),
    {
      put: { ...actionCounterKey(org), v: 1, last: number },
      ...onlyIf(either(absent(), equal({ last }))),
      refused: again,
    },
    ...versionWrites(org, action),
    putIfAbsent({ ...actionNameKey(org, kind, given.name), v: 1, number }, again),
    newSecretWrite(org, number, secret),
    {
      // The sweeps check the events of an organization from its first action on, and no earlier ones.
      update: notifiedOrganizationKey(org),
      ...change({ set: { v: 1 }, setOnce: { since: at } }),
    },
  ]);
}

/**
 * Replaces the content of an action. Its number, creator and time of creation stay (`rules/notifications.md#saving`).
 * Targets that the action did not have before start with fresh health, and disabled targets are enabled
 * (`rules/notifications.md#health-after-a-save`).
 * @param before the version that was read
 * @returns `again` if another writer was faster or another action of the kind has the new name, or what the refused
 *   claim returns
 */
export async function changeAction<C>(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  { secret, ...given }: GivenAction,
  now: Micros,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const at = after(before.modified, now);
  const targets = { before: before.targets, after: given.targets };
  const [health, changed] = await Promise.all([
    prepareHealth(table, org, before.number, targets, at),
    secret === undefined ? { writes: [] } : prepareSecret(table, org, before.number, secret, at),
  ]);
  // The secret is missing only if the action was deleted after `before` was read.
  if (!changed) return 'again';
  const action: ActionRecord = { ...before, ...given, modified: at, version: before.version + 1 };
  return table.transact<'again' | C>([
    ...others([actionCover(action)]),
    ...versionWrites(org, action),
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

/**
 * Deletes an action: frees its name, keeps its number taken, removes its secrets (`rules/notifications.md#deleting`).
 * @returns as {@link createAction}
 */
export async function deleteAction<C>(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  now: Micros,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const { writes, covers } = deletionOf(org, before, now);
  return table.transact<'again' | C>([...others(covers), ...writes]);
}

/** The writes of a change of an action, and what they leave behind (rules/organizations.md#covers). */
interface ActionWrites {
  writes: Write<'again'>[];
  covers: Cover[];
}

/** Deletes an action, for a transaction that archives the last environment of a notification. */
export function deletionOf(org: OrganizationId, before: ActionRecord, now: Micros): ActionWrites {
  const { writes, covers } = nextVersion(org, before, now, { deleted: true });
  return {
    covers,
    writes: [
      ...writes,
      { remove: actionNameKey(org, before.kind, before.name) },
      secretRemoval(org, before.number),
      ...before.targets.map(({ key }) => ({ remove: targetHealthKey(org, before.number, key) })),
    ],
  };
}

/** Makes an action's next version: the version that was read, with some changes. */
export function nextVersion(
  org: OrganizationId,
  before: ActionRecord,
  now: Micros,
  changes: Partial<Pick<ActionRecord, 'deleted' | 'environments'>>,
): ActionWrites {
  const next = { ...before, ...changes, modified: after(before.modified, now), version: before.version + 1 };
  return { writes: versionWrites(org, next), covers: [actionCover(next)] };
}

/** Every version of an action is a record of its own. */
const actionCover = (action: ActionRecord): Cover => coverOf('actions/action', undefined, lineOf(SHOWN_ACTION, action));

/**
 * A version is written only once. If another writer has written this version number, the caller reads again. Lists read a
 * copy of the newest version.
 */
function versionWrites(org: OrganizationId, action: ActionRecord): Write<'again'>[] {
  const current = currentActionKey(org, action.number);
  return [
    putIfAbsent({ ...actionKey(org, action.number, action.version), v: 1, ...action }, again),
    action.deleted ? { remove: current } : { put: { ...current, v: 1, ...action } },
  ];
}
