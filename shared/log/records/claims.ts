import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { absent, either, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, type Key, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { NumberedSubject, Subject } from '../rules/entry.ts';
import { auditClaimKey, environmentClaimKey, evaluationClaimKey, statementClaimKey, trailClaimKey } from './keys.ts';

/** Claims: the index of each subject's entry, and the hash of the entry (rules/log.md#claims). */

export const Claim = z.object({
  index: z.number(),
  /** SHA-256 of the entry, which is the hash of the link. */
  hash: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
export type Claim = z.infer<typeof Claim>;

export function claimKey(org: OrganizationId, subject: Subject): Key {
  switch (subject.kind) {
    case 'trail':
      return trailClaimKey(org, subject.flow, subject.trail, subject.number);
    case 'environment':
      return environmentClaimKey(org, subject.environment, subject.number);
    case 'audit':
      return auditClaimKey(org, monthOf(subject.entry), subject.entry);
    case 'evaluation':
      return evaluationClaimKey(org, monthOf(subject.evaluation), subject.evaluation);
    case 'statement':
      return statementClaimKey(org, subject.digest);
  }
}

export const claimWrite = <R>(org: OrganizationId, subject: Subject, claim: Claim, claimed: () => R): Write<R> =>
  putIfAbsent<R>({ ...claimKey(org, subject), v: 1, ...claim } satisfies Item, claimed);

/** Writes the claim of an entry that comes back to its index. A claim with this index may be there. */
export const replayedClaimWrite = <R>(
  org: OrganizationId,
  subject: Subject,
  claim: Claim,
  other: () => R,
): Write<R> => ({
  put: { ...claimKey(org, subject), v: 1, ...claim } satisfies Item,
  ...onlyIf(either(absent(), unchanged(claim, 'index'))),
  refused: other,
});

export const claimOf = (item: Item | undefined): Claim | null => (item ? Claim.parse(item) : null);

/** Returns the index of a subject's entry in the log; null if the log does not have it. */
export async function indexOf(table: Table, org: OrganizationId, subject: Subject): Promise<number | null> {
  return claimOf(await table.get(claimKey(org, subject)))?.index ?? null;
}

/** Reads the claims of subjects. @returns in the order of the subjects; null where the log has no entry */
export async function readClaims(
  table: Table,
  org: OrganizationId,
  subjects: readonly Subject[],
): Promise<(Claim | null)[]> {
  const keys = subjects.map((subject) => claimKey(org, subject));
  const found = await table.getMany(keys);
  return keys.map((key) => claimOf(found.get(keyText(key))));
}

/** Returns the things whose subjects have no entry in the log. */
export async function withoutEntry<T>(
  table: Table,
  org: OrganizationId,
  things: readonly T[],
  subjectOf: (thing: T) => Subject,
): Promise<T[]> {
  const claims = await readClaims(table, org, things.map(subjectOf));
  return things.filter((_, i) => !claims[i]);
}

/** Reads claims of a chain, ascending, from the number of the subject on. @param limit most claims */
export async function readClaimsFrom(
  table: Table,
  org: OrganizationId,
  subject: NumberedSubject,
  limit: number,
): Promise<(Claim & { number: number })[]> {
  const { pk, sk: from } = claimKey(org, subject);
  const items = await table.query({ pk, from, limit });
  return items.map((item) => ({ ...Claim.parse(item), number: Number(item.sk) }));
}

/** Returns the greatest number below that of a subject which is in the log; 0 if there is none. */
export async function lastNumberBefore(table: Table, org: OrganizationId, subject: NumberedSubject): Promise<number> {
  const { pk, sk } = claimKey(org, { ...subject, number: subject.number - 1 });
  const [item] = await table.query({ pk, to: sk, newestFirst: true, limit: 1 });
  return item ? Number(item.sk) : 0;
}
