import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listControls as list } from '#shared/controls/list-controls.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, listField, pageFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { ControlOut, controlOut, unreadableControl } from './control-output.ts';

const Query = z.object({
  ...pageFields({ perPage: 15 }),
  search: z.string().default('').meta({ description: 'Only controls whose name or identifier contains this text' }),
  tag: listField(z.string()).default([]).meta({ description: '`key` or `key:value`; a control must have all of them' }),
  archived: booleanField().default(false).meta({ description: 'Only archived controls, or only the others' }),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
});

/** GET /controls/{org}: a page of controls, sorted by name (rules/controls.md#list-of-controls). */
export const listControls = endpoint({
  operation: 'listControls',
  method: 'GET',
  path: '/controls/{org}',
  summary: 'List the controls of an organization',
  access: 'reader',
  feature: 'controls',
  query: Query,
  success: { 200: flatPageSchema('controls', ControlOut, 'The controls of the page').meta({ id: 'ControlsPage' }) },
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { query, org } = request;
    const page = { page: query.page, perPage: query.per_page };
    const { total, controls } = await list(stores, org, {
      text: query.search,
      tags: query.tag.filter((tag) => tag !== ''),
      isArchived: query.archived,
      direction: query.sort_direction,
      ...page,
    });
    const items = controls.map((control) => {
      if (!('unreadable' in control)) return controlOut(control, request);
      logUnreadable('controls', request, `control ${control.identifier}`, control.unreadable);
      return unreadableControl(control.identifier, control.name, request);
    });
    const shown = { ...page, total, items };
    return pageAnswer(request, shown, flatPage('controls', request, shown));
  },
});
