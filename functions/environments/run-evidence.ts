import * as z from 'zod';
import { type Fingerprint, isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readAllowedEntries } from '#shared/environments/records/allowed.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import type { ArtifactRun } from '#shared/environments/rules/history.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { keyText, type Table } from '#shared/table/table.ts';

/** What an auditor asks about each row of a history (rules/environments.md#evidence-of-a-run). */

export const RunEvidence = {
  trail_moments: z.int().nullable().optional().meta({
    description: 'Accepted writes of the trail until now; null without provenance. Only with `include=evidence`',
  }),
  allowed: z
    .object({
      by: z.string().meta({ description: 'Name of the user or service account' }),
      at: z.number(),
      description: z.string().meta({ description: 'The reason' }),
    })
    .nullable()
    .optional()
    .meta({
      description: "The artifact's entry on the allow-list that is in force now, or null. Only with `include=allowed`",
    }),
};
const Shape = z.object(RunEvidence);
type RunEvidenceOut = z.input<typeof Shape>;

/** Reads what was asked for some rows, one batch per 100 trails or artifacts. @returns what a row shows of it */
export async function readRunEvidence(
  table: Table,
  org: OrganizationId,
  { id }: EnvironmentHead,
  { runs, include }: { runs: readonly ArtifactRun[]; include: readonly ('evidence' | 'allowed')[] },
): Promise<(run: ArtifactRun) => RunEvidenceOut> {
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
  const allowedOut = (fingerprint: string) => {
    const entry = allowed?.get(fingerprint);
    return entry ? { by: entry.by.name, at: toSeconds(entry.at), description: entry.description } : null;
  };
  return (run) => ({
    ...(heads && { trail_moments: momentsOf(run) }),
    ...(allowed && { allowed: allowedOut(run.fingerprint) }),
  });

  function trailKeys({ origin }: ArtifactRun) {
    return origin ? [trailHeadKey(trailPartition(org, origin.flow, origin.trail))] : [];
  }
}

const isKnown = (fingerprint: Fingerprint | ''): fingerprint is Fingerprint => isFingerprint(fingerprint);
