import { firstIdAt, type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { absent, change, exists } from '#shared/table/expressions.ts';
import { putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { Draft, expiryOf, MOST_OPEN, OpenDraft, openSince } from '../rules/draft.ts';
import { draftKey, openDraftKey, openDraftList } from './keys.ts';

/** A day after its end the table removes a draft, so that a late confirmation is told why it is refused. */
const KEPT_SECONDS = 24 * 3600;

/** Returns the writes that store a draft and list it as open. */
export function newDraftWrites(org: OrganizationId, draft: Draft): Write[] {
  const { request: _request, basis: _basis, ...listed } = draft;
  const ends = Math.ceil(expiryOf(draft) / 1e6);
  return [
    putIfAbsent({ ...draftKey(org, draft.id), ...draft, ttl: ends + KEPT_SECONDS }),
    putIfAbsent({ ...openDraftKey(org, draft.id), ...listed, ttl: ends }),
  ];
}

/** Reads a draft, also one that ended; undefined if there is none. @param id any text */
export const readDraft = async (table: Table, org: OrganizationId, id: string): Promise<Draft | undefined> =>
  isId<Id>(id) ? readRecord(table, draftKey(org, id), Draft) : undefined;

/** Reads the drafts of an organization that can be confirmed, the newest first. */
export async function readOpenDrafts(table: Table, org: OrganizationId, now: Micros): Promise<OpenDraft[]> {
  const since = openSince(now);
  const items = await table.query({
    pk: openDraftList(org),
    from: firstIdAt(since),
    newestFirst: true,
    // Two writers at the same time can exceed the bound, each by one.
    limit: MOST_OPEN.ofOrganization * 2,
  });
  return items.map((item) => OpenDraft.parse(item)).filter(({ at }) => at > since);
}

/**
 * Returns the writes that end a draft. They belong into the transaction of what the draft makes, so a draft makes something once.
 *
 * @param refused what it means if the draft ended before, or was removed
 */
export const endDraftWrites = <R>(
  org: OrganizationId,
  { id }: Pick<Draft, 'id'>,
  ended: NonNullable<Draft['ended']>,
  refused: () => R,
): Write<R>[] => [
  { update: draftKey(org, id), ...change({ set: { ended } }, exists(), absent('ended')), refused },
  { remove: openDraftKey(org, id) },
];
