import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { acrossFields, withInput } from '#shared/base/validation.ts';
import { HttpUrlOrEmpty } from '../addresses.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const IssueResult = z.looseObject({
  issue_id: z.string().describe('Id of the issue'),
  issue_url: HttpUrlOrEmpty.nullish().describe('Address of the issue'),
  issue_exists: z.boolean().describe('Whether the issue exists'),
  issue_fields: z.unknown().optional().describe('Fields of the issue, as the tracker gave them'),
});
const IssueResults = z.array(IssueResult).nullish();

const IssueTrackerReport = z
  .object({
    ...withAttachments,
    issue_tracker_results: IssueResults.describe('The issues that were found. All of them must exist'),
    jira_results: IssueResults.describe('Another name of `issue_tracker_results`'),
  })
  .check(
    acrossFields(({ issue_tracker_results: results, jira_results: alias }, refuse) => {
      if (results === undefined && alias === undefined) refuse('issue_tracker_results', 'Field required [input: None]');
      if (results == null || alias == null || isDeepStrictEqual(results, alias)) return;
      refuse('jira_results', withInput('Input should be the same list as issue_tracker_results', alias));
    }),
  )
  .check(namesNeedCommit)
  .meta({
    id: 'IssueTrackerAttestation',
    description: 'References to issues, under either name. Compliant when there is one and all of them exist.',
    anyOf: [{ required: ['issue_tracker_results'] }, { required: ['jira_results'] }],
  });

/** Returns the list that is stored, which may come under either name. */
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
