import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { newControlWrites, prepareControl } from './records/control-writes.ts';
import type { Control, ControlContent } from './records/controls.ts';
import { type GivenRequirements, resolveRequirements } from './resolve-requirements.ts';
import { shownRequirements } from './rules/requirements.ts';
import { controlExists } from './rules/sentences.ts';

/** What creating a control writes. */
export const CREATE_CONTROL: Uses = { writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'], bucket: ['bodies:write'] };

/**
 * Creates a control with version 1 (rules/controls.md#create).
 *
 * @throws ServiceError `conflict` if a control has the identifier, even an archived one; `invalid` if it names a flow that is not there
 */
export async function createControl(
  { table, objects, clock }: Stores,
  by: Author<Control>,
  identifier: string,
  content: ControlContent,
  given: GivenRequirements = {},
): Promise<Control> {
  const { org, caller } = by;
  const { requires } = await resolveRequirements(table, org, given);
  const body = prepareControl(objects, org.id, identifier, content);
  await body.upload();
  const version = { status: 'created', content, body, requires, at: clock.now(), by: caller.name } as const;
  const { head, covers, writes } = newControlWrites(org.id, identifier, version, () => 'taken' as const);
  const control = { head, content, tags: {} };
  const created = {
    kind: 'control.created',
    subject: { type: 'control', id: head.id, name: identifier },
    after: { ...content, ...shownRequirements(head) },
    covers,
  } as const;
  const outcome = await table.transact([...authored(by, created, control), ...writes]);
  if (outcome === 'taken') throw controlExists({ control: identifier, org: org.name });
  return control;
}
