import type { Uses } from '#shared/store/uses.ts';

/** What the relay and its sweeps write: series and their milestones, latest activity, deliveries and their due times. */
export const RELAY_USES: Uses = {
  writes: ['SERIES', 'MILESTONES', 'SERIESLIST', 'CATALOGUE', 'DELIVERY', '@DUE', 'RELAYED'],
  batches: ['SERIES'],
  removes: ['MILESTONES', 'SERIESLIST', '@DUE'],
};
