import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  getExpectation as get,
  listExpectations as list,
  listExpectationVersions as listVersions,
  readExpectationCursor,
} from '#shared/expectations/read-expectations.ts';
import { unknownExpectation } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders, flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { cursorFields, listField, pageFields, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { ExpectationOut, expectationOut, listedExpectationOut, unreadableExpectation } from './expectation-forms.ts';

/** GET /expectations/{org}: a page of expectations, by name (rules/expectations.md#list). */
export const listExpectations = endpoint({
  operation: 'listExpectations',
  method: 'GET',
  path: '/expectations/{org}',
  summary: 'List the expectations of an organization',
  description:
    'By name, archived ones too. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object({
    include: listField(z.enum(['counts']))
      .default([])
      .meta({ description: '`counts`: how many subjects of each are in each state, and when the next one is due' }),
    ...cursorFields('Expectations'),
  }),
  success: {
    200: z
      .object({
        expectations: z.array(ExpectationOut).meta({ description: 'The expectations of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'ExpectationsPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { org, query } = request;
    const after = placeBefore(query.cursor, (given) => readExpectationCursor(org.id, given));
    const withCounts = query.include.includes('counts');
    const page = await list(stores, org.id, { after, limit: query.per_page, withCounts });
    const expectations = page.expectations.map((one) => {
      if (!('unreadable' in one)) return listedExpectationOut(one, request);
      logUnreadable('expectations', request, `expectation ${one.name}`, one.unreadable);
      return unreadableExpectation(one, request);
    });
    return { status: 200, headers: cursorHeaders(request, page.next), body: { expectations, next_cursor: page.next } };
  },
});

/** GET /expectations/{org}/{name}: one expectation, archived or not (rules/expectations.md#record). */
export const getExpectation = endpoint({
  operation: 'getExpectation',
  method: 'GET',
  path: '/expectations/{org}/{name}',
  summary: 'Get an expectation',
  access: 'reader',
  success: { 200: ExpectationOut },
  errors: [unknownExpectation],
  handler: async (request, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: expectationOut(await get(stores, request.org, request.params.name), request),
  }),
});

/** GET …/versions: a page of the versions of an expectation, the newest first (rules/expectations.md#versions). */
export const listExpectationVersions = endpoint({
  operation: 'listExpectationVersions',
  method: 'GET',
  path: '/expectations/{org}/{name}/versions',
  summary: 'List the versions of an expectation',
  description: 'Newest first. Each version says all that the expectation said after the change.',
  access: 'reader',
  query: z.object(pageFields({ perPage: 15 })),
  success: {
    200: flatPageSchema('versions', ExpectationOut, 'The versions of the page, newest first').meta({
      id: 'ExpectationVersionsPage',
    }),
  },
  errors: [unknownExpectation],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { params, query, org } = request;
    const page = { page: query.page, perPage: query.per_page };
    const { total, versions } = await listVersions(stores, org, params.name, page);
    const items = versions.map((one) => {
      if (!('unreadable' in one)) return expectationOut(one, request);
      logUnreadable('expectations', request, `version ${one.version} of expectation ${one.name}`, one.unreadable);
      return unreadableExpectation(one, request);
    });
    const shown = { ...page, total, items };
    return pageAnswer(request, shown, flatPage('versions', request, shown));
  },
});
