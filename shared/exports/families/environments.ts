import * as z from 'zod';
import { type EnvironmentId, storedId } from '#shared/base/ids.ts';
import {
  EnvironmentEntry,
  EnvironmentEventItem,
  SHOWN_ALLOWED,
  SHOWN_DAY,
  SHOWN_ENVIRONMENT,
  SHOWN_FACTS,
  SnapshotContentItem,
  SnapshotItem,
} from '#shared/environments/records/environment-records.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import {
  allowedPartition,
  deploymentsPartition,
  environmentDetailsPartition,
  environmentEventPartition,
  environmentPartition,
  presencePartition,
  snapshotPartition,
} from '#shared/environments/records/keys.ts';
import { DeploymentCounts } from '#shared/environments/rules/effects.ts';
import { ENVIRONMENTS as CATALOGUE } from '#shared/environments/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { SHOWN_TAGS } from '#shared/series/tag-items.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import type { Section } from '../pages.ts';
import { linesOf, provedLines, type Shape } from '../record-lines.ts';
import { batchesFamily, beginning, itemsFamily, plannedKeys, rangesFamily, whole } from '../walk.ts';

const keys = plannedKeys(({ environments }) => environments);
const environmentOf = ({ id }: { id: string }) => storedId<EnvironmentId>(id);

const ENVIRONMENT_SHAPES: readonly Shape[] = [
  { prefix: 'HEAD', ...SHOWN_ENVIRONMENT },
  { prefix: 'FACTS', ...SHOWN_FACTS },
  { prefix: 'TAGS', ...SHOWN_TAGS },
  { prefix: 'IN#', item: 'member_of', schema: z.object({}) },
  // The entry of the catalogue, under the id of the environment.
  { item: 'times', schema: EnvironmentEntry.pick({ m: true, r: true, c: true }) },
];

/** The links repeat what the head says. */
const isOriginal = ({ sk }: Item): boolean => !sk.endsWith('#LINKS');
/** The details of all environments share a partition, so their sort keys begin with the id. */
const withoutId = (item: Item): Item => ({
  ...item,
  ...keyIn(item.pk, item.sk.replace(/^[^#]+#(?=FACTS$|TAGS$)/, '')),
});

const environments = rangesFamily({
  name: 'environments',
  keys,
  ranges: ({ org }, key) => {
    const { pk, sk } = catalogueKey(org, CATALOGUE.name, environmentOf(key));
    return [
      whole(environmentPartition(org, environmentOf(key))),
      beginning(environmentDetailsPartition(org), `${key.id}#`),
      { pk, from: sk, to: sk },
    ];
  },
  lines: (_, items, { id: environment }) =>
    linesOf('environments', ENVIRONMENT_SHAPES, items.filter(isOriginal).map(withoutId), ({ sk }) => ({
      environment,
      ...(sk.startsWith('IN#') && { logical: sk.slice(3) }),
    })),
});

const SNAPSHOT_SHAPES: readonly Shape[] = [
  { prefix: 'S#', item: 'snapshot', schema: SnapshotItem },
  { prefix: 'C#', item: 'content', schema: SnapshotContentItem },
];

const snapshots = rangesFamily({
  name: 'snapshots',
  keys,
  ranges: ({ org }, key) => {
    const pk = snapshotPartition(org, environmentOf(key));
    return [beginning(pk, 'C#'), beginning(pk, 'S#')];
  },
  lines: async (context, items, key) => {
    const lines = linesOf('snapshots', SNAPSHOT_SHAPES, items, ({ sk }) => ({
      environment: key.id,
      number: Number(sk.slice(2)),
    }));
    // A read returns contents or summaries, never both. Only summaries are in the log.
    if (items[0]?.sk.startsWith('C#')) return lines;
    const environment = environmentOf(key);
    const subjects = items.map(({ sk }) => ({
      kind: 'environment' as const,
      environment,
      number: Number(sk.slice(2)),
    }));
    return provedLines(context, lines, subjects);
  },
});

const events = itemsFamily({
  name: 'environment-events',
  keys,
  ranges: ({ org }, key) => [whole(environmentEventPartition(org, environmentOf(key)))],
  shapes: [{ item: 'environment_event', schema: EnvironmentEventItem }],
  more: ({ sk }, { id: environment }) => ({ environment, number: Number(sk) }),
});

const allowed = rangesFamily({
  name: 'allow-lists',
  keys,
  ranges: ({ org }, key) => [whole(allowedPartition(org, environmentOf(key)))],
  // The entry in force repeats the latest entry of its fingerprint.
  lines: (_, items) => {
    const entries = items.filter(({ sk }) => sk.includes('#'));
    return linesOf('allow-lists', [SHOWN_ALLOWED], entries);
  },
});

const deployments = itemsFamily({
  name: 'deployments',
  keys,
  ranges: ({ org }, key) => [whole(deploymentsPartition(org, environmentOf(key)))],
  shapes: [{ item: 'deployments', schema: DeploymentCounts }],
  more: ({ sk: day }, { id: environment }) => ({ environment, day }),
});

const presence = itemsFamily({
  name: 'presence',
  keys,
  ranges: ({ org }, key) => [whole(presencePartition(org, environmentOf(key)))],
  shapes: [SHOWN_DAY],
  more: ({ sk: date }, { id: environment }) => ({ environment, date }),
});

export const ENVIRONMENTS: readonly Section[] = [environments, snapshots, events, allowed, deployments, presence];

/**
 * Up to which snapshot the effects of each environment are stored. These lines are made before those of the effects, so no
 * effect of these snapshots may be missing.
 */
export const EXPANSIONS: Section = batchesFamily({
  name: 'expansions',
  keys,
  lines: async ({ table, org }, batch) => {
    const expanded = await readAllExpanded(table, org, batch.map(environmentOf));
    return [...expanded].map(([environment, { index, done }]) => ({
      file: 'expansions',
      record: { item: 'expansion', environment, index, done },
    }));
  },
});
