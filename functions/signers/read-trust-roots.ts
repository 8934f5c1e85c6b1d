import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders, flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { cursorFields, pageFields, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import {
  getVersioned,
  listVersioned,
  listVersions,
  READ_ROOTS,
  readVersionedCursor,
} from '#shared/signers/read-signers.ts';
import { unknownRoot } from '#shared/signers/rules/sentences.ts';
import { TrustRootOut, trustRootOut, unreadableRoot } from './trust-root-forms.ts';

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
    const { org, query } = request;
    const after = placeBefore(query.cursor, (given) => readVersionedCursor(READ_ROOTS.list, org.id, given));
    const page = await listVersioned(READ_ROOTS, stores, org.id, { after, limit: query.per_page });
    const shown = page.records.map((one) => {
      if (!('unreadable' in one)) return trustRootOut(one);
      logUnreadable('signers', request, `trust root ${one.name}`, one.unreadable);
      return unreadableRoot(one);
    });
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: { trust_roots: shown, next_cursor: page.next },
    };
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
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { params, query, org } = request;
    const page = { page: query.page, perPage: query.per_page };
    const { total, versions } = await listVersions(READ_ROOTS, stores, org, { name: params.name, ...page });
    const items = versions.map((one) => {
      if (!('unreadable' in one)) return trustRootOut(one);
      logUnreadable('signers', request, `version ${one.version} of trust root ${one.name}`, one.unreadable);
      return unreadableRoot(one);
    });
    const shown = { ...page, total, items };
    return pageAnswer(request, shown, flatPage('versions', request, shown));
  },
});
