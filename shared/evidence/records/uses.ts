import type { Uses } from '#shared/table/uses.ts';

/** What is used by whoever commits something to a trail: the trail itself, its flow and repository, what is new in lists. */
export const COMMIT_USES: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'TRAIL', 'MOMENT', 'CATALOGUE', 'SERIES', 'REPO', 'REPOID', 'BODY'],
  removes: ['REPO'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** What is used by whoever creates or changes a flow. */
export const WRITE_FLOW: Uses = {
  writes: ['FLOWNAME', 'FLOW', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};
