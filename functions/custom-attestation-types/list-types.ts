import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listTypes as list, listTypeOutlines } from '#shared/evidence/types/read-types.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { booleanField, integerField } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { ShortTypeOut, shortTypeOut, TypeOut, typeOut, unreadableType } from './type-output.ts';

const DEFAULT_PAGE = { page: 1, per_page: 20 };

/** GET /custom-attestation-types/{org}: the types of the organization, by name (rules/attestations.md#list-types). */
export const listTypes = endpoint({
  operation: 'listCustomAttestationTypes',
  method: 'GET',
  path: '/custom-attestation-types/{org}',
  summary: 'List the custom attestation types of an organization',
  description:
    'An array, sorted by name: of all types, or of one page if `page` or `per_page` is given. It has archived types only if `archived` is true.',
  access: 'reader',
  row: 18,
  query: z.object({
    archived: booleanField().default(false).meta({ description: 'Whether to include archived types' }),
    search: z
      .string()
      .default('')
      .meta({ description: 'Only types whose name contains this text, in upper or lower case' }),
    short: booleanField().default(false).meta({ description: 'Without schema, evaluator and summary of the versions' }),
    page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1 on' }),
    per_page: integerField({ min: 1, max: 100 }).optional().meta({ description: 'Types on a page; 20 if absent' }),
  }),
  success: { 200: z.array(z.union([TypeOut, ShortTypeOut])) },
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { query, org } = request;
    const { archived, search, page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page } = query;
    const isPaged = query.page !== undefined || query.per_page !== undefined;
    const selection = { archived, search, ...(isPaged && { page: { page, perPage } }) };
    const shape =
      <T extends object>(out: (type: T, org: string) => z.input<typeof ShortTypeOut>) =>
      (type: T | Unreadable<string>) => {
        if (!('unreadable' in type)) return out(type, org.name);
        logUnreadable('custom-attestation-types', request, `custom type ${type.id}`, type.unreadable);
        return unreadableType(type.id, org.name);
      };
    const read = async () => {
      if (!query.short) {
        const { total, types } = await list(stores, org, selection);
        return { total, items: types.map(shape(typeOut)) };
      }
      const { total, types } = await listTypeOutlines(stores, org, selection);
      return { total, items: types.map(shape(shortTypeOut)) };
    };
    const { total, items } = await read();
    return isPaged ? pageAnswer(request, { page, perPage, total }, items) : { status: 200, body: items };
  },
});
