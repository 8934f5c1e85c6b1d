import type { Uses } from '#shared/table/uses.ts';

/** What a commit to a trail reads and writes: trail, flow, repository and entries of lists. */
export const COMMIT_USES: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'TRAIL', 'MOMENT', 'CATALOGUE', 'SERIES', 'REPO', 'REPOID', 'BODY'],
  removes: ['REPO'],
  bucket: ['bodies:read', 'bodies:write'],
};
