import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import { toSeconds } from '#shared/base/time.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { AppliedPolicy } from '#shared/environments/rules/content.ts';
import type { FoundSnapshot } from '#shared/environments/snapshots/find-snapshot.ts';
import { judgedParts, type ShownContent, type ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { PolicyDumpOut } from '#shared/policies/rules/decision-schema.ts';
import { complianceCount } from '#shared/policies/rules/verdicts.ts';
import { artifactOut, type RowReader, SnapshotArtifact } from './artifact-output.ts';

/** A snapshot as the API answers it (rules/environments.md#snapshot-detail). */
export const SnapshotOut = z
  .object({
    index: z.int(),
    is_latest: z.boolean(),
    next_snapshot_timestamp: z.number().nullable(),
    artifact_compliance_count: z.object({ true: z.int(), false: z.int(), null: z.int() }),
    timestamp: z.number(),
    type: z.string(),
    state: z.boolean().nullable(),
    compliant: z.boolean(),
    html_url: z.string(),
    identity: VerifiedIdentity.nullable(),
    artifacts: z.array(SnapshotArtifact),
    applied_policies: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        version: z.int(),
        policy_dump: PolicyDumpOut,
        failing_artifacts: z.array(z.object({ name: z.string(), fingerprint: z.string() })),
      }),
    ),
  })
  .meta({ id: 'Snapshot' });

export function snapshotOut(
  { head, parts: { summary, next } }: FoundSnapshot,
  { rows, policies, identity }: ShownContent,
  reader: RowReader,
): z.input<typeof SnapshotOut> {
  const running = rows.filter(isRunning);
  return {
    index: summary.index,
    is_latest: next === null,
    next_snapshot_timestamp: next === null ? null : toSeconds(next),
    artifact_compliance_count: complianceCount(running.map(({ compliant }) => compliant)),
    timestamp: toSeconds(summary.at),
    type: head.kind,
    state: summary.state,
    compliant: summary.compliant,
    html_url: absolute(reader.host, `/${reader.org}/environments/${head.name}/snapshots/${summary.index}`),
    identity: identity ?? null,
    artifacts: rows.map((row) => artifactOut(row, reader)),
    applied_policies: policies.map((policy) => ({
      id: policy.id,
      name: policy.name,
      version: policy.version,
      policy_dump: policy.dump,
      failing_artifacts: failing(running, policy),
    })),
  };
}

/** Exited artifacts are shown, but they are neither counted nor evaluated (rules/environments.md#verdicts). */
export const isRunning = ({ annotation }: ShownRow): boolean => annotation.now > 0;

/** The running artifacts that a policy fails. An allow-listed artifact is compliant, so it is never among them. */
const failing = (running: readonly ShownRow[], { name, version }: AppliedPolicy) =>
  running
    .filter(
      (row) =>
        row.compliant === false &&
        judgedParts(row).some(({ evaluations }) =>
          evaluations.some(
            (result) =>
              result.policy_name === name && result.policy_version === version && result.status === 'NON-COMPLIANT',
          ),
        ),
    )
    .map((row) => ({ name: row.name, fingerprint: row.fingerprint }));
