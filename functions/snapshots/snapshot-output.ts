import * as z from 'zod';
import { reasonsOut } from '#functions/forms/reasons.ts';
import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type AppliedPolicy, isRunning } from '#shared/environments/rules/content.ts';
import type { ShownSnapshot } from '#shared/environments/snapshots/get-snapshot.ts';
import { judgedParts, type ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { PolicyDumpOut } from '#shared/policies/rules/decision-schema.ts';
import { complianceCount } from '#shared/policies/rules/verdicts.ts';
import type { BoundedChain } from '#shared/reasons/rules/bounded-chain.ts';
import { artifactOut, type RowReader, SnapshotArtifact } from './artifact-output.ts';

/** What every answer about a snapshot has. */
export const snapshotFields = {
  index: z.int().describe('Number of the snapshot, from 1 on'),
  is_latest: z.boolean().describe('Whether the snapshot is the newest'),
  next_snapshot_timestamp: z
    .number()
    .nullable()
    .describe('When the next snapshot was made, in seconds since the epoch; null for the newest'),
  artifact_compliance_count: z
    .object({
      true: z.int().describe('Number of compliant artifacts'),
      false: z.int().describe('Number of non-compliant artifacts'),
      null: z.int().describe('Number of artifacts without a verdict, because no policy was attached'),
    })
    .describe('Number of running artifacts by verdict'),
  timestamp: z.number().describe('When the snapshot was made, in seconds since the epoch'),
  state: z.boolean().nullable().describe('Whether the snapshot is compliant; null if unknown'),
  state_reason: z
    .string()
    .nullable()
    .describe('Why the newest snapshot has another state than when it was made; null if it has the same'),
};

export const snapshotFacts = ({ parts: { summary, next }, rows, present }: ShownSnapshot) => ({
  index: summary.index,
  is_latest: next === null,
  next_snapshot_timestamp: secondsOrNull(next),
  artifact_compliance_count: complianceCount(rows.filter(isRunning).map(({ compliant }) => compliant)),
  timestamp: toSeconds(summary.at),
  state: present.state,
  state_reason: present.reason,
});

/** A snapshot as the API answers it (rules/environments.md#snapshot-detail). */
export const SnapshotOut = z
  .object({
    ...snapshotFields,
    type: z.string().describe('Type of the environment'),
    compliant: z.boolean().describe('Whether it is compliant'),
    html_url: z.string().describe('Address of a page for people'),
    identity: CallerIdentity,
    artifacts: z
      .array(SnapshotArtifact)
      .describe('The artifacts that run, and those that exited since the snapshot before'),
    applied_policies: z
      .array(
        z.object({
          id: z.string().describe('Id of the policy'),
          name: z.string().describe('Name of the policy'),
          version: z.int().describe('Version of the policy'),
          policy_dump: PolicyDumpOut.describe('Content of the policy'),
          failing_artifacts: z
            .array(
              z.object({
                name: z.string().describe('Name of the artifact'),
                fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
              }),
            )
            .describe('Running artifacts that the policy fails'),
        }),
      )
      .describe('The policies that decided'),
  })
  .meta({ id: 'Snapshot' });

export function snapshotOut(snapshot: ShownSnapshot, reader: RowReader): z.input<typeof SnapshotOut> {
  const { head, parts, rows, policies, present, identity = null } = snapshot;
  const { index } = parts.summary;
  return {
    ...snapshotFacts(snapshot),
    type: head.kind,
    // An unknown state is not compliant (rules/environments.md#verdicts).
    compliant: present.state === true,
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

/** Adds a chain of reasons to each artifact. @param chains in the order of the artifacts */
export const withReasons = (
  snapshot: z.input<typeof SnapshotOut>,
  chains: readonly BoundedChain[],
): z.input<typeof SnapshotOut> => ({
  ...snapshot,
  artifacts: snapshot.artifacts.map((artifact, n) => ({ ...artifact, ...reasonsOut(chains[n]) })),
});

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
