import { isDeepStrictEqual } from 'node:util';
import { newId } from '#shared/base/ids.ts';
import { after } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import { type Kind, versionWrites } from './records/versioned.ts';
import type { Versioned } from './rules/recall-records.ts';

/** A record as it is now, and whether it is new. */
export interface Saved<R> {
  isNew: boolean;
  record: R;
}

/** What a version says, without what says which version it is. */
export type Terms<R extends Versioned> = Omit<
  R,
  'v' | 'id' | 'name' | 'version' | 'createdAt' | 'createdBy' | 'changedAt' | 'changedBy'
>;

/**
 * Adds a version to a record, with its audit entry; version 1 if there is no record. If nothing differs, only the claim of the
 * request is stored.
 *
 * @returns `again` if the record has changed since it was read
 */
export async function saveVersion<R extends Versioned>(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<R>>,
  kind: Kind<R>,
  { name, before, terms }: { name: string; before: R | undefined; terms: Terms<R> },
): Promise<Saved<R> | 'again'> {
  if (before && isDeepStrictEqual(before, { ...before, ...terms })) {
    const same = { isNew: false, record: before };
    await storeClaim(table, by.claim(same));
    return same;
  }
  const changedAt = after(before?.changedAt, clock.now());
  const record = kind.schema.parse({
    ...terms,
    v: 1,
    id: before?.id ?? newId(changedAt),
    name,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? changedAt,
    createdBy: before?.createdBy ?? by.caller.name,
    changedAt,
    changedBy: by.caller.name,
  });
  const saved = { isNew: !before, record };
  const { writes, covers } = versionWrites(kind, by.org.id, before, record);
  const { subject } = kind;
  const factsOf = (one: R) => ({ version: one.version, ...kind.factsOf(one), deleted: one.deleted });
  const change = {
    kind: `${subject}.${changeOf(before, record)}`,
    subject: { type: subject, id: record.id, name },
    ...(before && { before: factsOf(before) }),
    after: factsOf(record),
    covers,
  } as const;
  const result = await table.transact<'again'>([...authored(by, change, saved), ...writes]);
  return result === 'again' ? result : saved;
}

function changeOf(before: Versioned | undefined, { deleted }: Versioned) {
  if (!before) return 'created';
  return deleted ? 'deleted' : 'changed';
}
