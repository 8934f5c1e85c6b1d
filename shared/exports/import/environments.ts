import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { AnyEnvironmentName, type EnvironmentName } from '#shared/base/names.ts';
import { LISTED_LIMIT } from '#shared/bodies/bodies.ts';
import { allowedWrites } from '#shared/environments/records/allowed.ts';
import { linksWrite } from '#shared/environments/records/environment-head.ts';
import {
  AllowedItem,
  EnvironmentEntry,
  EnvironmentHead,
  FactsItem,
  namedEnvironments,
  SHOWN_DAY,
  SnapshotItem,
} from '#shared/environments/records/environment-records.ts';
import { attachmentWrite } from '#shared/environments/records/environment-writes.ts';
import {
  environmentFactsKey,
  environmentGroupKey,
  environmentHeadKey,
  environmentPartition,
  environmentTagsKey,
  presenceKey,
  snapshotContentKey,
  snapshotKey,
  snapshotStateKey,
  snapshotTimeKey,
} from '#shared/environments/records/keys.ts';
import { archivedEnvironmentWrite } from '#shared/environments/records/sweep-positions.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { groups, type ImportFamily, lineFamily } from './family.ts';
import { tagsItems } from './flows.ts';
import { Hex, putsOf, type Restoring, restoredBody, ShownBody } from './restored.ts';
import type { ImportLine } from './source.ts';

/** Environments with their snapshots and allow-lists. */

const HeadLine = EnvironmentHead.extend({ environment: EnvironmentId, hash: Hex });
const FactsLine = FactsItem.extend({ facts: ShownBody });
const TagsLine = z.object({ tags: z.record(z.string(), z.string()) });
const TimesLine = EnvironmentEntry.pick({ m: true, r: true, c: true });
const GroupLine = z.object({ environment: EnvironmentId, logical: EnvironmentId });

const KINDS = ['environment', 'facts', 'tags', 'times', 'member_of'];

/**
 * Heads without snapshots, policies and members. The expander sees snapshots while they are put. With these heads it has nothing to
 * do until all of them are there: otherwise it would miss some, and append new ones to logical environments.
 */
const announced: ImportFamily = {
  name: 'environments',
  kinds: KINDS,
  async *items({ org, source }) {
    for await (const line of source.lines('environments')) {
      if (line['item'] !== 'environment') continue;
      const { environment: id, ...head } = HeadLine.parse(line);
      yield [{ ...environmentHeadKey(org, id), v: 1, ...head, index: 0, policies: [], members: [] }];
    }
  },
};

const environments: ImportFamily = {
  name: 'environments',
  kinds: KINDS,
  async *items(restoring) {
    const aliases = await readAliases(restoring);
    yield putsOf([...aliases].map(([name, id]) => namedEnvironments.release(restoring.org, name, id)));
    const lines = restoring.source.lines('environments');
    // Present names come later, because a name can be an alias first and then the name of another environment.
    for await (const group of groups(lines, ({ environment }) => String(environment))) {
      yield await environmentItems(restoring, group);
    }
  },
};

async function environmentItems(restoring: Restoring, lines: readonly ImportLine[]): Promise<Item[]> {
  const { org } = restoring;
  const { environment: id, ...head } = HeadLine.parse(lines.find(({ item }) => item === 'environment'));
  const items: Item[] = [{ ...environmentHeadKey(org, id), v: 1, ...head }];
  // If the stream loses the newest snapshot, the sweep finds the environment in this list, and others in the catalogue.
  if (head.archived !== null && head.index > 0) items.push(...putsOf([archivedEnvironmentWrite(org, id)]));
  if (head.archived === null) {
    const { policies, members } = head;
    items.push(
      ...putsOf([
        namedEnvironments.claim(org, head.name, id, () => undefined),
        linksWrite(org, id, { policies, members }),
        ...policies.map((policy) => attachmentWrite(org, policy, head)),
      ]),
    );
  }
  for (const line of lines) items.push(...(await detailItems(restoring, head, line)));
  return items;
}

async function detailItems(restoring: Restoring, head: EnvironmentHead, line: ImportLine): Promise<Item[]> {
  const { org } = restoring;
  const { id } = head;
  // An archived environment has its details in its own partition.
  const own = (sk: string) => keyIn(environmentPartition(org, id), sk);
  switch (line['item']) {
    case 'facts': {
      const { facts: shown, rev } = FactsLine.parse(line);
      const { body: facts, items } = await restoredBody(restoring, shown, `environment:${id}`, LISTED_LIMIT);
      const key = head.archived === null ? environmentFactsKey(org, id) : own('FACTS');
      return [{ ...key, v: 1, facts, rev }, ...items];
    }
    case 'tags':
      return tagsItems(
        { item: head.archived === null ? environmentTagsKey(org, id) : own('TAGS') },
        TagsLine.parse(line).tags,
      );
    case 'times': {
      const fresh = head.freshUntil ? { f: head.freshUntil } : {};
      const state = head.index > 0 ? { s: head.state, ...fresh } : {};
      const entry = { n: head.name, k: head.kind, ...TimesLine.parse(line), ...state };
      return putsOf([catalogueWrite(org, ENVIRONMENTS, id, entry)]);
    }
    case 'member_of': {
      const { environment, logical } = GroupLine.parse(line);
      return [{ ...environmentGroupKey(org, environment, logical), v: 1 }];
    }
    default:
      return [];
  }
}

const Subject = z.object({ id: EnvironmentId, name: AnyEnvironmentName });
const Renamed = z.object({ subject: Subject, before: z.object({ name: AnyEnvironmentName }).nullable() });

/** Returns the names that lead to environments which have another one now, or which were archived. */
async function readAliases({ source }: Restoring): Promise<Map<EnvironmentName, EnvironmentId>> {
  const aliases = new Map<EnvironmentName, EnvironmentId>();
  for await (const line of source.lines('audit')) {
    if (line['kind'] === 'environment.archived') {
      const { subject } = z.object({ subject: Subject }).parse(line);
      aliases.set(subject.name, subject.id);
    }
    if (line['kind'] !== 'environment.renamed') continue;
    const { subject, before } = Renamed.parse(line);
    if (before) aliases.set(before.name, subject.id);
  }
  return aliases;
}

const Place = z.object({ environment: EnvironmentId, number: z.int() });
const SummaryLine = SnapshotItem.omit({ sk: true, pledges: true }).extend({
  ...Place.shape,
  salt: Hex,
  previous: Hex,
  hash: Hex,
  commitments: z.record(z.string(), Hex),
});
type SummaryLine = z.infer<typeof SummaryLine>;
const ContentLine = Place.extend({ body: ShownBody });

const snapshots: ImportFamily = {
  name: 'snapshots',
  kinds: ['snapshot', 'content'],
  async *items(restoring) {
    let before: SummaryLine | undefined;
    const waiting = () => (before ? [{ ...summaryItem(restoring, before), waits: true }] : []);
    for await (const line of restoring.source.lines('snapshots')) {
      if (line['item'] === 'content') {
        const { environment, number, body: shown } = ContentLine.parse(line);
        const { body, items } = await restoredBody(restoring, shown, `snapshot:${environment}:${number}`);
        yield [{ ...snapshotContentKey(restoring.org, environment, number), v: 1, body }, ...items];
        continue;
      }
      const summary = SummaryLine.parse(line);
      if (before?.environment !== summary.environment) yield waiting();
      yield summaryItems(restoring, summary, before?.environment === summary.environment ? before : undefined);
      before = summary;
    }
    yield waiting();
  },
};

/**
 * The newest snapshot of each environment, which was put with an attribute more. Its change comes to the relay when everything is
 * there, and the expander begins.
 */
const newest: ImportFamily = {
  name: 'snapshots',
  kinds: [],
  async *items(restoring) {
    const items = new Map<EnvironmentId, Item>();
    for await (const line of restoring.source.lines('snapshots')) {
      if (line['item'] !== 'snapshot') continue;
      const summary = SummaryLine.parse(line);
      items.set(summary.environment, summaryItem(restoring, summary));
    }
    yield [...items.values()];
  },
};

function summaryItem({ org }: Restoring, line: SummaryLine): Item {
  const { environment, number, commitments: pledges, ...summary } = line;
  return { ...snapshotKey(org, environment, number), v: 1, ...summary, pledges };
}

/** @param before the snapshot before, if there is one */
function summaryItems(restoring: Restoring, line: SummaryLine, before: SummaryLine | undefined): Item[] {
  const { org } = restoring;
  const { environment, number: index, at, state } = line;
  const turns = before === undefined || before.state !== state;
  return [
    summaryItem(restoring, line),
    { ...snapshotTimeKey(org, environment, at), v: 1, index },
    ...(turns
      ? [{ ...snapshotStateKey(org, environment, at), v: 1, index, at, state, was: before?.state ?? null }]
      : []),
  ];
}

const allowed = lineFamily('allow-lists', {
  // The entries of a fingerprint come in the order of time, so the last one that is put is in force.
  allowed: ({ org }, line) => putsOf(allowedWrites(org, AllowedItem.parse(line))),
});

const DayLine = SHOWN_DAY.schema.extend({ environment: EnvironmentId, date: z.iso.date() });

const presence = lineFamily('presence', {
  day: ({ org }, line) => {
    const { environment, date, ...day } = DayLine.parse(line);
    return [{ ...presenceKey(org, environment, date), v: 1, ...day }];
  },
});

/** Effects of snapshots: the expander of the region computes them again from the snapshots. */
const computed = (name: string, ...kinds: string[]): ImportFamily => ({ name, kinds, async *items() {} });

/** Policies and evidence come before: the expander reads them. */
export const ENVIRONMENT_FAMILIES: readonly ImportFamily[] = [
  announced,
  allowed,
  presence,
  snapshots,
  environments,
  newest,
  computed('runtime-events', 'runtime_event'),
  computed('environment-events', 'environment_event'),
  computed('deployments', 'deployments'),
  computed('expansions', 'expansion'),
];
