import type { Micros } from '#shared/base/time.ts';
import type { RecallRecord, RecallTarget } from './records.ts';

/** Which signatures a recall matches (rules/verified-evidence.md#what-a-recall-matches). */

/** What of a verified signature recalls compare. */
export interface Signed {
  signer: string;
  root: { name: string; version: number | null };
  run: string | null;
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
export const recalledBy = <R extends Pick<RecallRecord, 'target' | 'from' | 'until' | 'deleted'>>(
  signed: Signed,
  at: Micros,
  recalls: readonly R[],
): R[] => recalls.filter((recall) => !recall.deleted && matches(recall.target, signed) && isInTime(recall, signed, at));

function matches(target: RecallTarget, { signer, root, run, builder, key, bundle }: Signed): boolean {
  switch (target.kind) {
    case 'signer':
      return target.signer === signer;
    case 'run':
      return target.run === run;
    case 'builder':
      return target.builder === builder;
    case 'root':
      return target.name === root.name && (target.version === null || target.version === root.version);
    case 'key':
      return target.digest === key;
    case 'bundles':
      return bundle !== null && target.digests.includes(bundle);
  }
}

function isInTime({ from, until }: Pick<RecallRecord, 'from' | 'until'>, { times }: Signed, at: Micros): boolean {
  if (times.length === 0) return from === null || at >= from;
  return times.some((time) => (from === null || time >= from) && (until === null || time < until));
}
