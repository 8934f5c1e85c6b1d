import { useAnswer, useLiveAnswer, useRefreshOn } from '../client/live.ts';
import { queryClient, read } from '../client/query-client.ts';
import type { ParamsOf } from '../routes/params.ts';
import { versionOf, withSteps } from './model/trail.ts';
import { type Trail, trail } from './operations.ts';
import { readTrail } from './routes.ts';

/** A trail is young while its pipeline probably still runs. Then the page looks more often. */
const YOUNG_SECONDS = 3600;

/**
 * Shows a trail and reads it again every few seconds, without its steps: the service reads evidence to make them. They come with the
 * first answer, and again when something came to the trail. Until then the page shows none, because the former ones may be wrong.
 */
export function useTrail(params: ParamsOf<'trail'>, moment: number | undefined): Trail {
  const chain = readTrail(params, moment);
  const explained = useAnswer(chain);
  const head = useLiveAnswer(
    {
      ...read(trail, params, { moment }),
      // The first answer has everything that the repeated reads have.
      initialData: explained,
      initialDataUpdatedAt: () => queryClient.getQueryState(chain.queryKey)?.dataUpdatedAt,
    },
    ({ created_at: created }) => (Date.now() / 1000 - created < YOUNG_SECONDS ? 3 : 15),
  );
  useRefreshOn(versionOf(head), [chain.queryKey]);
  return withSteps(head, explained);
}
