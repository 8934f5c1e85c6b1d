import * as z from 'zod';
import { HttpUrlOrEmpty, RepositoryAddress } from '../addresses.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

/** Newer clients send objects, older ones user names. */
const Approver = z.union([
  z.string(),
  z.looseObject({
    username: z.string(),
    state: z.string().nullish(),
    timestamp: z.union([z.number(), z.string()]).nullish(),
  }),
]);

const PullRequestCommit = z.looseObject({
  sha1: z.string(),
  message: z.string().nullish(),
  author: z.string().nullish(),
  timestamp: z.number().nullish(),
  branch: z.string().nullish(),
  author_username: z.string().nullish(),
  url: RepositoryAddress.nullish(),
  verified: z.boolean().nullish(),
  signature_state: z.string().nullish(),
});

/** Two generations of clients are accepted. The older one sends neither commits nor author. */
const PullRequest = z.looseObject({
  merge_commit: z.string().nullish(),
  url: HttpUrlOrEmpty,
  state: z.string().nullish(),
  author: z.string().nullish(),
  approvers: z.array(Approver).nullish(),
  commits: z.array(PullRequestCommit).nullish(),
  created_at: z.number().nullish(),
  merged_at: z.number().nullish(),
  title: z.string().nullish(),
  head_ref: z.string().nullish(),
  base_ref: z.string().nullish(),
});

const PullRequestReport = z
  .object({
    ...withAttachments,
    git_provider: z.string().nullish(),
    pull_requests: z.array(PullRequest).nullable(),
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
