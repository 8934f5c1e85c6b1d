import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type AppliedPolicy, isRunning } from '#shared/environments/rules/content.ts';
import type { ShownSnapshot } from '#shared/environments/snapshots/get-snapshot.ts';
import { judgedParts, type ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { PolicyDumpOut } from '#shared/policies/rules/decision-schema.ts';
import { complianceCount } from '#shared/policies/rules/verdicts.ts';
import { artifactOut, type RowReader, SnapshotArtifact } from './artifact-output.ts';

/** What every answer about a snapshot has. */
export const snapshotFields = {
  index: z.int(),
  is_latest: z.boolean(),
  next_snapshot_timestamp: z.number().nullable(),
  artifact_compliance_count: z.object({ true: z.int(), false: z.int(), null: z.int() }),
  timestamp: z.number(),
  state: z.boolean().nullable(),
};

export const snapshotFacts = ({ parts: { summary, next }, rows }: ShownSnapshot) => ({
  index: summary.index,
  is_latest: next === null,
  next_snapshot_timestamp: next === null ? null : toSeconds(next),
  artifact_compliance_count: complianceCount(rows.filter(isRunning).map(({ compliant }) => compliant)),
  timestamp: toSeconds(summary.at),
  state: summary.state,
});

/** A snapshot as the API answers it (rules/environments.md#snapshot-detail). */
export const SnapshotOut = z
  .object({
    ...snapshotFields,
    type: z.string(),
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

export function snapshotOut(snapshot: ShownSnapshot, reader: RowReader): z.input<typeof SnapshotOut> {
  const { head, parts, rows, policies, identity = null } = snapshot;
  const { index, compliant } = parts.summary;
  return {
    ...snapshotFacts(snapshot),
    type: head.kind,
    compliant,
    html_url: pageUrl(reader, '/{org}/environments/{env}/snapshots/{expression}', {
      env: head.name,
      expression: String(index),
    }),
    identity,
    artifacts: rows.map((row) => artifactOut(row, reader)),
    applied_policies: policies.map((policy) => ({
      id: policy.id,
      name: policy.name,
      version: policy.version,
      policy_dump: policy.dump,
      failing_artifacts: failing(rows.filter(isRunning), policy),
    })),
  };
}

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
