import type { Micros } from '#shared/base/time.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import type { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import { type Scope, scopeKey } from '#shared/evidence/rules/trail-state.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';

/** Which SBOMs of a trail count as of an instant (rules/components.md#sboms-that-count). */

export interface ReportedSbom {
  /** Name of the attestation. */
  name: string;
  scopes: readonly Scope[];
  at: Micros;
  /** Number of the moment in the trail. */
  number: number;
  state: 'read' | 'unreadable' | 'erased';
  proof?: SlotProof | undefined;
}

interface CountedSbom<S> {
  scope: Scope;
  sbom: S;
}

/**
 * Returns the SBOMs of one trail that count as of an instant: per scope and name the newest one that was reported until then, is not
 * erased and that no recall matches.
 *
 * @param recalls as they were at the instant
 */
export function countedSboms<S extends ReportedSbom>(
  sboms: readonly S[],
  asOf: Micros,
  recalls: readonly Recall[],
): CountedSbom<S>[] {
  const newest = new Map<string, CountedSbom<S>>();
  for (const sbom of sboms) {
    if (sbom.at > asOf || sbom.state === 'erased' || matchingRecalls(sbom, recalls).length > 0) continue;
    for (const scope of sbom.scopes) {
      const key = JSON.stringify([scopeKey(scope), sbom.name]);
      const other = newest.get(key);
      if (!other || other.sbom.number < sbom.number) newest.set(key, { scope, sbom });
    }
  }
  return [...newest.values()];
}
