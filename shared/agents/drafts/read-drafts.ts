import { ServiceError } from '#shared/base/errors.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readDraft, readOpenDrafts } from '../records/drafts.ts';
import { type Draft, type DraftState, isFor, type OpenDraft, stateAt } from '../rules/draft.ts';
import { draftNotFound } from '../rules/sentences.ts';
import type { DraftChange, DraftKind, DraftServices } from './draft-kind.ts';
import { DRAFTABLE } from './kinds/all.ts';

/** What reading drafts uses. */
export const READ_DRAFT: Uses = READ_BODIES;

type Reader = Pick<Author, 'org' | 'caller' | 'receivedAt'>;

/** A draft as a person reads it before the decision. */
export interface ReadDraft {
  draft: Draft;
  kind: DraftKind;
  /** What was asked, for the functions of `kind`. */
  asked: never;
  state: DraftState;
  /** What it would change now; none if it ended. */
  changes: readonly DraftChange[];
  /** Why it cannot be confirmed although it is open: the record changed, or the write would be refused. */
  problem: string | null;
}

/**
 * Reads a draft, and compares it with the present records (rules/agents.md#drafts).
 *
 * @throws ServiceError `not-found` if there is no such draft, or if it is for another person
 */
export async function getDraft(services: DraftServices, reader: Reader, id: string): Promise<ReadDraft> {
  const read = await findDraft(services, reader, id);
  if (read.state !== 'open') return { ...read, changes: [], problem: null };
  const { draft, kind, asked } = read;
  try {
    const { basis, changes } = await kind.look(services, reader, asked);
    const hasChanged = basis !== draft.basis;
    return { ...read, changes, problem: hasChanged ? changedMeanwhile({ what: draft.subject }).message : null };
  } catch (error) {
    // What would refuse the write now is what the reader has to know.
    if (!(error instanceof ServiceError)) throw error;
    return { ...read, changes: [], problem: error.message };
  }
}

/** Reads a draft that the caller sees. @throws ServiceError `not-found` as {@link getDraft} does */
export async function findDraft(
  { table, clock }: Pick<DraftServices, 'table' | 'clock'>,
  { org, caller }: Pick<Reader, 'org' | 'caller'>,
  id: string,
): Promise<Omit<ReadDraft, 'changes' | 'problem'>> {
  const draft = await readDraft(table, org.id, id);
  if (!draft || !isFor(draft, caller)) throw draftNotFound();
  const kind = DRAFTABLE[draft.kind];
  return { draft, kind, asked: kind.schema.parse(JSON.parse(draft.request)), state: stateAt(draft, clock.now()) };
}

/** Lists the open drafts that the caller sees, the newest first. */
export async function listDrafts(
  { table, clock }: Pick<DraftServices, 'table' | 'clock'>,
  { org, caller }: Pick<Reader, 'org' | 'caller'>,
): Promise<OpenDraft[]> {
  const open = await readOpenDrafts(table, org.id, clock.now());
  return open.filter((draft) => isFor(draft, caller));
}
