import * as z from 'zod';
import { attestationKind, withAttachments } from './kind.ts';

const IssueResult = z.looseObject({
  issue_id: z.string(),
  issue_url: z.string().nullish(),
  issue_exists: z.boolean(),
  issue_fields: z.unknown().optional(),
});
const IssueResults = z.array(IssueResult).nullish();

const IssueTrackerReport = z
  .object({ ...withAttachments, issue_tracker_results: IssueResults, jira_results: IssueResults })
  .superRefine((report, context) => {
    if (report.issue_tracker_results !== undefined || report.jira_results !== undefined) return;
    const message = 'Field required [input: None]';
    context.addIssue({ code: 'custom', path: ['issue_tracker_results'], message });
  })
  .meta({
    id: 'IssueTrackerAttestation',
    description: 'References to issues, under either name. Compliant when there is one and all of them exist.',
  });

/** Returns the list that is stored. The name of the API document wins over the client's name. */
const resultsOf = (report: z.output<typeof IssueTrackerReport>) =>
  report.issue_tracker_results ?? report.jira_results ?? [];

/**
 * Issues that a change refers to (rules/attestations.md#issue-tracker). One missing issue makes the attestation
 * non-compliant.
 */
export const issueTrackerKind = attestationKind({
  type: 'jira',
  segments: ['issue_tracker', 'jira'],
  schema: IssueTrackerReport,
  verdict: (report) => {
    const results = resultsOf(report);
    return results.length > 0 && results.every((result) => result.issue_exists);
  },
  evidence: (report) => ({ issue_tracker_results: resultsOf(report) }),
  detail: (evidence) => ({ ...evidence, jira_results: evidence['issue_tracker_results'] }),
});
