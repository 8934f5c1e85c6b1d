import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type AuditedChange, type AuditFacts, authored } from '#shared/organizations/records/audit.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changedAction, deletionOf, type GivenAction, newAction } from './records/action-writes.ts';
import { findAction } from './records/actions.ts';
import type { ActionRecord, Target } from './rules/records.ts';
import { actionNotFound } from './rules/sentences.ts';

export type { GivenAction };

export const DELETE_ACTION: Uses = {
  writes: ['ACTION', 'AUDIT'],
  removes: ['ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
};

/** Names an action. Both kinds share the numbers (rules/notifications.md#kinds-and-numbers). */
export interface ActionPlace {
  number: number;
  /** The kind that the action must have; either without it. */
  kind?: ActionRecord['kind'];
}

/**
 * Reads the newest version of an action.
 *
 * @throws ServiceError `not-found` if there is no such action, also if it has another kind
 */
export async function presentAction(
  table: Table,
  org: Pick<Organization, 'id'>,
  { number, kind }: ActionPlace,
): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (!action || (kind !== undefined && action.kind !== kind)) throw actionNotFound();
  return action;
}

/** A save of an action. */
interface ActionSave {
  kind: ActionRecord['kind'];
  /** The action that gets the content; null for a new one. */
  before: ActionRecord | null;
  given: GivenAction;
  /** Conditions that the transaction has besides its own. */
  guards?: readonly Write<'again'>[];
}

/**
 * Makes the transaction that creates an action or replaces its content (rules/notifications.md#saving).
 *
 * @returns the number of the action; `again` if another writer was faster
 */
export async function saveAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<number>,
  { kind, before, given, guards = [] }: ActionSave,
): Promise<number | 'again'> {
  const at = clock.now();
  const version = before
    ? await changedAction(table, by.org.id, before, given, at)
    : await newAction(table, by.org.id, kind, given, { at, by: by.caller.name });
  if (version === 'again') return version;
  const { number, writes, covers } = version;
  const saved = { ...actionSaved(kind, before, given), covers };
  const outcome = await table.transact<'again'>([...authored(by, saved, number), ...guards, ...writes]);
  return outcome === 'done' ? number : outcome;
}

/** Deletes an action (rules/notifications.md#deleting). @throws ServiceError `not-found` */
export async function deleteAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  place: ActionPlace,
) {
  await retrying(async () => {
    const action = await presentAction(table, by.org, place);
    const { writes, covers } = deletionOf(by.org.id, action, clock.now());
    return table.transact<'again'>([...authored(by, { ...actionDeleted(action), covers }), ...writes]);
  });
}

/** The content of an action that the audit log shows. */
type AuditedContent = Pick<ActionRecord, 'name' | 'triggers' | 'flows' | 'environments'> & {
  targets: readonly Target[];
};

/** Addresses of targets are left out, because everybody who knows the address of a chat channel can write to it. */
const factsOf = ({ name, triggers, flows, environments, targets }: AuditedContent): AuditFacts => ({
  name,
  triggers,
  flows,
  environments,
  targets: targets.map(({ type }) => type),
});

const subjectOf = ({ kind, number, name }: Pick<ActionRecord, 'kind' | 'name'> & { number?: number }) => ({
  type: kind === 'flow' ? 'action' : 'environment_notification',
  ...(number !== undefined && { id: String(number) }),
  name,
});

/** The audit entry of a save. @param before the action before the save; null or undefined for a new action */
const actionSaved = (
  kind: ActionRecord['kind'],
  before: ActionRecord | null | undefined,
  given: AuditedContent & { secret?: string | undefined },
): AuditedChange => ({
  kind: before ? 'action.changed' : 'action.created',
  subject: subjectOf(before ?? { kind, name: given.name }),
  ...(before && { before: factsOf(before) }),
  after: { ...factsOf(given), ...(given.secret !== undefined && { secret_given: true }) },
});

/** The audit entry of a deletion. */
const actionDeleted = (before: ActionRecord): AuditedChange => ({
  kind: 'action.deleted',
  subject: subjectOf(before),
  before: factsOf(before),
});

/** The audit entry of a rotation. It never holds a secret. */
export const secretRotated = (action: ActionRecord): AuditedChange => ({
  kind: 'action.secret_rotated',
  subject: subjectOf(action),
});
