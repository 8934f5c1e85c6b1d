import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readTypeNames, readTypeOutlines, readTypes } from '#shared/evidence/records/custom-types.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { booleanField, integerField } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
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
  params: z.object({ org: z.string() }),
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
  body: { kind: 'none' },
  success: { 200: z.array(z.union([TypeOut, ShortTypeOut])) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, { table, objects }) => {
    const { query, org } = request;
    const names = await readTypeNames(table, org.id, query);
    const placeholder = ({ id: name, unreadable }: Unreadable<string>) => {
      noteUnreadable('custom-attestation-types', request, `custom type ${name}`, unreadable);
      return unreadableType(name, org.name);
    };
    const read = async (some: readonly string[]) => {
      if (query.short) {
        const outlines = await readTypeOutlines(table, org.id, some);
        return outlines.map((type) => ('unreadable' in type ? placeholder(type) : shortTypeOut(type, org.name)));
      }
      const types = await readTypes(table, objects, org.id, some);
      return types.map((type) => ('unreadable' in type ? placeholder(type) : typeOut(type, org.name)));
    };
    if (query.page === undefined && query.per_page === undefined) return { status: 200, body: await read(names) };
    const { page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page } = query;
    const body = await read(names.slice((page - 1) * perPage, page * perPage));
    return pageAnswer(request, { page, perPage, total: names.length }, body);
  },
});
