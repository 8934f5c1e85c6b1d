import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { cursorFields, pageFields } from '#shared/http/query-fields.ts';
import { showPublicRoot } from '#shared/signers/public-root/show-public-root.ts';
import { getVersioned, READ_ROOTS } from '#shared/signers/read-signers.ts';
import { PUBLIC_ROOT } from '#shared/signers/rules/records.ts';
import { unknownRoot } from '#shared/signers/rules/sentences.ts';
import { recordsPage, versionsPage } from './record-pages.ts';
import { publicRootOut, TrustRootOut, trustRootOut, unreadableRoot } from './trust-root-forms.ts';

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

/**
 * GET /trust-roots/{org}/{name}: one trust root, deleted or not (rules/verified-evidence.md#stored-trust-roots), or the public one
 * (rules/verified-evidence.md#refresh).
 */
export const getTrustRoot = endpoint({
  operation: 'getTrustRoot',
  method: 'GET',
  path: '/trust-roots/{org}/{name}',
  summary: 'Get a trust root',
  description: '`sigstore-public` is the public root that verifies now, or one that did.',
  access: 'reader',
  query: z.object({
    digest: z
      .string()
      .regex(/^[a-f0-9]{64}$/)
      .optional()
      .describe('Only with `sigstore-public`: SHA-256 of the public root, as a `verification` names it'),
  }),
  success: { 200: TrustRootOut },
  errors: [unknownRoot],
  handler: async ({ params, query, org }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { digest } = query;
    if (params.name !== PUBLIC_ROOT) {
      if (digest !== undefined) throw invalidField('digest', 'Only the public root is read by its digest', digest);
      return { status: 200, body: trustRootOut(await getVersioned(READ_ROOTS, stores, org, params.name)) };
    }
    const root = await showPublicRoot(stores, digest);
    if (!root) throw unknownRoot({ root: `${PUBLIC_ROOT}?digest=${digest}`, org: org.name });
    return { status: 200, body: publicRootOut(root) };
  },
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
