import { newId } from '#shared/base/ids.ts';
import { addIllFormed, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Author } from '#shared/callers/author.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import type { Uses } from '#shared/table/uses.ts';
import { newDraftWrites, readOpenDrafts } from '../records/drafts.ts';
import { type Draft, type DraftKindName, MOST_OPEN, type OpenDraft } from '../rules/draft.ts';
import { readerDraftsNothing, tooManyDrafts, tooManyDraftsOfAll } from '../rules/sentences.ts';
import type { DraftChange, DraftServices } from './draft-kind.ts';
import { DRAFTABLE } from './kinds/all.ts';

/** What making a draft reads and writes. */
export const MAKE_DRAFT: Uses = { ...READ_BODIES, writes: ['DRAFT'] };

/** Who drafts: the caller, and the agent as it names itself. */
interface Drafting extends Pick<Author, 'org' | 'caller' | 'receivedAt'> {
  role: Role;
  /** Null if the agent states no name. */
  agent: string | null;
}

/**
 * Stores what an agent proposes (rules/agents.md#drafts). Nothing of it is evidence: a person confirms it within an hour, or it ends.
 *
 * @param asked what the schema of the kind accepts
 * @throws ServiceError what the normal endpoint would refuse; `refused` if the caller is a person whose role could not confirm;
 *   `conflict` if there are too many drafts
 */
export async function makeDraft(
  services: DraftServices,
  { role, agent, ...by }: Drafting,
  kind: DraftKindName,
  asked: object,
): Promise<{ draft: Draft; changes: readonly DraftChange[] }> {
  const { org, caller } = by;
  if (caller.kind === 'user' && !mayAs(role, 'member')) throw readerDraftsNothing();
  refuseIllFormed(asked);
  const now = services.clock.now();
  const { look, subjectOf } = DRAFTABLE[kind];
  // The schema of the same kind parsed what is asked.
  const parsed = asked as never;
  const [{ basis, changes }, open] = await Promise.all([
    look(services, by, parsed),
    readOpenDrafts(services.table, org.id, now),
  ]);
  refuseTooMany(open, by);
  const draft: Draft = {
    v: 1,
    id: newId(now),
    kind,
    subject: subjectOf(parsed),
    request: JSON.stringify(asked),
    basis,
    by: { kind: caller.kind, id: caller.id, name: caller.name },
    agent,
    at: now,
  };
  await services.table.transact(newDraftWrites(org.id, draft));
  return { draft, changes };
}

/** A message of an agent is no body of an endpoint, which refuses such texts itself (rules/requests.md#well-formed-text). */
function refuseIllFormed(asked: object): void {
  const errors = noErrors();
  addIllFormed(asked, { whole: 'arguments' }, errors);
  refuseIfAny(errors);
}

function refuseTooMany(open: readonly OpenDraft[], { caller }: Pick<Author, 'caller'>): void {
  const { length: own } = open.filter(({ by }) => by.id === caller.id);
  if (own >= MOST_OPEN.ofCaller) throw tooManyDrafts({ count: own });
  if (open.length >= MOST_OPEN.ofOrganization) throw tooManyDraftsOfAll({ count: open.length });
}
