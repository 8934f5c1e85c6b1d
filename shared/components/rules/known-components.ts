import type { AttestationId } from '#shared/base/ids.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import { gradeOfSlot } from '#shared/evidence/rules/slot-proof.ts';
import type { AttestationSlot } from '#shared/evidence/rules/trail-state.ts';
import type { Grade } from '#shared/evidence/rules/verification.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import type { ListedVersion } from './held-versions.ts';
import type { NotKnown } from './not-known.ts';
import type { PackageName } from './package-name.ts';
import type { ArtifactSboms, StoredSbom } from './trail-sboms.ts';

/** What the present evidence says of the components of an artifact (rules/policies.md#sboms). */
export interface KnownComponents {
  /** Why not all of its components are known; null if they are. */
  unknown: UnknownComponents | null;
  /** Its SBOMs that count and could be read. */
  sboms: readonly KnownSbom[];
}

interface UnknownComponents {
  kind: NotKnown['kind'];
  /** Name of the attestation whose SBOM is the reason; null if there is none. */
  sbom: string | null;
  /** Names of the recalls that match it. */
  recalls: readonly string[];
}

interface KnownSbom {
  /** Name of the attestation. */
  name: string;
  grade: Grade;
  /** Name of the signer; absent if nobody signed. */
  signer?: string;
  /** Returns the versions that it lists of a package. @throws Error if nobody has read the package */
  versionsOf: (one: PackageName) => readonly ListedVersion[];
}

/** What is known of an artifact without a trail. */
export const NOTHING_KNOWN: KnownComponents = { unknown: { kind: 'none', sbom: null, recalls: [] }, sboms: [] };

interface ReadSbom extends StoredSbom {
  /** Digest of its components; null unless it was read. */
  set: string | null;
}

/** What one trail has of an artifact, with the latest attestations of the trail by their ids. */
export interface SbomsInTrail<S extends ReadSbom> extends ArtifactSboms<S> {
  slots: ReadonlyMap<AttestationId, Pick<AttestationSlot, 'origin'>>;
}

/**
 * Joins what the trails of an artifact say of its components. An SBOM that was reported and not read yet makes them unknown, also beside
 * others: it can list what the others do not.
 *
 * @param versionsIn returns the versions that a set lists of a package
 */
export function knownComponents<S extends ReadSbom>(
  trails: readonly SbomsInTrail<S>[],
  recalls: readonly Recall[],
  versionsIn: (set: string, one: PackageName) => readonly ListedVersion[],
): KnownComponents {
  const sboms = trails.flatMap(({ counted, slots }) =>
    counted.flatMap(({ id, name, proof, set }): KnownSbom[] => {
      if (set === null) return [];
      const signer = proof?.signer?.name;
      // What an earlier record of a slot has no proof of, nobody knows the reporter of.
      const grade = gradeOfSlot({ proof, origin: slots.get(id)?.origin });
      return [{ name, grade, ...(signer !== undefined && { signer }), versionsOf: (one) => versionsIn(set, one) }];
    }),
  );
  return { unknown: unknownOf(trails, recalls), sboms };
}

function unknownOf<S extends ReadSbom>(
  trails: readonly ArtifactSboms<S>[],
  recalls: readonly Recall[],
): UnknownComponents | null {
  const because = (kind: NotKnown['kind'], sbom: string | null = null) => ({ kind, sbom, recalls: [] });
  const counted = trails.flatMap((trail) => trail.counted);
  const unreadable = counted.find(({ state }) => state === 'unreadable');
  if (unreadable) return because('unreadable', unreadable.name);
  const [pending] = trails.flatMap((trail) => trail.pending);
  if (pending) return because('pending', pending.name);
  if (counted.length > 0) return null;
  const recalled = trails.flatMap((trail) => trail.recalled).at(-1);
  if (recalled) {
    return {
      kind: 'recalled',
      sbom: recalled.name,
      recalls: matchingRecalls(recalled, recalls).map(({ name }) => name),
    };
  }
  const [erased] = trails.flatMap((trail) => trail.erased);
  return erased ? because('erased', erased.name) : because('none');
}
