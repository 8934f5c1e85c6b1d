import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { cursorFields, pageFields } from '#shared/http/query-fields.ts';
import { getVersioned, READ_SIGNERS } from '#shared/signers/read-signers.ts';
import { unknownSigner } from '#shared/signers/rules/sentences.ts';
import { recordsPage, versionsPage } from './record-pages.ts';
import { SignerOut, signerOut, unreadableSigner } from './signer-forms.ts';

const SIGNERS = { readable: READ_SIGNERS, what: 'signer', out: signerOut, unreadable: unreadableSigner };

/** GET /signers/{org}: a page of signers, by name (rules/verified-evidence.md#signers). */
export const listSigners = endpoint({
  operation: 'listSigners',
  method: 'GET',
  path: '/signers/{org}',
  summary: 'List the signers of an organization',
  description:
    'By name, deleted ones too. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object(cursorFields('Signers')),
  success: {
    200: z
      .object({
        signers: z.array(SignerOut).meta({ description: 'The signers of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'SignersPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { headers, shown, next } = await recordsPage(SIGNERS, request, stores);
    return { status: 200, headers, body: { signers: shown, next_cursor: next } };
  },
});

/** GET /signers/{org}/{name}: one signer, deleted or not (rules/verified-evidence.md#signers). */
export const getSigner = endpoint({
  operation: 'getSigner',
  method: 'GET',
  path: '/signers/{org}/{name}',
  summary: 'Get a signer',
  access: 'reader',
  success: { 200: SignerOut },
  errors: [unknownSigner],
  handler: async ({ params, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: signerOut(await getVersioned(READ_SIGNERS, stores, org, params.name)),
  }),
});

/** GET …/versions: a page of the versions of a signer, the newest first (rules/verified-evidence.md#signers). */
export const listSignerVersions = endpoint({
  operation: 'listSignerVersions',
  method: 'GET',
  path: '/signers/{org}/{name}/versions',
  summary: 'List the versions of a signer',
  description: 'Newest first. Each version says all that the signer said after the change.',
  access: 'reader',
  query: z.object(pageFields({ perPage: 15 })),
  success: {
    200: flatPageSchema('versions', SignerOut, 'The versions of the page, newest first').meta({
      id: 'SignerVersionsPage',
    }),
  },
  errors: [unknownSigner],
  handler: (request, stores: Pick<Stores, 'table'>) => versionsPage(SIGNERS, request, stores),
});
