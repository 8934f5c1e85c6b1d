import type { Cover } from '#shared/base/proofs/covers.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Write } from '#shared/table/table.ts';
import { actionSaved } from './action-audit.ts';
import { changeAction, createAction, type GivenAction } from './records/action-writes.ts';
import type { ActionRecord } from './rules/records.ts';
import { mintSecret } from './rules/signature.ts';

export type { GivenAction };

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
  const { org, caller } = by;
  const at = clock.now();
  const change = actionSaved(kind, before, given);
  let saved = 0;
  const others = (number: number, covers: readonly Cover[]): Write<'again'>[] => {
    saved = number;
    return [...authored(by, { ...change, covers }, number), ...guards];
  };
  const outcome = before
    ? await changeAction<'again'>(table, org.id, before, given, at, (covers) => others(before.number, covers))
    : await createAction<'again'>(
        table,
        org.id,
        kind,
        given,
        given.secret ?? mintSecret(),
        { at, by: caller.name },
        others,
      );
  return outcome === 'done' ? saved : outcome;
}
