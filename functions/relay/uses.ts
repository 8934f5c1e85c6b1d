import { type Uses, usesTogether } from '#shared/table/uses.ts';

/** The expansion of snapshots: events, running artifacts, runtime events of trails, deployments, marks. */
const EXPANSION: Uses = {
  writes: ['EXPANDED', 'ENVEVENT', 'RUNNING', 'FLOWRUNS', 'RUNTIME', 'DEPLOYMENTS', 'ENV', 'SHA'],
  batches: ['ENVEVENT', 'FLOWRUNS', 'RUNTIME', 'SHA'],
};

/** Snapshots of logical environments, which the relay creates itself, with their contents. */
const LOGICAL_SNAPSHOTS: Uses = {
  writes: ['SNAPSHOT', 'ENV', 'CATALOGUE', 'BODY'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** Series and their milestones, latest activity, deliveries and their due times. */
const EVENTS: Uses = {
  writes: ['SERIES', 'MILESTONES', 'SERIESLIST', 'CATALOGUE', 'DELIVERY', '@DUE', 'RELAYED'],
  batches: ['SERIES'],
  removes: ['MILESTONES', 'SERIESLIST', '@DUE', 'RELAYED'],
};

/** Organizations that the sweeps check, places of sweeps, and records that were set aside. */
const SWEEPS: Uses = { writes: ['@ACTIVE', '@SWEEPS', '@ASIDE'], removes: ['@ACTIVE', '@ASIDE'] };

/** The failures of evaluations that are past their deadline. */
const OVERDUE_EVALUATIONS: Uses = { writes: ['EVALUATION'], removes: ['@EVALUATING'] };

/** Everything that the relay and its sweeps write. */
export const RELAY_USES: Uses = usesTogether([EVENTS, EXPANSION, LOGICAL_SNAPSHOTS, SWEEPS, OVERDUE_EVALUATIONS]);
