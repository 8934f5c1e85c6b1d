import * as z from 'zod';
import { HttpUrlOrEmpty, RepositoryAddress } from '../addresses.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

/** Newer clients send objects, older ones user names. */
const Approver = z.union([
  z.string(),
  z.looseObject({
    username: z.string().describe('User name of the reviewer'),
    state: z.string().nullish().describe('Outcome of the review, for example `APPROVED`'),
    timestamp: z.union([z.number(), z.string()]).nullish().describe('Time in seconds since the epoch'),
  }),
]);

const PullRequestCommit = z.looseObject({
  sha1: z.string().describe('SHA-1 of the commit, as 40 hex digits'),
  message: z.string().nullish().describe('Message of the commit'),
  author: z.string().nullish().describe('Author of the commit'),
  timestamp: z.number().nullish().describe('Time in seconds since the epoch'),
  branch: z.string().nullish().describe('Branch of the commit'),
  author_username: z.string().nullish().describe("The author's user name at the provider of the repository"),
  url: RepositoryAddress.nullish().describe('The address'),
  verified: z.boolean().nullish().describe('Whether the provider verified the signature of the commit'),
  signature_state: z.string().nullish().describe("State of the commit's signature, in the words of the provider"),
});

/** Two generations of clients are accepted. The older one sends neither commits nor author. */
const PullRequest = z.looseObject({
  merge_commit: z.string().nullish().describe('SHA-1 of the commit that merged the pull request'),
  url: HttpUrlOrEmpty.describe('Address of the pull request'),
  state: z.string().nullish().describe('State of the pull request, for example `MERGED`'),
  author: z.string().nullish().describe('Author of the pull request'),
  approvers: z.array(Approver).nullish().describe('The reviews of the pull request'),
  commits: z.array(PullRequestCommit).nullish().describe('The commits of the pull request'),
  created_at: z.number().nullish().describe('When the pull request was made, in seconds since the epoch'),
  merged_at: z.number().nullish().describe('When the pull request was merged, in seconds since the epoch'),
  title: z.string().nullish().describe('Title of the pull request'),
  head_ref: z.string().nullish().describe('The branch that the pull request comes from'),
  base_ref: z.string().nullish().describe('The branch that the pull request changes'),
});

const PullRequestReport = z
  .object({
    ...withAttachments,
    git_provider: z.string().nullish().describe('Provider of the pull requests'),
    pull_requests: z.array(PullRequest).nullable().describe('The pull requests of the commit'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'PullRequestAttestation', description: 'Pull requests of a commit. Compliant when there is one.' });

/** Pull requests of a commit (rules/attestations.md#pull-requests). State and approvals do not affect the verdict. */
export const pullRequestKind = attestationKind({
  type: 'pull_request',
  segments: ['pull_request'],
  schema: PullRequestReport,
  verdict: ({ pull_requests }) => (pull_requests ?? []).length > 0,
  evidence: ({ git_provider, pull_requests }) => ({
    git_provider: git_provider ?? null,
    pull_requests: pull_requests ?? [],
  }),
});
