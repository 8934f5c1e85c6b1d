import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import { listField, pageFields, windowFields, windowOf } from '#shared/http/query-fields.ts';
import { checkScannedPage, scanCursorField } from '#shared/http/scanned-pages.ts';

/** Filters with which pages have cursors. */
const SCANNED = 'name or state';

/** The parameters of both lists of trails (rules/trails.md#list-trails). */
export const trailFilters = {
  ...pageFields({ perPage: 20 }),
  fingerprint: z
    .string()
    .optional()
    .meta({ description: 'Only trails in which this artifact was reported; 5 to 64 characters' }),
  flow_tag: z.string().optional().meta({ description: '`key=value`: only trails of flows with this tag' }),
  ...windowFields,
  sort_direction: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({ description: 'Oldest or newest first', override: { default: 'desc' } }),
  name: z.string().optional().meta({
    description: 'Only trails whose names contain this text, in upper or lower case. Pages then have cursors',
  }),
  compliance_state: listField(z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']))
    .default([])
    .meta({ description: 'Only trails in one of these states. Pages then have cursors' }),
  include: listField(z.enum(['slots']))
    .default([])
    .meta({ description: '`slots`: each trail with its expected and reported attestations' }),
  cursor: scanCursorField(SCANNED),
};
const TrailQuery = z.object(trailFilters);
export type TrailQuery = z.output<typeof TrailQuery>;

/** Whether a list has filters for which no series exists (rules/trails.md#trails-by-state-and-name). */
export const isScanned = ({ name, compliance_state: words = [] }: Partial<TrailQuery>): boolean =>
  name !== undefined || words.length > 0;

/** Each trail with slots is read with everything that decides its verdict. */
const LARGEST_PAGE_WITH_SLOTS = 50;

interface Asked {
  query: Partial<TrailQuery>;
}

/** The rules about several parameters. */
export const trailChecks = [
  ({ query }: Asked) => windowOf(query),
  ({ query: { include = [], per_page: perPage = 0 } }: Asked) => {
    if (include.length === 0 || perPage <= LARGEST_PAGE_WITH_SLOTS) return;
    const text = `Input should be less than or equal to ${LARGEST_PAGE_WITH_SLOTS} with slots`;
    throw invalidField('query.per_page', text, perPage);
  },
  ({ query }: Asked) => checkScannedPage(SCANNED, isScanned(query), query),
];
