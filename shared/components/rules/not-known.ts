import type { Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { AttestationSlot } from '#shared/evidence/rules/trail-state.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { type ReportedArtifact, type StoredSbom, trailSboms } from './trail-sboms.ts';

/** Why nobody knows the components of an artifact that runs (rules/components.md#not-known). */
export interface NotKnown {
  kind: 'unreadable' | 'pending' | 'recalled' | 'erased' | 'none';
  why: string;
}

/** A running artifact in one of the trails that vouch for it. */
interface InTrail {
  /** Template reference name and commit of its report. */
  reported: ReportedArtifact['reports'][number];
  sboms: readonly StoredSbom[];
  /** The latest attestations of the trail; none if they were not read. */
  slots: readonly AttestationSlot[];
}

/**
 * Returns why the components of an artifact are not known as of an instant; null if they are known.
 *
 * They are known if an SBOM of it counts and none that counts is unreadable: what an unreadable one lists could be the asked
 * component.
 */
export function whyNotKnown(
  { fingerprint, trails }: { fingerprint: Fingerprint; trails: readonly InTrail[] },
  asOf: Micros,
  recalls: readonly Recall[],
): NotKnown | null {
  if (trails.length === 0) return { kind: 'none', why: 'No flow has reported it' };
  const about = trails.map(({ reported, sboms, slots }) =>
    trailSboms({ sboms, slots }, asOf, recalls)({ fingerprint, reports: [reported] }),
  );
  const counted = about.flatMap((one) => one.counted);
  const unreadable = counted.find(({ state }) => state === 'unreadable');
  if (unreadable)
    return { kind: 'unreadable', why: `The SBOM ${unreadable.name} cannot be read: ${unreadable.why ?? ''}` };
  if (counted.length > 0) return null;
  if (about.some(({ pending }) => pending.length > 0)) return { kind: 'pending', why: 'Its SBOM is not read yet' };
  if (about.some(({ recalled }) => recalled.length > 0)) return { kind: 'recalled', why: 'Its SBOM is recalled' };
  if (about.some(({ erased }) => erased.length > 0)) return { kind: 'erased', why: 'Its SBOM was erased' };
  return { kind: 'none', why: 'No SBOM of it was reported' };
}
