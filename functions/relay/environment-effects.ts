import { deliverAllowed } from '#shared/environments/deliver.ts';
import type { EffectsContext, ExpanderServices } from '#shared/environments/effects-context.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import { raiseMarks } from '#shared/environments/raise-marks.ts';
import type { Batch } from './stream/read-batch.ts';

export interface Effect {
  /** Position in the batch of the record that the stream has to deliver again if the effect fails. */
  record: number;
  run: () => Promise<void>;
}

/** One effect for each subject. */
export const forEach = <T extends { record: number }>(news: readonly T[], run: (one: T) => Promise<void>): Effect[] =>
  news.map((one) => ({ record: one.record, run: () => run(one) }));

/** One effect for all subjects together; none if there are none. */
export const forAll = (news: readonly { record: number }[], run: () => Promise<void>): Effect[] =>
  news.slice(0, 1).map(({ record }) => ({ record, run }));

/** What effects on environments need in the relay. */
type ExpanderContext = EffectsContext & { services: ExpanderServices };

type EnvironmentsNews = Batch['environments'];

/**
 * Lists the effects that a batch has on environments. Work that can be long is only handed to the expander, so that no
 * organization delays the stream (rules/environments.md#expander).
 */
export const environmentEffects = (
  relay: ExpanderContext,
  { snapshots, groups, marks, recalls, allowed }: EnvironmentsNews,
): Effect[] => [
  ...forAll(snapshots, () =>
    relay.services.expansions.send(
      snapshots.map(({ org, environment, requests }) =>
        expansionMessage({ work: 'expand', org, environment, requests }),
      ),
    ),
  ),
  ...forEach(groups, (group) => sendGroup(relay, group)),
  ...forEach(marks, (news) => raiseMarks(relay, news)),
  ...forAll(recalls, () =>
    relay.services.expansions.send(
      recalls.map(({ org, name, version }) => expansionMessage({ work: 'recall', org, name, version })),
    ),
  ),
  ...forEach(allowed, ({ org, entries }) => deliverAllowed(relay.services, org, entries)),
];

/**
 * Hands a logical environment to the expander. Every snapshot of the environment writes its head, so settings for which
 * this container has sent a message are skipped.
 */
async function sendGroup(
  { services, memory }: ExpanderContext,
  { org, environment, rev }: EnvironmentsNews['groups'][number],
): Promise<void> {
  const sent = `${org}#${environment}#${rev}`;
  if (memory.groups.has(sent)) return;
  await services.expansions.send([expansionMessage({ work: 'group', org, environment })]);
  memory.groups.add(sent);
}
