import type { EnvironmentRelay } from './environment-relay.ts';
import { expandSnapshots } from './expand.ts';
import { keepGroup } from './logical.ts';
import { raiseMarks } from './marks.ts';
import type { EnvironmentsNews } from './read-environments.ts';
import { tellAllowed } from './tell-environment.ts';

/** An effect of a batch, and the record that comes again where it fails. */
export interface Effect {
  record: number;
  have: () => Promise<void>;
}

/** What a batch means for environments. */
export const environmentEffects = (relay: EnvironmentRelay, news: EnvironmentsNews): Effect[] => [
  ...[...news.snapshots.values()].map(({ org, environment, upTo, record }) => ({
    record,
    have: async () => void (await expandSnapshots(relay, org, environment, upTo)),
  })),
  ...[...news.groups.values()].map((group) => ({ record: group.record, have: () => keepGroup(relay, group) })),
  ...[...news.marks.values()].map((marks) => ({ record: marks.record, have: () => raiseMarks(relay, marks) })),
  ...[...news.allowed.values()].map(({ org, entries, record }) => ({
    record,
    have: () => tellAllowed(relay.services, org, entries),
  })),
];
