import * as z from 'zod';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { EPOCH, StoredMicros } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { equal, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { KINDS } from '../rules/expectation.ts';
import { Gap, subjectKey } from '../rules/gaps/gap.ts';
import { gapKey, gapList, ongoingGapKey, ongoingGaps } from './keys.ts';

/** How exports show gaps. */
export const SHOWN_GAP = { item: 'gap', schema: Gap };

/** A gap that has not ended, as far as looks and arrivals need it. It is removed with the end of the gap. */
const OngoingItem = z.object({
  sk: z.string(),
  gap: z.string(),
  of: z.enum(KINDS),
  version: z.int(),
  /** The last arrival before the gap; 0 = none. */
  lastAt: StoredMicros,
  since: StoredMicros,
  isKnown: z.boolean(),
  /** Whether somebody explained the gap. Absent in items of earlier releases. */
  isExcused: z.boolean().default(false),
});
export interface Ongoing extends Omit<z.infer<typeof OngoingItem>, 'sk'> {
  subject: string;
  expectation: Id;
}

const ongoingIn = (item: Item): Ongoing => {
  const { sk, ...ongoing } = OngoingItem.parse(item);
  const at = sk.lastIndexOf('#');
  return { ...ongoing, subject: sk.slice(0, at), expectation: sk.slice(at + 1) };
};

/** Returns the item that stands for a gap which has not ended. */
export const ongoingItem = (org: OrganizationId, gap: Gap): Item => ({
  ...ongoingGapKey(org, subjectKey(gap.subject), gap.expectation.id),
  v: 1,
  gap: gap.id,
  of: gap.kind,
  version: gap.expectation.version,
  lastAt: gap.lastBefore?.at ?? EPOCH,
  since: gap.since,
  isKnown: gap.state === 'open',
  isExcused: gap.explanation !== null,
});

/** Reads all gaps that have not ended; those of one subject if it is given. */
export async function readOngoing(table: Table, org: OrganizationId, subject?: string): Promise<Ongoing[]> {
  const prefix = subject === undefined ? {} : { prefix: `${subject}#` };
  const items = await table.query({ pk: ongoingGaps(org), ...prefix });
  return items.map(ongoingIn);
}

/** Whether any gap of an organization has not ended. Costs one read unit at most. */
export async function hasOngoing(table: Table, org: OrganizationId): Promise<boolean> {
  return (await table.query({ pk: ongoingGaps(org), limit: 1 })).length > 0;
}

/** Reads the gaps about artifacts that have not ended. */
export async function readOngoingArtifacts(table: Table, org: OrganizationId): Promise<Ongoing[]> {
  return (await table.query({ pk: ongoingGaps(org), prefix: 'artifact:' })).map(ongoingIn);
}

export const readGap = (table: Table, org: OrganizationId, id: Id): Promise<Gap | undefined> =>
  readRecord(table, gapKey(org, id), Gap);

/** Reads gaps by their ids, 100 with one call. Those that there are not are left out. */
export async function readGaps(table: Table, org: OrganizationId, ids: readonly Id[]): Promise<Item[]> {
  const found = await table.getMany(ids.map((id) => gapKey(org, id)));
  return ids.flatMap((id) => found.get(keyText(gapKey(org, id))) ?? []);
}

/**
 * Reads items of gaps, the newest first.
 *
 * @param from the smallest id
 * @param to the largest id
 */
export const readGapItems = (
  table: Table,
  org: OrganizationId,
  { from, to, limit }: { from?: Id | undefined; to?: Id | undefined; limit: number },
): Promise<Item[]> =>
  table.query({
    pk: gapList(org),
    newestFirst: true,
    limit,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });

/** What a change of a gap writes, and what it leaves behind (rules/organizations.md#covers). */
interface GapWrites<R> {
  writes: Write<R>[];
  covers: Cover[];
}

const coversOf = (before: Gap | undefined, after: Gap): Cover[] => [
  coverOf('gaps/gap', before && lineOf(SHOWN_GAP, before), lineOf(SHOWN_GAP, after)),
];

/**
 * Returns the writes of a new gap. They are refused with `known` if the gap is stored already, or if another gap of the same
 * expectation and subject has not ended.
 */
export function newGapWrites(org: OrganizationId, gap: Gap): GapWrites<'known'> {
  const known = () => 'known' as const;
  return {
    writes: [
      putIfAbsent({ ...gapKey(org, gap.id), ...gap }, known),
      ...(gap.until === null ? [putIfAbsent(ongoingItem(org, gap), known)] : []),
    ],
    covers: coversOf(undefined, gap),
  };
}

/** Returns the writes that change a gap. They are refused with `again` if the gap has changed since it was read. */
export function changedGapWrites(org: OrganizationId, before: Gap, after: Gap): GapWrites<'again'> {
  const put = { ...gapKey(org, after.id), ...after };
  return {
    writes: [{ put, ...onlyIf(unchanged(before, 'rev')), refused: again }, ...ongoingWrites(org, before, after)],
    covers: coversOf(before, after),
  };
}

function ongoingWrites(org: OrganizationId, before: Gap, after: Gap): Write<'again'>[] {
  if (before.until !== null) return [];
  const item = ongoingItem(org, after);
  const isOurs = { ...onlyIf(equal({ gap: before.id })), refused: again };
  if (after.until !== null) return [{ remove: { pk: item.pk, sk: item.sk }, ...isOurs }];
  const isSame = before.state === after.state && (before.explanation === null) === (after.explanation === null);
  return isSame ? [] : [{ put: item, ...isOurs }];
}
