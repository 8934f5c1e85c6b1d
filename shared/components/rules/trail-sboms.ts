import type { AttestationId, Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import { type AttestationSlot, type Scope, scopeKey } from '#shared/evidence/rules/trail-state.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { countedSboms, type ReportedSbom } from './counted-sboms.ts';

/** What a trail has of the SBOMs of an artifact (rules/components.md#sboms-that-count). */

export interface StoredSbom extends ReportedSbom {
  id: AttestationId;
  /** Why it cannot be read; null if it was read or erased. */
  why: string | null;
}

/** An artifact in a trail. */
export interface ReportedArtifact {
  fingerprint: Fingerprint;
  /** Template reference names and commits of its reports in the trail. */
  reports: readonly { name: string; commit: string }[];
}

export interface ArtifactSboms<S> {
  counted: S[];
  /** Those that recalls match. */
  recalled: S[];
  erased: S[];
  /** The latest attestations of the type `sbom` that were not read yet. */
  pending: AttestationSlot[];
}

/**
 * Returns a function that finds the SBOMs of one artifact of a trail after another, as of an instant.
 *
 * @param trail `slots` are its latest attestations; none if they were not read
 * @param recalls as they were at the instant
 */
export function trailSboms<S extends StoredSbom>(
  { sboms, slots }: { sboms: readonly S[]; slots: readonly AttestationSlot[] },
  asOf: Micros,
  recalls: readonly Recall[],
): (artifact: ReportedArtifact) => ArtifactSboms<S> {
  const reported = sboms
    .filter(({ at }) => at <= asOf)
    .flatMap((sbom) => sbom.scopes.map((scope) => ({ scope, sbom })));
  const counted = byScope(countedSboms(sboms, asOf, recalls));
  const recalled = byScope(
    reported.filter(({ sbom }) => sbom.state !== 'erased' && matchingRecalls(sbom, recalls).length > 0),
  );
  const erased = byScope(reported.filter(({ sbom }) => sbom.state === 'erased'));
  const read = new Set(sboms.map(({ id }) => id));
  const pending = byScope(
    slots
      .filter((slot) => slot.at <= asOf && mayBePending(slot, read))
      .map((slot) => ({ scope: slot.scope, sbom: slot })),
  );
  return (artifact) => {
    const keys = scopesOf(artifact);
    return {
      counted: counted(keys),
      recalled: recalled(keys),
      erased: erased(keys),
      pending: pending(keys),
    };
  };
}

/** The attestation that was reported: an override has no files of its own. */
export const reportedId = ({ id, overridden }: AttestationSlot): AttestationId => overridden ?? id;

/** Whether the worker may have to read an attestation. @param read ids of the attestations with SBOMs */
export const mayBePending = (slot: AttestationSlot, read: ReadonlySet<AttestationId>): boolean =>
  slot.type === 'sbom' && !read.has(reportedId(slot));

/** @returns a function that finds what is about one of several scopes, each once */
function byScope<T>(found: readonly { scope: Scope; sbom: T }[]): (keys: readonly string[]) => T[] {
  const groups = Map.groupBy(found, ({ scope }) => scopeKey(scope));
  return (keys) => [...new Set(keys.flatMap((key) => (groups.get(key) ?? []).map(({ sbom }) => sbom)))];
}

const scopesOf = ({ fingerprint, reports }: ReportedArtifact): string[] => [
  scopeKey({ kind: 'trail' }),
  scopeKey({ kind: 'fingerprint', fingerprint }),
  ...new Set(reports.map(({ name, commit }) => scopeKey({ kind: 'named', artifact: name, commit }))),
];
