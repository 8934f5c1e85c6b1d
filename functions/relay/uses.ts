import { CLOSE_DAYS } from '#shared/environments/sweeps/close-days.ts';
import { LOOK_FOR_GAPS } from '#shared/expectations/gaps/ask-for-looks.ts';
import { RECORD_ARRIVALS } from '#shared/expectations/record-arrivals.ts';
import { SERIES_USES } from '#shared/series/uses.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { SWEEP_WATCHES } from '#shared/watches/asking/sweep-watches.ts';

/** The marks of environments. The sweep reads contents of snapshots, which may lie in the bucket. */
const ENVIRONMENTS: Uses = { writes: ['ENV'], bucket: ['bodies:read'] };

/** The list of series for the sweeps, latest activity, deliveries and their due times. */
const EVENTS: Uses = {
  writes: ['CATALOGUE', 'DELIVERY', 'DELIVERIES', '@DUE', 'RELAYED'],
  removes: ['SERIESLIST', '@DUE', 'RELAYED'],
};

/** Organizations that the sweeps check, places of sweeps, and records that were set aside. */
const SWEEPS: Uses = { writes: ['@ACTIVE', '@SWEEPS', '@ASIDE'], removes: ['@ACTIVE', '@ASIDE'] };

/** The failures of evaluations that are past their deadline. */
const OVERDUE_EVALUATIONS: Uses = { writes: ['EVALUATION'], removes: ['@EVALUATING'] };

export const RELAY_USES: Uses = usesTogether([
  SERIES_USES,
  EVENTS,
  ENVIRONMENTS,
  CLOSE_DAYS,
  SWEEPS,
  OVERDUE_EVALUATIONS,
  LOOK_FOR_GAPS,
  RECORD_ARRIVALS,
  SWEEP_WATCHES,
]);
