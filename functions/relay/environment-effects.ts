import { applyGroupSettings } from '#shared/environments/append-logical.ts';
import { deliverAllowed } from '#shared/environments/deliver.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { raiseMarks } from '#shared/environments/raise-marks.ts';
import type { EnvironmentsNews } from './read-environments.ts';

/** An effect of a batch, and the record that comes again where it fails. */
export interface Effect {
  record: number;
  have: () => Promise<void>;
}

/** What a batch means for environments. */
export const environmentEffects = (relay: EffectsContext, news: EnvironmentsNews): Effect[] => [
  ...[...news.snapshots.values()].map(({ org, environment, upTo, record }) => ({
    record,
    have: async () => void (await expandSnapshots(relay, org, environment, upTo)),
  })),
  ...[...news.groups.values()].map((group) => ({ record: group.record, have: () => applyGroupSettings(relay, group) })),
  ...[...news.marks.values()].map((marks) => ({ record: marks.record, have: () => raiseMarks(relay, marks) })),
  ...[...news.allowed.values()].map(({ org, entries, record }) => ({
    record,
    have: () => deliverAllowed(relay.services, org, entries),
  })),
];
