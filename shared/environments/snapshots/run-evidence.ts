import { type Fingerprint, isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { keyText } from '#shared/table/table.ts';
import { readAllowedEntries } from '../records/allowed.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import type { ArtifactRun } from '../rules/history.ts';

/** What an auditor asks about each row of a history (rules/environments.md#evidence-of-a-run). Absent if it was not asked for. */
export interface RunEvidence {
  /** Accepted writes of the trail until now; null without provenance. */
  trailMoments?: number | null;
  /** The entry of the allow-list that is in force now: who made it, when and why. */
  allowed?: { by: string; at: Micros; description: string } | null;
}

/** Reads what was asked for some rows, one batch per 100 trails or artifacts. @returns what a row shows of it */
export async function readRunEvidence(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { id }: EnvironmentHead,
  { runs, include }: { runs: readonly ArtifactRun[]; include: readonly ('evidence' | 'allowed')[] },
): Promise<(run: ArtifactRun) => RunEvidence> {
  const fingerprints = new Set(runs.map(({ fingerprint }) => fingerprint).filter(isKnown));
  const [heads, allowed] = await Promise.all([
    include.includes('evidence') ? table.getMany(runs.flatMap(trailKeys)) : null,
    include.includes('allowed') ? readAllowedEntries(table, org, id, fingerprints) : null,
  ]);
  const momentsOf = (run: ArtifactRun): number | null => {
    const [key] = trailKeys(run);
    const head = key && heads?.get(keyText(key));
    return head ? TrailHead.parse(head).number : null;
  };
  const allowanceOf = (fingerprint: string) => {
    const entry = allowed?.get(fingerprint);
    return entry ? { by: entry.by.name, at: entry.at, description: entry.description } : null;
  };
  return (run) => ({
    ...(heads && { trailMoments: momentsOf(run) }),
    ...(allowed && { allowed: allowanceOf(run.fingerprint) }),
  });

  function trailKeys({ origin }: ArtifactRun) {
    return origin ? [trailHeadKey(trailPartition(org, origin.flow, origin.trail))] : [];
  }
}

const isKnown = (fingerprint: Fingerprint | ''): fingerprint is Fingerprint => isFingerprint(fingerprint);
