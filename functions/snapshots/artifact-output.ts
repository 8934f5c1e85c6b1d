import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import type { Id } from '#shared/base/ids.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import type { Replaced, RowFlow } from '#shared/environments/rules/content.ts';
import { RuntimeContext } from '#shared/environments/rules/running.ts';
import { type ShownRow, shownDecisions } from '#shared/environments/snapshots/resolve-content.ts';
import { NO_PROVENANCE, type Provenance } from '#shared/evidence/provenance.ts';
import { PolicyDecisionOut } from '#shared/policies/rules/decision-schema.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';

const CommitOut = z.object({
  sha1: z.string(),
  message: z.string(),
  author: z.string(),
  branch: z.string(),
  timestamp: z.number(),
  url: z.string().nullable(),
});

const DeploymentDiff = z
  .object({
    diff_url: z.string().nullable(),
    previous_git_commit: z.string(),
    previous_git_commit_url: z.string().nullable(),
    previous_fingerprint: z.string(),
    previous_artifact_name: z.string(),
    previous_artifact_compliance_state: z.enum(['COMPLIANT', 'NON-COMPLIANT']).nullable(),
    previous_running: z.boolean(),
    previous_trail_name: z.string(),
    previous_template_reference_name: z.string(),
  })
  .meta({ id: 'DeploymentDiff' });

const FlowOut = z.object({
  flow_name: z.string(),
  trail_name: z.string(),
  template_reference_name: z.string(),
  git_commit: z.string(),
  commit_url: z.string().nullable(),
  git_commit_info: CommitOut.nullable(),
  html_url: z.string(),
  flow_html_url: z.string(),
  deployment_diff: DeploymentDiff.nullable(),
  commit_lead_time: z.number().nullable(),
  artifact_compliance_in_flow: z.boolean(),
  flow_reasons_for_non_compliance: z.array(z.string()),
});

/** An artifact of a snapshot (rules/environments.md#snapshot-artifact). Only group snapshots have `environment_name`. */
export const SnapshotArtifact = z
  .object({
    name: z.string(),
    fingerprint: z.string(),
    environment_name: z.string().optional(),
    compliant: z.boolean().nullable(),
    deployments: z.array(z.int()),
    creationTimestamp: z.array(z.int()),
    pods: RuntimeContext.shape.pods.unwrap().nullable(),
    ecs_context: RuntimeContext.shape.ecs_context,
    azure_context: RuntimeContext.shape.azure_context.unwrap().nullable(),
    cloud_run_context: RuntimeContext.shape.cloud_run_context.unwrap().nullable(),
    annotation: z.object({
      type: z.enum([
        'started-compliant',
        'started-non-compliant',
        'started',
        'updated-provenance',
        'changed',
        'unchanged',
        'exited',
      ]),
      was: z.int(),
      now: z.int(),
    }),
    flow_name: z.string().nullable(),
    git_commit: z.string(),
    commit_url: z.string().nullable(),
    html_url: z.string().nullable(),
    flow_html_url: z.string().nullable(),
    policy_decisions: z.array(PolicyDecisionOut),
    reasons_for_incompliance: z.array(z.string()),
    deployment_diff: DeploymentDiff.nullable(),
    commit_lead_time: z.number().nullable(),
    flows: z.array(FlowOut),
  })
  .meta({ id: 'SnapshotArtifact' });

export interface RowReader extends Place {
  provenance: ReadonlyMap<Id, Provenance>;
}

/** Shapes a row for the answer. Fields about a single flow describe the primary flow; `flows` describes every flow. */
export function artifactOut(row: ShownRow, reader: RowReader): z.input<typeof SnapshotArtifact> {
  const flows = row.flows.map((flow) => flowOut(row, flow, reader));
  const [primary] = flows;
  const decisions = shownDecisions(row);
  return {
    name: row.name,
    fingerprint: row.fingerprint,
    ...(row.environmentName !== undefined && { environment_name: row.environmentName }),
    compliant: row.compliant,
    deployments: [],
    creationTimestamp: row.started,
    pods: row.pods ?? null,
    ...(row.ecs_context && { ecs_context: row.ecs_context }),
    azure_context: row.azure_context ?? null,
    cloud_run_context: row.cloud_run_context ?? null,
    annotation: row.annotation,
    flow_name: primary?.flow_name ?? null,
    git_commit: primary?.git_commit ?? '',
    commit_url: primary?.commit_url ?? null,
    html_url: primary?.html_url ?? null,
    flow_html_url: primary?.flow_html_url ?? null,
    policy_decisions: decisions,
    reasons_for_incompliance: row.compliant === false ? reasonsOf(decisions) : [],
    deployment_diff: primary?.deployment_diff ?? null,
    commit_lead_time: primary?.commit_lead_time ?? null,
    flows,
  };
}

function flowOut({ fingerprint, started, replaced }: ShownRow, flow: RowFlow, { provenance, ...place }: RowReader) {
  const report = provenance.get(flow.report) ?? NO_PROVENANCE;
  const { commitInfo: commit } = report;
  const previous = replaced[flow.flow];
  return {
    flow_name: flow.name,
    trail_name: flow.trailName,
    template_reference_name: flow.slot,
    git_commit: report.commit,
    commit_url: report.commitUrl,
    git_commit_info: commit && {
      sha1: commit.sha1,
      message: commit.message,
      author: commit.author,
      branch: commit.branch,
      timestamp: commit.timestamp,
      url: commit.url ?? null,
    },
    html_url: artifactUrl(place, flow.name, fingerprint, flow.report),
    flow_html_url: pageUrl(place, '/{org}/flows/{flow}', { flow: flow.name }),
    deployment_diff: previous
      ? deploymentDiff(previous, report, provenance.get(previous.report) ?? NO_PROVENANCE)
      : null,
    commit_lead_time: commit && started[0] !== undefined ? started[0] - commit.timestamp : null,
    artifact_compliance_in_flow: flow.compliant,
    flow_reasons_for_non_compliance: flow.reasons,
  };
}

function deploymentDiff(replaced: Replaced, report: Provenance, before: Provenance): z.input<typeof DeploymentDiff> {
  return {
    diff_url: codeDiffUrl(before, report),
    previous_git_commit: before.commit,
    previous_git_commit_url: before.commitUrl,
    previous_fingerprint: replaced.fingerprint,
    previous_artifact_name: replaced.name,
    previous_artifact_compliance_state: stateWord(replaced.compliant),
    previous_running: replaced.running,
    previous_trail_name: replaced.trailName,
    previous_template_reference_name: replaced.slot,
  };
}

function stateWord(compliant: boolean | null): 'COMPLIANT' | 'NON-COMPLIANT' | null {
  if (compliant === null) return null;
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT';
}
