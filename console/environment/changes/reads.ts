import { read } from '../../client/query-client.ts';
import { time } from '../../routes/search-params.ts';
import { yesterday } from '../model/view.ts';
import { snapshotDiff } from '../operations.ts';

/** Changes of one page. */
const CHANGES_PER_PAGE = 50;

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  page?: number | undefined;
}

/** What changed in a period. Without an end it is what changed until now, and is read again when the environment changes. */
export function readChanges({ org, env }: { org: string; env: string }, { from = '', to = '', page = 1 }: Asked) {
  const end = time(to);
  return read(
    snapshotDiff,
    { org },
    {
      environment: env,
      from: time(from) ?? yesterday(Date.now() / 1000),
      ...(end !== undefined && { to: end }),
      page,
      per_page: CHANGES_PER_PAGE,
    },
  );
}
