import { isFingerprint } from '#shared/base/ids.ts';
import { type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { listingEntries } from '#shared/series/listings.ts';
import { attestationsNamed, momentsBoundTo, readBrought } from '../attestations-of-moments.ts';
import type { AttestationRecord } from '../records/attestation-records.ts';
import { readMomentsOfTrails } from '../records/moments.ts';
import { readBesideFlow, readTrailMoments } from '../records/trails.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '../rules/sentences.ts';
import { EVIDENCE_FACETS, trailsOf } from '../rules/series-kinds.ts';

interface AttestationsOfFlow {
  /** Present name of the flow. */
  flow: FlowName;
  /** Newest first. */
  records: AttestationRecord[];
}

/**
 * Reads every attestation of a name in a trail (rules/attestations.md#by-name-in-a-trail).
 *
 * @throws ServiceError `not-found` if there is no such flow or trail
 */
export async function readTrailAttestations(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { name, ...target }: { flow: FlowName; trail: TrailName; name: string },
): Promise<AttestationsOfFlow> {
  const { flow, moments } = await readTrailMoments(table, org.id, target);
  if (!flow) throw unknownFlow({ flow: target.flow, org: org.name });
  if (!moments) throw unknownTrail({ ...target, org: org.name });
  const records = await readBrought(table, org.id, attestationsNamed(moments, name).reverse());
  return { flow: flow.name, records };
}

/**
 * Reads every attestation of a name that is bound to an artifact in any trail of a flow
 * (rules/attestations.md#by-name-of-an-artifact).
 *
 * @throws ServiceError `not-found` if there is no such flow, or if it has no report of the artifact
 */
export async function readArtifactAttestations(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  given: { flow: FlowName; fingerprint: string; name: string },
): Promise<AttestationsOfFlow> {
  const fingerprint = isFingerprint(given.fingerprint) ? given.fingerprint : null;
  const { flow, beside: places } = await readBesideFlow(table, org.id, given.flow, async (id) =>
    fingerprint === null
      ? []
      : listingEntries(table, org.id, EVIDENCE_FACETS, trailsOf(fingerprint), { f: id }, clock.now()),
  );
  if (!flow) throw unknownFlow({ flow: given.flow, org: org.name });
  if (fingerprint === null || places.length === 0) {
    throw artifactNotInFlow({ fingerprint: given.fingerprint, flow: given.flow, org: org.name });
  }
  const trails = await readMomentsOfTrails(
    table,
    org.id,
    places.map(({ t }) => ({ flow: flow.id, trail: storedName<TrailName>(String(t)) })),
  );
  const found = trails.flatMap((moments) => attestationsNamed(momentsBoundTo(moments, fingerprint), given.name));
  const records = await readBrought(table, org.id, found);
  return { flow: flow.name, records: records.sort((a, b) => b.at - a.at) };
}
