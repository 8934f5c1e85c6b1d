import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { cursorFields, pageFields } from '#shared/http/query-fields.ts';
import { getVersioned, READ_RECALLS } from '#shared/signers/read-signers.ts';
import { unknownRecall } from '#shared/signers/rules/sentences.ts';
import { recordsPage, versionsPage } from '../record-pages.ts';
import { RecallOut, recallOut, unreadableRecall } from './recall-forms.ts';

const RECALLS = { readable: READ_RECALLS, what: 'recall', out: recallOut, unreadable: unreadableRecall };

/** GET /recalls/{org}: a page of recalls, by name (rules/verified-evidence.md#recalls). */
export const listRecalls = endpoint({
  operation: 'listRecalls',
  method: 'GET',
  path: '/recalls/{org}',
  summary: 'List the recalls of an organization',
  description:
    'By name, deleted ones too. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object(cursorFields('Recalls')),
  success: {
    200: z
      .object({
        recalls: z.array(RecallOut).meta({ description: 'The recalls of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'RecallsPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { headers, shown, next } = await recordsPage(RECALLS, request, stores);
    return { status: 200, headers, body: { recalls: shown, next_cursor: next } };
  },
});

/** GET /recalls/{org}/{name}: one recall, deleted or not (rules/verified-evidence.md#recalls). */
export const getRecall = endpoint({
  operation: 'getRecall',
  method: 'GET',
  path: '/recalls/{org}/{name}',
  summary: 'Get a recall',
  access: 'reader',
  success: { 200: RecallOut },
  errors: [unknownRecall],
  handler: async ({ params, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: recallOut(await getVersioned(READ_RECALLS, stores, org, params.name)),
  }),
});

/** GET …/versions: a page of the versions of a recall, the newest first (rules/verified-evidence.md#recalls). */
export const listRecallVersions = endpoint({
  operation: 'listRecallVersions',
  method: 'GET',
  path: '/recalls/{org}/{name}/versions',
  summary: 'List the versions of a recall',
  description: 'Newest first. Each version says all that the recall said after the change.',
  access: 'reader',
  query: z.object(pageFields({ perPage: 15 })),
  success: {
    200: flatPageSchema('versions', RecallOut, 'The versions of the page, newest first').meta({
      id: 'RecallVersionsPage',
    }),
  },
  errors: [unknownRecall],
  handler: (request, stores: Pick<Stores, 'table'>) => versionsPage(RECALLS, request, stores),
});
