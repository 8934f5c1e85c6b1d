import * as z from 'zod';
import type { DraftServices } from '#shared/agents/drafts/draft-kind.ts';
import { getDraft as get, listDrafts as list, READ_DRAFT } from '#shared/agents/drafts/read-drafts.ts';
import { draftNotFound } from '#shared/agents/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { DraftOut, draftOut, OpenDraftOut, openDraftOut } from './draft-forms.ts';

/** GET /drafts/{org}: the open drafts that the caller sees, newest first (rules/agents.md#who-confirms). */
export const listDrafts = endpoint({
  operation: 'listDrafts',
  method: 'GET',
  path: '/drafts/{org}',
  summary: 'List the open drafts of agents that you can see, newest first',
  description: 'Those that you drafted, and those of service accounts. An organization has at most about 100.',
  access: 'reader',
  success: {
    200: z
      .object({ drafts: z.array(OpenDraftOut).meta({ description: 'The drafts, newest first' }) })
      .meta({ id: 'OpenDrafts' }),
  },
  handler: async (request, services: Pick<DraftServices, 'table' | 'clock'>) => {
    const drafts = await list(services, request);
    return { status: 200, body: { drafts: drafts.map((draft) => openDraftOut(draft, request)) } };
  },
});

/** GET /drafts/{org}/{draft_id}: what a draft would write, beside what is there now (rules/agents.md#drafts). */
export const getDraft = endpoint({
  operation: 'getDraft',
  method: 'GET',
  path: '/drafts/{org}/{draft_id}',
  summary: 'Get a draft of an agent, with what it would change',
  description: 'A draft of a person is there for this person only. A draft is removed a day after its hour is over.',
  access: 'reader',
  success: { 200: DraftOut },
  errors: [draftNotFound],
  uses: READ_DRAFT,
  handler: async (request, services: DraftServices) => {
    const read = await get(services, request, request.params.draft_id);
    return { status: 200, body: draftOut(read, request) };
  },
});
