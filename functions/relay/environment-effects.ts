import { applyGroupSettings } from '#shared/environments/append-logical.ts';
import { deliverAllowed } from '#shared/environments/deliver.ts';
import type { EffectsContext } from '#shared/environments/effects-context.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { raiseMarks } from '#shared/environments/raise-marks.ts';
import type { EnvironmentsNews } from './read-environments.ts';

/** One effect of a batch. */
export interface Effect {
  /** Position in the batch of the record that the stream has to deliver again if the effect fails. */
  record: number;
  run: () => Promise<void>;
}

/** Lists the effects that a batch has on environments. */
export const environmentEffects = (relay: EffectsContext, news: EnvironmentsNews): Effect[] => [
  ...[...news.snapshots.values()].map(({ org, environment, upTo, record }) => ({
    record,
    run: async () => void (await expandSnapshots(relay, org, environment, upTo)),
  })),
  ...[...news.groups.values()].map((group) => ({ record: group.record, run: () => applyGroupSettings(relay, group) })),
  ...[...news.marks.values()].map((marks) => ({ record: marks.record, run: () => raiseMarks(relay, marks) })),
  ...[...news.allowed.values()].map(({ org, entries, record }) => ({
    record,
    run: () => deliverAllowed(relay.services, org, entries),
  })),
];
