import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { TrailName } from '#shared/base/names.ts';
import { readEach } from '#shared/table/read-each.ts';
import { type Item, type Key, keyText, type Table } from '#shared/table/table.ts';
import { entryOfItem, recordKeyOf } from './item-entries.ts';
import { claimKey, lastNumberBefore } from './records/claims.ts';
import { subjectName } from './rules/batches.ts';
import type { NumberedSubject } from './rules/entry.ts';
import { inOrder, readWaiting, type WaitingEntry } from './waiting-entries.ts';

interface MissingLinks {
  table: Table;
  org: OrganizationId;
  trails: ReadonlyMap<TrailId, TrailName>;
  /** The claims of {@link predecessorKeys}, by `keyText`. */
  claims: ReadonlyMap<string, Item>;
  log: WorkerLog;
}

/** Links of one chain that are read at a time. */
const PAGE = 500;

/** An entry whose predecessor is neither waiting nor in the log. */
interface Opening {
  subject: NumberedSubject;
  /** Number of the first missing link that was not read yet. */
  from: number;
}

/**
 * Yields the waiting entries in portions, after the links before them that the log does not have
 * (rules/log.md#missing-links). A link is missing because its message was lost, or because it is older than the log.
 */
export async function* withMissingLinks(
  context: MissingLinks,
  waiting: readonly WaitingEntry[],
): AsyncGenerator<WaitingEntry[]> {
  const openings = await openingsOf(context, waiting);
  for (const opening of openings) {
    const { subject } = opening;
    for (; subject.number - opening.from > PAGE; opening.from += PAGE) {
      yield inOrder(await readLinks(context, subject, opening.from, PAGE));
    }
  }
  const found = await readEach(openings, ({ subject, from }) =>
    readLinks(context, subject, from, subject.number - from),
  );
  yield inOrder([...found.flat(), ...waiting]);
}

/** Returns the keys of the claims of the links before those entries whose predecessor is not waiting. */
export const predecessorKeys = (org: OrganizationId, waiting: readonly WaitingEntry[]): Key[] =>
  withoutPredecessor(waiting).map((subject) => claimKey(org, predecessorOf(subject)));

function withoutPredecessor(waiting: readonly WaitingEntry[]): NumberedSubject[] {
  const names = new Set(waiting.map(({ entry: { subject } }) => subjectName(subject)));
  return waiting.flatMap(({ entry: { subject } }) => {
    if (!('number' in subject) || subject.number === 1) return [];
    return names.has(subjectName(predecessorOf(subject))) ? [] : [subject];
  });
}

async function openingsOf({ table, org, claims }: MissingLinks, waiting: readonly WaitingEntry[]): Promise<Opening[]> {
  const open = withoutPredecessor(waiting).filter(
    (subject) => !claims.has(keyText(claimKey(org, predecessorOf(subject)))),
  );
  const openings = await readEach(open, async (subject) => ({
    subject,
    from: (await lastNumberBefore(table, org, subject)) + 1,
  }));
  // Another integrator may have appended the predecessor since its claim was read.
  return openings.filter(({ subject, from }) => from < subject.number);
}

const predecessorOf = (subject: NumberedSubject): NumberedSubject => ({ ...subject, number: subject.number - 1 });

/** Reads stored links of a chain by their numbers. Links that cannot be appended are logged and left out. */
async function readLinks(
  context: MissingLinks,
  subject: NumberedSubject,
  from: number,
  count: number,
): Promise<WaitingEntry[]> {
  const { table, org, trails, log } = context;
  const place = { organization: org, ...subject, from, count };
  const [first, last] = [from, from + count - 1].map((number) => recordKeyOf(org, { ...subject, number }, trails));
  if (!first || !last) {
    log('Links before an entry of the log are missing, and the name of their trail is not known', place);
    return [];
  }
  const items = await table.query({ pk: first.pk, from: first.sk, to: last.sk });
  if (items.length < count)
    log('Links before an entry of the log are not in the table', { ...place, found: items.length });
  return items.flatMap((item) => readLink(context, item));
}

export type LinkReader = Pick<MissingLinks, 'org' | 'log'>;

/** Reads the entry of a stored item. An item that cannot be appended is logged and left out. */
export function readLink({ org, log }: LinkReader, item: Item): WaitingEntry[] {
  try {
    const entry = entryOfItem(item);
    return entry ? [readWaiting(org, entry.bytes)] : [];
  } catch (error) {
    // Errors of reading are values here, so that an unreadable item does not keep those behind it from the log.
    log('An item cannot be appended to the log', { pk: item.pk, sk: item.sk, ...errorFacts(error) });
    return [];
  }
}
