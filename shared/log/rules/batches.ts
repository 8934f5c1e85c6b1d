import type { Subject } from './entry.ts';

/** How waiting entries are ordered and cut into batches (rules/log.md#batches). */

/** A transaction has 100 writes: the head of the log, the batch, and a claim for each entry. */
export const BATCH_ENTRIES = 98;
/** Bytes of the entries of one batch. An item of the table has at most 400 KB. */
export const BATCH_BYTES = 300_000;
/** Entries of a full bundle. No batch has entries of two bundles. */
export const BUNDLE_ENTRIES = 256;

/**
 * Returns how many of the waiting entries the next batch takes.
 *
 * @param size entries that the log has
 * @param lengths bytes of each waiting entry, in order
 * @returns at least 1 if an entry waits
 */
export function batchLength(size: number, lengths: readonly number[]): number {
  const most = Math.min(BATCH_ENTRIES, BUNDLE_ENTRIES - (size % BUNDLE_ENTRIES), lengths.length);
  let bytes = lengths[0] ?? 0;
  let count = Math.min(1, most);
  while (count < most && bytes + (lengths[count] ?? 0) <= BATCH_BYTES) {
    bytes += lengths[count] ?? 0;
    count += 1;
  }
  return count;
}

/** The chain of a subject, as text. Links of one chain differ only in their number. */
function chainOf(subject: Subject): string {
  switch (subject.kind) {
    case 'trail':
      return `T#${subject.flow}#${subject.trail}`;
    case 'environment':
      return `E#${subject.environment}`;
    case 'audit':
      return `A#${subject.entry}`;
    case 'evaluation':
      return `V#${subject.evaluation}`;
    case 'statement':
      return `S#${subject.digest}`;
  }
}

/** The number of a subject in its chain. Audit entries, evaluations and statements stand alone. */
const numberOf = (subject: Subject): number => ('number' in subject ? subject.number : 0);

export const subjectName = (subject: Subject): string => `${chainOf(subject)}#${numberOf(subject)}`;

export function compareSubjects(one: Subject, other: Subject): number {
  const [chain, otherChain] = [chainOf(one), chainOf(other)];
  if (chain === otherChain) return numberOf(one) - numberOf(other);
  return chain < otherChain ? -1 : 1;
}
