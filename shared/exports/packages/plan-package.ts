import { type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { attestationKey, momentPartition } from '#shared/evidence/records/keys.ts';
import { MomentItem } from '#shared/evidence/records/trail-items.ts';
import { PACKAGE_PROBLEMS } from '../rules/sentences.ts';
import type { ExporterServices } from '../services.ts';
import { findRecords, type TrailPlace } from './find-records.ts';
import type { PackagePlan } from './package-plan.ts';
import type { StartedPackage } from './started-package.ts';

const TRAILS_AT_ONCE = 8;
/** Moments of one package. A receipt has about a kilobyte. */
const MOST_MOMENTS = 20_000;

/** Finds what a package holds (rules/exports.md#records-of-a-package). @returns the problem if a package cannot hold it */
export async function planPackage(
  services: ExporterServices,
  org: OrganizationId,
  record: StartedPackage,
): Promise<PackagePlan | { problem: string }> {
  const found = await findRecords(services, org, record.scope, services.clock.now());
  if (found === 'too many') return { problem: PACKAGE_PROBLEMS.size };
  const trails = await inParallel(found.trails, TRAILS_AT_ONCE, (place) => readTrail(services, org, place));
  const present = trails.filter((trail) => trail !== null);
  if (present.reduce((sum, { last }) => sum + last, 0) > MOST_MOMENTS) return { problem: PACKAGE_PROBLEMS.size };
  if (present.length + found.snapshots.length + found.evaluations.length === 0) {
    return { problem: PACKAGE_PROBLEMS.empty };
  }
  return {
    trails: present.map(({ attestations: _, ...trail }) => trail),
    snapshots: found.snapshots,
    evaluations: found.evaluations,
    statements: record.statements ?? [],
    files: await filesOf(
      services,
      org,
      present.flatMap(({ attestations }) => attestations),
    ),
  };
}

type PlannedTrail = PackagePlan['trails'][number] & { attestations: string[] };

/** @returns null if the trail has no moment */
async function readTrail(
  { table }: ExporterServices,
  org: OrganizationId,
  { flow, trail }: TrailPlace,
): Promise<PlannedTrail | null> {
  const items = await table.query({ pk: momentPartition(org, flow, trail) });
  const last = items.at(-1);
  if (!last) return null;
  const moments = items.map((item) => MomentItem.parse(item));
  return {
    flow,
    trail,
    id: storedId<TrailId>(MomentItem.parse(last).trail),
    last: Number(last.sk),
    attestations: moments.flatMap(({ kind, record }) =>
      record !== undefined && kind !== 'artifact_creation_reported' ? [record] : [],
    ),
  };
}

const Files = AttestationRecord.pick({ files: true });

async function filesOf({ table }: ExporterServices, org: OrganizationId, attestations: readonly string[]) {
  const found = await table.getMany([...new Set(attestations)].map((id) => attestationKey(org, storedId(id))));
  const digests = [...found.values()].flatMap((item) => Files.parse(item).files.map(({ sha256 }) => sha256));
  return [...new Set(digests)].filter((digest) => digest !== '').sort();
}
