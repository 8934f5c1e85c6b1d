import type { Uses } from '#shared/table/uses.ts';

/** What appending and recounting milestones writes, with the copies of entries in facets. */
export const SERIES_USES: Uses = {
  writes: ['SERIES', 'MILESTONES', 'SERIESLIST'],
  batches: ['SERIES'],
  removes: ['MILESTONES'],
  checks: ['MILESTONES'],
};
