import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { cursorFields, pageFields } from '#shared/http/query-fields.ts';
import { getVersioned, READ_ROOTS } from '#shared/signers/read-signers.ts';
import { unknownRoot } from '#shared/signers/rules/sentences.ts';
import { recordsPage, versionsPage } from './record-pages.ts';
import { TrustRootOut, trustRootOut, unreadableRoot } from './trust-root-forms.ts';

const TRUST_ROOTS = { readable: READ_ROOTS, what: 'trust root', out: trustRootOut, unreadable: unreadableRoot };

/** GET /trust-roots/{org}: a page of trust roots, by name (rules/verified-evidence.md#stored-trust-roots). */
export const listTrustRoots = endpoint({
  operation: 'listTrustRoots',
  method: 'GET',
  path: '/trust-roots/{org}',
  summary: 'List the trust roots of an organization',
  description:
    'By name, deleted ones too. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object(cursorFields('Trust roots')),
  success: {
    200: z
      .object({
        trust_roots: z.array(TrustRootOut).meta({ description: 'The trust roots of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'TrustRootsPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { headers, shown, next } = await recordsPage(TRUST_ROOTS, request, stores);
    return { status: 200, headers, body: { trust_roots: shown, next_cursor: next } };
  },
});

/** GET /trust-roots/{org}/{name}: one trust root, deleted or not (rules/verified-evidence.md#stored-trust-roots). */
export const getTrustRoot = endpoint({
  operation: 'getTrustRoot',
  method: 'GET',
  path: '/trust-roots/{org}/{name}',
  summary: 'Get a trust root',
  access: 'reader',
  success: { 200: TrustRootOut },
  errors: [unknownRoot],
  handler: async ({ params, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: trustRootOut(await getVersioned(READ_ROOTS, stores, org, params.name)),
  }),
});

/** GET …/versions: a page of the versions of a trust root, the newest first (rules/verified-evidence.md#stored-trust-roots). */
export const listTrustRootVersions = endpoint({
  operation: 'listTrustRootVersions',
  method: 'GET',
  path: '/trust-roots/{org}/{name}/versions',
  summary: 'List the versions of a trust root',
  description: 'Newest first. Each version says all that the trust root said after the change.',
  access: 'reader',
  query: z.object(pageFields({ perPage: 15 })),
  success: {
    200: flatPageSchema('versions', TrustRootOut, 'The versions of the page, newest first').meta({
      id: 'TrustRootVersionsPage',
    }),
  },
  errors: [unknownRoot],
  handler: (request, stores: Pick<Stores, 'table'>) => versionsPage(TRUST_ROOTS, request, stores),
});
