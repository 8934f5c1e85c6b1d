import type { ServiceError } from '#shared/base/errors.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import type { Item } from '#shared/table/table.ts';
import {
  type Kind,
  RECALLS,
  readVersioned,
  readVersionedItems,
  readVersionItems,
  SIGNERS,
  TRUST_ROOTS,
} from './records/versioned.ts';
import type { RecallRecord, Versioned } from './rules/recall-records.ts';
import { SignerName, type SignerRecord, type TrustRootRecord } from './rules/records.ts';
import { unknownRecall, unknownRoot, unknownSigner } from './rules/sentences.ts';

/** A record that cannot be read. A list shows a placeholder for it (rules/lists.md#unreadable-records). */
export interface Unreadable {
  name: string;
  version: number;
  unreadable: unknown;
}

/** A kind of records, as lists and reads of it need it. */
export interface Readable<R extends Versioned> {
  kind: Kind<R>;
  /** Name of its list in cursors. */
  list: string;
  unknown: (org: Organization, name: string) => ServiceError;
}

export const READ_ROOTS: Readable<TrustRootRecord> = {
  kind: TRUST_ROOTS,
  list: 'trust-roots',
  unknown: (org, root) => unknownRoot({ root, org: org.name }),
};
export const READ_SIGNERS: Readable<SignerRecord> = {
  kind: SIGNERS,
  list: 'signers',
  unknown: (org, signer) => unknownSigner({ signer, org: org.name }),
};

export const READ_RECALLS: Readable<RecallRecord> = {
  kind: RECALLS,
  list: 'recalls',
  unknown: (org, recall) => unknownRecall({ recall, org: org.name }),
};

/** Reads a record, deleted or not. @throws ServiceError `not-found` if none has the name */
export async function getVersioned<R extends Versioned>(
  { kind, unknown }: Readable<R>,
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
): Promise<R> {
  const record = await readVersioned(kind, table, org.id, name);
  if (!record) throw unknown(org, name);
  return record;
}

/** @returns the name of the last record of the page before; null if the cursor does not belong to this list */
export const readVersionedCursor = (list: string, org: OrganizationId, cursor: string): string | null =>
  readNameCursorIn([org, list], cursor, SignerName);

/**
 * Lists records by name, deleted ones too.
 *
 * @param after result of {@link readVersionedCursor}; undefined = the first page
 * @returns the page, and the cursor of the next one; null on the last page
 */
export async function listVersioned<R extends Versioned>(
  { kind, list }: Readable<R>,
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ records: (R | Unreadable)[]; next: string | null }> {
  const items = await readVersionedItems(kind, table, org, { after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1)?.sk : undefined;
  return {
    records: page.map((item) => parsed(kind, item, { name: item.sk, version: 0 })),
    next: last === undefined ? null : cursorIn([org, list], last),
  };
}

/**
 * Reads a page of the versions of a record, the newest first.
 *
 * @param page pages begin with 1
 * @throws ServiceError `not-found` if none has the name
 */
export async function listVersions<R extends Versioned>(
  readable: Readable<R>,
  stores: Pick<Stores, 'table'>,
  org: Organization,
  { name, page, perPage }: { name: string; page: number; perPage: number },
): Promise<{ total: number; versions: (R | Unreadable)[] }> {
  const { version: total } = await getVersioned(readable, stores, org, name);
  const to = total - (page - 1) * perPage;
  const from = Math.max(1, to - perPage + 1);
  const items = await readVersionItems(readable.kind, stores.table, org.id, { name, from, to });
  return { total, versions: items.map((item, i) => parsed(readable.kind, item, { name, version: to - i })) };
}

function parsed<R extends Versioned>(
  { schema }: Kind<R>,
  item: Item,
  known: { name: string; version: number },
): R | Unreadable {
  const { data, error } = schema.safeParse(item);
  return data ?? { ...known, unreadable: error };
}
