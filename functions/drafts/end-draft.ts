import * as z from 'zod';
import type { DraftServices } from '#shared/agents/drafts/draft-kind.ts';
import {
  CONFIRM_DRAFT,
  confirmDraft as confirm,
  DISCARD_DRAFT,
  discardDraft as discard,
} from '#shared/agents/drafts/end-draft.ts';
import type { MadeByDraft } from '#shared/agents/rules/draft.ts';
import {
  draftConfirmed,
  draftDiscarded,
  draftExpired,
  draftNotFound,
  personConfirms,
} from '#shared/agents/rules/sentences.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import type { AttestingServices } from '#shared/evidence/record-attestation.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk, answerWrite } from '#shared/http/written.ts';
import { MadeOut, madeOut } from './draft-forms.ts';

const ENDED = [draftNotFound, draftExpired, draftConfirmed, draftDiscarded, personConfirms];

/** POST /drafts/{org}/{draft_id}/confirm: makes the write, once (rules/agents.md#confirm). */
export const confirmDraft = endpoint({
  operation: 'confirmDraft',
  method: 'POST',
  path: '/drafts/{org}/{draft_id}/confirm',
  summary: 'Confirm a draft of an agent: make the write that it proposes',
  description:
    'Takes a session of a browser and no key. The write is that of the endpoint that `request` of the draft names, with your rights. It is refused once the record that it would change has changed.',
  access: 'member',
  success: { 200: MadeOut },
  errors: [...ENDED, changedMeanwhile],
  uses: CONFIRM_DRAFT,
  handler: (request, services: AttestingServices) =>
    answerWrite(
      request,
      (by) => confirm(services, by, { id: request.params.draft_id, credential: request.credential }),
      (made: MadeByDraft) => ({ status: 200, body: madeOut(made, request) }),
    ),
});

/** DELETE /drafts/{org}/{draft_id}: ends a draft without a write (rules/agents.md#confirm). */
export const discardDraft = endpoint({
  operation: 'discardDraft',
  method: 'DELETE',
  path: '/drafts/{org}/{draft_id}',
  summary: 'Discard a draft of an agent',
  description: 'Takes a session of a browser and no key.',
  access: 'member',
  success: { 200: z.literal('OK') },
  errors: ENDED,
  uses: DISCARD_DRAFT,
  handler: (request, services: Pick<DraftServices, 'table' | 'clock'>) =>
    answerOk(request, (by) => discard(services, by, { id: request.params.draft_id, credential: request.credential })),
});
