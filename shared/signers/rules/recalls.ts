import { hash } from 'node:crypto';
import type { Micros } from '#shared/base/time.ts';
import type { RecallRecord, RecallTarget } from './recall-records.ts';

/** Which signatures a recall matches (rules/verified-evidence.md#what-a-recall-matches). */

/** The longest text of a run or of a builder that is kept for comparisons, in UTF-16 units. */
const LONGEST_KEPT = 512;

/**
 * Returns how a run or a builder is kept for comparisons: as it is, or as its digest if it is long. The issuer or the builder chooses
 * the text, so its length has no limit, and every slot and every index item would hold it.
 */
export const keptText = (text: string): string =>
  text.length <= LONGEST_KEPT ? text : `sha256:${hash('sha256', text)}`;

/** A recall, as far as verdicts go by it. */
export type Recall = Pick<
  RecallRecord,
  'name' | 'version' | 'target' | 'from' | 'until' | 'deleted' | 'changedAt' | 'reason'
>;

/** The part of a recall that says what it matches. */
export type RecallTerms = Pick<RecallRecord, 'target' | 'from' | 'until'>;

/** What of a verified signature recalls compare. */
export interface Signed {
  signer: string;
  root: { name: string; version: number | null };
  /** As {@link keptText} keeps it. */
  run: string | null;
  /** As {@link keptText} keeps it. */
  builder: string | null;
  /** SHA-256 of the public key. */
  key: string | null;
  /** SHA-256 of the text of the bundle. */
  bundle: string | null;
  /** When it was signed, as logs and timestamp authorities prove. */
  times: readonly Micros[];
}

/**
 * Finds the recalls that evidence falls under. Deleted ones recall nothing.
 *
 * The time of the signature counts, not that of the report: otherwise a bundle that is reported again would count again. A signature
 * whose time nothing proves can be as old as its holder likes. It is recalled from the beginning on, whatever the end is.
 *
 * @param at when the evidence was reported
 */
export const recalledBy = <R extends RecallTerms & Pick<RecallRecord, 'deleted'>>(
  signed: Signed,
  at: Micros,
  recalls: readonly R[],
): R[] => recalls.filter((recall) => !recall.deleted && matches(recall.target, signed) && isInTime(recall, signed, at));

function matches(target: RecallTarget, { signer, root, run, builder, key, bundle }: Signed): boolean {
  switch (target.kind) {
    case 'signer':
      return target.signer === signer;
    case 'run':
      return run !== null && keptText(target.run) === run;
    case 'builder':
      return builder !== null && keptText(target.builder) === builder;
    case 'root':
      return target.name === root.name && (target.version === null || target.version === root.version);
    case 'key':
      return target.digest === key;
    case 'bundles':
      return bundle !== null && target.digests.includes(bundle);
  }
}

function isInTime({ from, until }: RecallTerms, { times }: Signed, at: Micros): boolean {
  if (times.length === 0) return from === null || at >= from;
  return times.some((time) => (from === null || time >= from) && (until === null || time < until));
}
