import * as z from 'zod';
import {
  type FlowId,
  firstIdAt,
  type Id,
  isId,
  type OrganizationId,
  storedId,
  type TrailId,
  timeOfId,
} from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { type Duration, plus } from '#shared/base/time.ts';
import { readEnvironmentNames } from '#shared/environments/records/environments.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { entriesIn, monthOf, monthsBetween } from '#shared/series/series-entries.ts';
import { readEach } from '#shared/table/read-each.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { entryOfItem, recordKeyOf } from './item-entries.ts';
import type { Subject } from './rules/entry.ts';
import type { WaitingEntry } from './waiting-entries.ts';

/** The subject of an entry without its record. Names are present if the table has them. */
type GoneRecord = Subject & { flow_name?: string; trail_name?: string; environment_name?: string; change?: string };

/**
 * Returns the subjects of entries whose records the table does not have, or has with other contents, in the order of the
 * entries. Statements have no record of their own.
 *
 * @param named the table that names are read from: the table of before a restore knows trails that the restored one has lost, and what
 * was changed
 */
export async function goneRecords(
  table: Table,
  org: OrganizationId,
  entries: readonly WaitingEntry[],
  named: Table = table,
): Promise<GoneRecord[]> {
  const subjects = entries.map(({ entry: { subject } }) => subject);
  const trails = await trailNames(named, org, subjects);
  const keys = subjects.map((subject) => recordKeyOf(org, subject, trails));
  const items = await table.getMany(keys.filter((key) => key !== null));
  const gone = entries.flatMap(({ entry: { subject }, bytes }, i) => {
    const key = keys[i];
    const item = key ? items.get(keyText(key)) : undefined;
    const isThere = subject.kind === 'statement' || (item && entryOfItem(item)?.bytes.equals(bytes));
    return isThere ? [] : [subject];
  });
  const [flows, environments, changes] = await Promise.all([
    readFlowNames(named, org, [...new Set(gone.flatMap((one) => (one.kind === 'trail' ? [one.flow] : [])))]),
    readEnvironmentNames(named, org, [
      ...new Set(gone.flatMap((one) => (one.kind === 'environment' ? [one.environment] : []))),
    ]),
    named === table ? new Map<Id, string>() : readChanges(named, org, gone),
  ]);
  return gone.map((subject) => {
    if (subject.kind === 'environment')
      return withNames(subject, { environment_name: environments.get(subject.environment) });
    if (subject.kind === 'audit') return withNames(subject, { change: changes.get(subject.entry) });
    if (subject.kind !== 'trail') return subject;
    return withNames(subject, { flow_name: flows.get(subject.flow), trail_name: trails.get(subject.trail) });
  });
}

const withNames = (subject: Subject, names: Record<string, string | undefined>): GoneRecord => ({
  ...subject,
  ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined)),
});

/** Returns what the entries of the audit log say: the kind of change and the name of its subject, by the id of the entry. */
async function readChanges(table: Table, org: OrganizationId, subjects: readonly Subject[]): Promise<Map<Id, string>> {
  const ids = subjects.flatMap((one) => (one.kind === 'audit' ? [one.entry] : []));
  const items = await table.getMany(ids.map((id) => auditKey(org, monthOf(id), id)));
  const records = [...items.values()].map((item) => AuditRecord.parse(item));
  return new Map(records.map(({ id, kind, subject }) => [storedId<Id>(id), `${kind} '${subject.name}'`]));
}

/** The first write of a trail gives the trail its id, and repeats at most so long until it succeeds. */
const LISTED_WITHIN: Duration = 60_000_000;
const Listed = z.object({ t: AnyTrailName });

/** Returns the names of the trails of subjects, by id. Moments are stored under names, and no entry holds a name. */
async function trailNames(
  table: Table,
  org: OrganizationId,
  subjects: readonly Subject[],
): Promise<Map<TrailId, TrailName>> {
  const flows = new Map(subjects.flatMap((one) => (one.kind === 'trail' ? [[one.trail, one.flow] as const] : [])));
  const found = await readEach(flows, async ([trail, flow]) => ({
    trail,
    name: await trailName(table, org, flow, trail),
  }));
  return new Map(found.flatMap(({ trail, name }) => (name === undefined ? [] : [[trail, name] as const])));
}

async function trailName(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: TrailId,
): Promise<TrailName | undefined> {
  // The id comes from an object of the bucket.
  if (!isId(trail)) return undefined;
  const [from, to] = [timeOfId(trail), plus(timeOfId(trail), LISTED_WITHIN)];
  const range = { from: firstIdAt(from), before: firstIdAt(to) };
  const listed = await entriesIn(table, org, `trails:${flow}`, monthsBetween(from, to), range);
  const heads = await table.getMany(
    listed.map((entry) => trailHeadKey(trailPartition(org, flow, Listed.parse(entry).t))),
  );
  return [...heads.values()].map((item) => TrailHead.parse(item)).find(({ id }) => id === trail)?.name;
}
