import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import {
  getControlVersion as getVersion,
  listControlVersions as listVersions,
} from '#shared/controls/read-versions.ts';
import { controlOrVersionNotFound, unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { integerField, pageFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { ControlVersionOut, controlVersionOut, ListedVersionOut, unreadableVersion } from './control-output.ts';

/** GET /controls/{org}/{identifier}/versions: a page of versions, newest first (rules/controls.md#list-of-versions). */
export const listControlVersions = endpoint({
  operation: 'listControlVersions',
  method: 'GET',
  path: '/controls/{org}/{identifier}/versions',
  summary: 'List the versions of a control',
  description: 'Newest first. Each version has the full content that the control had after the change.',
  access: 'reader',
  feature: 'controls',
  query: z.object(pageFields({ perPage: 15 })),
  success: {
    200: flatPageSchema('versions', ListedVersionOut, 'The versions of the page, newest first').meta({
      id: 'ControlVersionsPage',
    }),
  },
  errors: [unknownControl],
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { params, query, org } = request;
    const { identifier } = params;
    const page = { page: query.page, perPage: query.per_page };
    const { total, versions } = await listVersions(stores, org, identifier, page);
    const items = versions.map((found) => {
      if (!('unreadable' in found)) return controlVersionOut(identifier, found);
      logUnreadable('controls', request, `version ${found.version} of control ${identifier}`, found.unreadable);
      return unreadableVersion(identifier, found.version);
    });
    const shown = { ...page, total, items };
    return pageAnswer(request, shown, flatPage('versions', request, shown));
  },
});

/** GET /controls/{org}/{identifier}/versions/{version_number}: one version of a control (rules/controls.md#version-record). */
export const getControlVersion = endpoint({
  operation: 'getControlVersion',
  method: 'GET',
  path: '/controls/{org}/{identifier}/versions/{version_number}',
  summary: 'Get a version of a control',
  access: 'reader',
  feature: 'controls',
  row: 13,
  params: z.object({ org: z.string(), identifier: z.string(), version_number: integerField({ min: 1 }) }),
  success: { 200: ControlVersionOut },
  errors: [controlOrVersionNotFound],
  uses: READ_BODIES,
  handler: async ({ params: { identifier, version_number }, org }, stores: Pick<Stores, 'table' | 'objects'>) => ({
    status: 200,
    body: controlVersionOut(identifier, await getVersion(stores, org, identifier, version_number)),
  }),
});
