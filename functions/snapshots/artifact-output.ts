import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import { reasonFields } from '#functions/forms/reasons.ts';
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
  sha1: z.string().describe('SHA-1 of the commit, as 40 hex digits'),
  message: z.string().describe('Message of the commit'),
  author: z.string().describe('Author of the commit'),
  branch: z.string().describe('Branch of the commit'),
  timestamp: z.number().describe('Time in seconds since the epoch'),
  url: z.string().nullable().describe('The address'),
});

const DeploymentDiff = z
  .object({
    diff_url: z.string().nullable().describe('Address of the difference of the code; null if unknown'),
    previous_git_commit: z.string().describe('Commit of the replaced artifact'),
    previous_git_commit_url: z.string().nullable().describe('Address of that commit; null if unknown'),
    previous_fingerprint: z.string().describe('SHA-256 of the replaced artifact'),
    previous_artifact_name: z.string().describe('Name of the replaced artifact'),
    previous_artifact_compliance_state: z
      .enum(['COMPLIANT', 'NON-COMPLIANT'])
      .nullable()
      .describe('Verdict of the replaced artifact; null without policies'),
    previous_running: z.boolean().describe('Whether the replaced artifact still runs beside this one'),
    previous_trail_name: z.string().describe('Trail of the replaced artifact'),
    previous_template_reference_name: z.string().describe('Name of the replaced artifact in its template'),
  })
  .meta({ id: 'DeploymentDiff' });

const FlowOut = z.object({
  flow_name: z.string().describe('Name of the flow'),
  trail_name: z.string().describe('Name of the trail'),
  template_reference_name: z.string().describe('Name of the artifact in the template of the trail'),
  git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
  commit_url: z.string().nullable().describe('Address of the commit'),
  git_commit_info: CommitOut.nullable().describe('The commit of the report'),
  html_url: z.string().describe('Address of a page for people'),
  flow_html_url: z.string().describe('Address of a page about the flow, for people'),
  deployment_diff: DeploymentDiff.nullable().describe('The artifact that this one replaced; null if it replaced none'),
  commit_lead_time: z.number().nullable().describe('Seconds from the commit to the first start; null if unknown'),
  artifact_compliance_in_flow: z.boolean().describe('Whether the artifact is compliant in the trail of the flow'),
  flow_reasons_for_non_compliance: z.array(z.string()).describe('Why the artifact is not compliant in the trail'),
});

/** An artifact of a snapshot (rules/environments.md#snapshot-artifact). Only group snapshots have `environment_name`. */
export const SnapshotArtifact = z
  .object({
    name: z.string().describe('Name of the artifact'),
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    environment_name: z.string().optional().describe('Name of the environment'),
    compliant: z.boolean().nullable().describe('The verdict; null if no policy is attached'),
    deployments: z.array(z.int()).describe('Always empty'),
    creationTimestamp: z.array(z.int()).describe('Start of each instance in seconds since the epoch, oldest first'),
    pods: RuntimeContext.shape.pods
      .unwrap()
      .nullable()
      .describe('Pods in which the artifact runs, by name; null outside of such environments'),
    ecs_context: RuntimeContext.shape.ecs_context.describe('The task in which the artifact runs'),
    azure_context: RuntimeContext.shape.azure_context
      .unwrap()
      .nullable()
      .describe('The app in which the artifact runs; null outside of such environments'),
    cloud_run_context: RuntimeContext.shape.cloud_run_context
      .unwrap()
      .nullable()
      .describe('The service or job in which the artifact runs; null outside of such environments'),
    annotation: z
      .object({
        type: z
          .enum([
            'started-compliant',
            'started-non-compliant',
            'started',
            'updated-provenance',
            'changed',
            'unchanged',
            'exited',
          ])
          .describe('The change'),
        was: z.int().describe('Number of instances in the snapshot before'),
        now: z.int().describe('Number of instances in this snapshot'),
      })
      .describe('What changed since the snapshot before'),
    flow_name: z.string().nullable().describe('Name of the flow'),
    git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
    commit_url: z.string().nullable().describe('Address of the commit'),
    html_url: z.string().nullable().describe('Address of a page for people'),
    flow_html_url: z.string().nullable().describe('Address of a page about the flow, for people'),
    policy_decisions: z.array(PolicyDecisionOut).describe('The decision of each policy about the artifact'),
    reasons_for_incompliance: z.array(z.string()).describe('Why the artifact is not compliant; empty if it is'),
    deployment_diff: DeploymentDiff.nullable().describe(
      'The artifact that this one replaced; null if it replaced none',
    ),
    commit_lead_time: z.number().nullable().describe('Seconds from the commit to the first start; null if unknown'),
    flows: z.array(FlowOut).describe('The flows that have the artifact'),
    ...reasonFields,
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
