import { ServiceError } from '#shared/base/errors.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Credential } from '#shared/callers/caller.ts';
import { ATTEST_USES, type AttestingServices } from '#shared/evidence/record-attestation.ts';
import { CHANGE_EXPECTATION } from '#shared/expectations/put-expectation.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { PUT_POLICY } from '#shared/policies/put-policy.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { endDraftWrites } from '../records/drafts.ts';
import { type Draft, expiryOf, type MadeByDraft, stateAt } from '../rules/draft.ts';
import { draftConfirmed, draftDiscarded, draftExpired, personConfirms } from '../rules/sentences.ts';
import type { DraftKind, DraftServices, MadeRecord } from './draft-kind.ts';
import { findDraft } from './read-drafts.ts';

/** What a discarded draft writes. */
export const DISCARD_DRAFT: Uses = { writes: ['DRAFT'], removes: ['DRAFT'] };

/** What a confirmed draft reads and writes: the draft, its audit entry, and what each kind may make. */
export const CONFIRM_DRAFT: Uses = usesTogether([
  DISCARD_DRAFT,
  { writes: ['AUDIT'] },
  ATTEST_USES,
  PUT_POLICY,
  CHANGE_EXPECTATION,
]);

/** Which draft, and how the caller signed in. */
interface Choice {
  id: string;
  credential: Pick<Credential, 'session'>;
}

/**
 * Makes the write that a draft proposes, with the rights of the person who confirms it, once
 * (rules/agents.md#confirm). The transaction of the write ends the draft, so a second confirmation makes nothing.
 *
 * @throws ServiceError `refused` for a caller without a session of a browser; `not-found` for a draft of another person; `gone` after
 *   an hour; `conflict` if the draft ended before, or if the record has changed; what the use case of the normal endpoint refuses
 */
export async function confirmDraft(
  services: AttestingServices,
  by: Author<MadeByDraft>,
  { id, credential }: Choice,
): Promise<MadeByDraft> {
  refuseAllButPeople(by, credential);
  const { draft, kind, asked } = await findOpenDraft(services, by, id);
  let last: MadeByDraft | undefined;
  const claim = (record: MadeRecord) => {
    const made = { ...record, page: kind.pageOf({ host: '', org: by.org }, asked, record) };
    last = made;
    return [...by.claim(made), ...confirmationWrites(by, draft, made)];
  };
  try {
    await kind.write(services, { ...by, claim }, asked, draft.basis);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'conflict') throw error;
    // Another confirmation can have come first. It changed the record too, so either condition can have refused this one.
    await findOpenDraft(services, by, id);
    throw error;
  }
  if (!last) throw new Error('A draft was confirmed without its writes');
  return last;
}

/** Ends a draft without a write. @throws ServiceError as {@link confirmDraft} does */
export async function discardDraft(
  services: Pick<DraftServices, 'table' | 'clock'>,
  by: Author<void>,
  { id, credential }: Choice,
): Promise<void> {
  refuseAllButPeople(by, credential);
  const { draft } = await findOpenDraft(services, by, id);
  const ended = { state: 'discarded' as const, at: by.receivedAt, by: by.caller.name, made: null };
  const outcome = await services.table.transact<'ended'>([
    ...by.claim(),
    ...endDraftWrites(by.org.id, draft, ended, () => 'ended' as const),
  ]);
  if (outcome === 'ended') await findOpenDraft(services, by, id);
}

/** A key can be the one that the agent itself has. */
function refuseAllButPeople({ caller }: Pick<Author, 'caller'>, { session }: Choice['credential']): void {
  if (caller.kind !== 'user' || !session) throw personConfirms();
}

/** @throws ServiceError that says why the draft cannot be ended any more */
async function findOpenDraft(
  services: Pick<DraftServices, 'table' | 'clock'>,
  by: Pick<Author, 'org' | 'caller'>,
  id: string,
): Promise<{ draft: Draft; kind: DraftKind; asked: never }> {
  const { draft, kind, asked } = await findDraft(services, by, id);
  refuseEnded(draft);
  if (stateAt(draft, services.clock.now()) === 'expired') throw draftExpired({ at: timeText(expiryOf(draft)) });
  return { draft, kind, asked };
}

function refuseEnded({ ended }: Draft): void {
  if (!ended) return;
  const who = { by: ended.by, at: timeText(ended.at) };
  throw ended.made ? draftConfirmed({ ...who, made: madeText(ended.made) }) : draftDiscarded(who);
}

const madeText = ({ type, name, version, page }: MadeByDraft): string =>
  `${version === null ? '' : `version ${version} of `}the ${type} ${name}: ${page}`;

/** Returns the writes that end a draft together with what it makes. They throw if it ended since it was read. */
function confirmationWrites(by: Author<MadeByDraft>, draft: Draft, made: MadeByDraft) {
  const { org, caller, receivedAt } = by;
  const ended = { state: 'confirmed' as const, at: receivedAt, by: caller.name, made };
  const refused = () => {
    throw changedMeanwhile({ what: draft.subject });
  };
  return [
    ...endDraftWrites(org.id, draft, ended, refused),
    auditOf(by, {
      kind: 'draft.confirmed',
      subject: { type: 'draft', id: draft.id, name: draft.subject },
      after: { kind: draft.kind, made, drafted_by: draft.by.name, agent: draft.agent },
    }),
  ];
}
