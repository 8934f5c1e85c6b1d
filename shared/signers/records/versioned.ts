import type * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { type Item, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { RecallRecord, type Versioned } from '../rules/recall-records.ts';
import { SignerName, SignerRecord, TrustRootRecord } from '../rules/records.ts';
import {
  recallKey,
  recallList,
  recallVersionKey,
  signerKey,
  signerList,
  signerVersionKey,
  trustRootKey,
  trustRootList,
  trustRootVersionKey,
} from './keys.ts';

/** Where records of a kind lie, and how exports show them. Trust roots, signers and recalls are stored alike. */
export interface Kind<R extends Versioned> {
  /** What audit entries call a record. Their kinds begin with it. */
  readonly subject: 'trust_root' | 'signer' | 'recall';
  /** What a version says of itself in audit entries. The digest stands for the text of a trust root. */
  readonly factsOf: (one: R) => Readonly<Record<string, unknown>>;
  readonly schema: z.ZodType<R>;
  readonly listOf: (org: OrganizationId) => PartitionKey;
  readonly keyOf: (org: OrganizationId, name: string) => Key;
  readonly versionKeyOf: (org: OrganizationId, name: string, version: number) => Key;
  /** What a new version leaves behind (rules/organizations.md#covers). */
  readonly coversOf: (before: R | undefined, after: R) => Cover[];
}

/** How exports show the records and their versions. */
export const SHOWN_ROOT = { item: 'trust_root', schema: TrustRootRecord };
export const SHOWN_ROOT_VERSION = { item: 'version', schema: TrustRootRecord };
export const SHOWN_SIGNER = { item: 'signer', schema: SignerRecord };
export const SHOWN_SIGNER_VERSION = { item: 'version', schema: SignerRecord };
export const SHOWN_RECALL = { item: 'recall', schema: RecallRecord };
export const SHOWN_RECALL_VERSION = { item: 'version', schema: RecallRecord };

export const TRUST_ROOTS: Kind<TrustRootRecord> = {
  subject: 'trust_root',
  factsOf: ({ kind, digest, description }) => ({ kind, digest, description }),
  schema: TrustRootRecord,
  listOf: trustRootList,
  keyOf: trustRootKey,
  versionKeyOf: trustRootVersionKey,
  coversOf: (before, after) => [
    coverOf('trust-roots/trust_root', before && lineOf(SHOWN_ROOT, before), lineOf(SHOWN_ROOT, after)),
    coverOf('trust-roots/version', undefined, lineOf(SHOWN_ROOT_VERSION, after)),
  ],
};

export const SIGNERS: Kind<SignerRecord> = {
  subject: 'signer',
  factsOf: ({ root, issuer, subjects, claims, description }) => ({
    root,
    issuer,
    subjects,
    claims: Object.fromEntries(claims.map(({ name, values }) => [name, values])),
    description,
  }),
  schema: SignerRecord,
  listOf: signerList,
  keyOf: signerKey,
  versionKeyOf: signerVersionKey,
  coversOf: (before, after) => [
    coverOf('signers/signer', before && lineOf(SHOWN_SIGNER, before), lineOf(SHOWN_SIGNER, after)),
    coverOf('signers/version', undefined, lineOf(SHOWN_SIGNER_VERSION, after)),
  ],
};

export const RECALLS: Kind<RecallRecord> = {
  subject: 'recall',
  factsOf: ({ target, from, until, reason }) => ({ target, from, until, reason }),
  schema: RecallRecord,
  listOf: recallList,
  keyOf: recallKey,
  versionKeyOf: recallVersionKey,
  coversOf: (before, after) => [
    coverOf('recalls/recall', before && lineOf(SHOWN_RECALL, before), lineOf(SHOWN_RECALL, after)),
    coverOf('recalls/version', undefined, lineOf(SHOWN_RECALL_VERSION, after)),
  ],
};

/** Reads a record, even a deleted one; undefined if none has the name. */
export const readVersioned = async <R extends Versioned>(
  { schema, keyOf }: Kind<R>,
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<R | undefined> =>
  SignerName.safeParse(name).success ? readRecord(table, keyOf(org, name), schema) : undefined;

/**
 * Reads the items of records, sorted by name. The caller parses each item, so one unreadable item does not fail the list.
 *
 * @param after name of the last record of the page before
 */
export async function readVersionedItems<R extends Versioned>(
  { listOf }: Kind<R>,
  table: Table,
  org: OrganizationId,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<Item[]> {
  // The zero makes the smallest sort key behind `after`.
  return table.query({ pk: listOf(org), limit, ...(after !== undefined && { from: `${after}\0` }) });
}

/** Reads the items of the versions `from` to `to` of a record, the newest first. */
export async function readVersionItems<R extends Versioned>(
  { versionKeyOf }: Kind<R>,
  table: Table,
  org: OrganizationId,
  { name, from, to }: { name: string; from: number; to: number },
): Promise<Item[]> {
  // DynamoDB refuses a range whose bounds are in the wrong order.
  if (from > to) return [];
  const { pk, sk } = versionKeyOf(org, name, from);
  return table.query({ pk, from: sk, to: versionKeyOf(org, name, to).sk, newestFirst: true });
}

/**
 * Returns the writes that add a version to a record, and what they leave behind (rules/organizations.md#covers). They are refused
 * with `again` if the record has changed since it was read, or if it is not new. The version itself needs no condition: that of the
 * record refuses a second writer.
 */
export function versionWrites<R extends Versioned>(
  { keyOf, versionKeyOf, coversOf }: Kind<R>,
  org: OrganizationId,
  before: R | undefined,
  after: R,
): { writes: Write<'again'>[]; covers: Cover[] } {
  return {
    writes: [
      {
        put: { ...keyOf(org, after.name), ...after },
        ...onlyIf(before ? unchanged<Versioned>(before, 'version') : absent()),
        refused: again,
      },
      { put: { ...versionKeyOf(org, after.name, after.version), ...after } },
    ],
    covers: coversOf(before, after),
  };
}
