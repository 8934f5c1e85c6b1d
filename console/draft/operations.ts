import type { confirmDraft as confirm, discardDraft as discard } from '#functions/drafts/end-draft.ts';
import type { getDraft, listDrafts } from '#functions/drafts/read-drafts.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on drafts of agents. */
export const drafts = operation<typeof listDrafts>()('GET', '/drafts/{org}', 'reader');
export const draft = operation<typeof getDraft>()('GET', '/drafts/{org}/{draft_id}', 'reader');
export const confirmDraft = operation<typeof confirm>()('POST', '/drafts/{org}/{draft_id}/confirm', 'member');
export const discardDraft = operation<typeof discard>()('DELETE', '/drafts/{org}/{draft_id}', 'member');

export type Draft = AnswerOf<typeof getDraft>;
export type OpenDraft = AnswerOf<typeof listDrafts>['drafts'][number];
