import * as z from 'zod';
import { isId, type OrganizationId } from '#shared/base/ids.ts';
import type { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { type Micros, StoredMicros, toSeconds } from '#shared/base/time.ts';
import { equal, onlyIf } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { bodyKey, bodyPartition, bodyUseKey, erasureKey, erasurePartition } from './keys.ts';

/** When and why something was erased (rules/erasure.md#erased-records). */
export const Erasure = z.object({ at: StoredMicros, reason: z.string() });
export type Erasure = z.infer<typeof Erasure>;

/** An erasure in answers. */
export const ErasureOut = z
  .object({
    at: z.number().meta({ description: 'When the content was erased, in seconds since the epoch' }),
    reason: z.string().meta({ description: 'Why the operator erased the content' }),
  })
  .meta({ id: 'Erasure', description: 'Present if the content of the record was erased.' })
  .optional()
  .describe('When and why an operator erased the content. Present if the content was erased');

/** Returns the member `erased` of an answer; no member if nothing was erased. */
export const erasedOut = (erasure: Erasure | undefined): { erased?: z.input<typeof ErasureOut> } =>
  erasure ? { erased: { at: toSeconds(erasure.at), reason: erasure.reason } } : {};

/** Returns an erasure as error sentences name it. */
export const erasureWords = ({ at, reason }: Erasure): { at: string; reason: string } => ({
  at: new Date(toSeconds(at) * 1000).toISOString(),
  reason,
});

/** An object of the bucket that is named by the SHA-256 of its content. */
interface ContentObject {
  prefix: 'bodies' | 'evidence';
  sha256: string;
}

/** The erasure of one record, as far as it was not done before. */
export interface ErasurePlan {
  /** Kind and id of the record: `attestation 0192…`. Never any content. */
  what: string;
  /**
   * In this order, and none if the record was erased before. The outcome `again` means that another writer changed the
   * record.
   */
  writes: Write<'again'>[];
  /**
   * The commitments whose texts are erased: names by the SHA-256 of their entries of the log. The audit entries of the
   * erasure name all of them, because a text may be missing only if an entry says so (rules/erasure.md#audit-of-an-erasure).
   */
  removed?: Removed;
  /** What the erasure leaves behind of records that the audit log covers. */
  covers?: readonly Cover[];
  /** Objects whose content is erased, with the name of the record among the uses of the content. */
  objects: (ContentObject & { user: string })[];
  /** Stores what is kept of a text, before the writes. */
  upload?: () => Promise<void>;
}

/** Reads which records use a content, and whether it is a shared body (rules/storage.md#uses-of-a-body). */
export async function usesOf(
  table: Table,
  org: OrganizationId,
  sha256: string,
): Promise<{ isShared: boolean; users: string[] }> {
  const items = await table.query({ pk: bodyPartition(org, sha256) });
  const prefix = bodyUseKey(org, sha256, '').sk;
  return {
    isShared: items.some(({ sk }) => sk === bodyKey(org, sha256).sk),
    users: items.filter(({ sk }) => sk.startsWith(prefix)).map(({ sk }) => sk.slice(prefix.length)),
  };
}

const Pending = z.object({ prefix: z.enum(['bodies', 'evidence']), sha256: z.string(), at: StoredMicros });
/** An object that is to be removed from the bucket. Versions that were stored after `at` belong to newer records. */
type PendingRemoval = z.infer<typeof Pending>;

/** Returns the write that notes the removal of an object, for the transaction that erases its record. */
export const pendingWrite = (org: OrganizationId, { prefix, sha256 }: ContentObject, at: Micros): Write => ({
  put: { ...erasureKey(org, prefix, sha256), v: 1, prefix, sha256, at },
});

/** Reads the removals that are still to be done. */
export const readPending = async (table: Table, org: OrganizationId): Promise<PendingRemoval[]> =>
  (await table.query({ pk: erasurePartition(org) })).map((item) => Pending.parse(item));

/** Removes the note of a removal that is done, unless a later erasure renewed the note. */
export const pendingDone = (org: OrganizationId, { prefix, sha256, at }: PendingRemoval): Write<'renewed'> => ({
  remove: erasureKey(org, prefix, sha256),
  ...onlyIf(equal({ at })),
  refused: () => 'renewed',
});

/** Returns the write that removes a record from the uses of an erased content. */
export const useRemoval = (org: OrganizationId, { sha256, user }: ErasurePlan['objects'][number]): Write => ({
  remove: bodyUseKey(org, sha256, user),
});

/**
 * Whether a use is that of a file. Uses of files are named by the id of the attestation alone, uses of texts begin with a
 * kind (rules/storage.md#uses-of-a-body).
 */
export const isFileUse = (user: string): boolean => isId(user);
