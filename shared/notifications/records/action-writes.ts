import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { absent, change, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type ActionRecord, SHOWN_ACTION, type Target } from '../rules/records.ts';
import { mintSecret } from '../rules/signature.ts';
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

/** The next version of an action: its writes, and what they leave behind (rules/organizations.md#covers). */
interface ActionVersion {
  number: number;
  /** They are refused with `again` if another writer was faster, or if another action of the kind has the name. */
  writes: Write<'again'>[];
  covers: Cover[];
}

/**
 * Makes the first version of an action under the organization's next number. Both kinds share the numbers; there are no
 * gaps, and no number is used twice (`rules/notifications.md#kinds-and-numbers`).
 */
export async function newAction(
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  { secret = mintSecret(), ...given }: GivenAction,
  { at, by }: { at: Micros; by: string },
): Promise<ActionVersion> {
  const counter = await table.get(actionCounterKey(org));
  const last = Number(counter?.['last'] ?? 0);
  const number = last + 1;
  const first = { ...given, number, kind, by, created: at, modified: at, version: 1, deleted: false };
  const { writes, covers } = versionOf(org, first);
  return {
    number,
    covers,
    writes: [
      {
        put: { ...actionCounterKey(org), v: 1, last: number },
        ...onlyIf(either(absent(), equal({ last }))),
        refused: again,
      },
      ...writes,
      putIfAbsent({ ...actionNameKey(org, kind, given.name), v: 1, number }, again),
      newSecretWrite(org, number, secret),
      // The sweeps check the events of an organization from its first action on, and no earlier ones.
      { update: notifiedOrganizationKey(org), ...change({ set: { v: 1 }, setOnce: { since: at } }) },
    ],
  };
}

/**
 * Makes the version that replaces the content of an action. Its number, creator and time of creation stay
 * (`rules/notifications.md#saving`). Targets that the action did not have before start with fresh health, and disabled
 * targets are enabled (`rules/notifications.md#health-after-a-save`).
 * @returns `again` if the action was deleted after `before` was read
 */
export async function changedAction(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  { secret, ...given }: GivenAction,
  now: Micros,
): Promise<ActionVersion | 'again'> {
  const at = after(before.modified, now);
  const targets = { before: before.targets, after: given.targets };
  const [health, changed] = await Promise.all([
    prepareHealth(table, org, before.number, targets, at),
    secret === undefined ? { writes: [] } : prepareSecret(table, org, before.number, secret, at),
  ]);
  if (!changed) return 'again';
  const version = nextVersion(org, before, now, given);
  const names = nameWrites(org, before, given.name);
  return { ...version, writes: [...version.writes, ...names, ...health, ...changed.writes] };
}

function nameWrites(org: OrganizationId, { kind, name, number }: ActionRecord, next: string): Write<'again'>[] {
  if (next === name) return [];
  return [
    { remove: actionNameKey(org, kind, name) },
    putIfAbsent({ ...actionNameKey(org, kind, next), v: 1, number }, again),
  ];
}

/** Makes the last version of an action: frees its name, keeps its number taken, removes its secrets (`rules/notifications.md#deleting`). */
export function deletionOf(org: OrganizationId, before: ActionRecord, now: Micros): ActionVersion {
  const version = nextVersion(org, before, now, { deleted: true });
  return {
    ...version,
    writes: [
      ...version.writes,
      { remove: actionNameKey(org, before.kind, before.name) },
      secretRemoval(org, before.number),
      ...before.targets.map(({ key }) => ({ remove: targetHealthKey(org, before.number, key) })),
    ],
  };
}

/** Makes an action's next version: the version that was read, with some changes. */
export const nextVersion = (
  org: OrganizationId,
  before: ActionRecord,
  now: Micros,
  changes: Partial<ActionRecord>,
): ActionVersion =>
  versionOf(org, { ...before, ...changes, modified: after(before.modified, now), version: before.version + 1 });

/**
 * A version is written only once. If another writer has written this version number, the caller reads again. Lists read a
 * copy of the newest version. Every version of an action is a record of its own in exports.
 */
function versionOf(org: OrganizationId, action: ActionRecord): ActionVersion {
  const { number, version, deleted } = action;
  const current = currentActionKey(org, number);
  return {
    number,
    covers: [coverOf('actions/action', undefined, lineOf(SHOWN_ACTION, action))],
    writes: [
      putIfAbsent({ ...actionKey(org, number, version), v: 1, ...action }, again),
      deleted ? { remove: current } : { put: { ...current, v: 1, ...action } },
    ],
  };
}
