import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { findControlsByTags, readControls } from '#shared/controls/records/controls.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, listField, pageFields } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
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
  params: z.object({ org: z.string() }),
  query: Query,
  body: { kind: 'none' },
  success: { 200: flatPageSchema('controls', ControlOut).meta({ id: 'ControlsPage' }) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, { table, objects }) => {
    const { query, org } = request;
    const text = query.search.toLowerCase();
    const [catalogue, tagged] = await Promise.all([
      readCatalogue(table, org.id, CONTROLS),
      findControlsByTags(
        table,
        org.id,
        query.tag.filter((tag) => tag !== ''),
      ),
    ]);
    const wanted = [...catalogue.values()]
      .filter(({ id, entry }) => (entry['a'] === true) === query.archived && tagged.every((ids) => ids.has(id)))
      .map(({ entry }) => ({ name: String(entry['n']), identifier: String(entry['i']) }))
      .filter(({ name, identifier }) => [name, identifier].some((word) => word.toLowerCase().includes(text)))
      .sort(byName);
    if (query.sort_direction === 'desc') wanted.reverse();
    const { page, per_page: perPage } = query;
    const shown = wanted.slice((page - 1) * perPage, page * perPage);
    const names = new Map(shown.map(({ identifier, name }) => [identifier, name]));
    const controls = await readControls(table, objects, org.id, [...names.keys()]);
    const items = controls.map((control) => {
      if (!('unreadable' in control)) return controlOut(control, request);
      noteUnreadable('controls', request, `control ${control.identifier}`, control.unreadable);
      return unreadableControl(control.identifier, names.get(control.identifier) ?? '', request);
    });
    const answered = { page, perPage, total: wanted.length, items };
    return pageAnswer(request, answered, flatPage('controls', request, answered));
  },
});

/** Compares by name, then by identifier, because several controls may have the same name. */
const byName = (one: { name: string; identifier: string }, other: { name: string; identifier: string }): number => {
  const [left, right] = [`${one.name}\n${one.identifier}`, `${other.name}\n${other.identifier}`];
  return left < right ? -1 : 1;
};
