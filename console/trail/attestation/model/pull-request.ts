import { count, listed } from '../../../model/words.ts';
import { fieldOf, isFields, numberOf, objectsOf, textOf, timeOf } from './fields.ts';

interface Approval {
  name: string;
  /** Outcome of the review in the words of the provider; null if it only lists who approved. */
  state: string | null;
  at: number | null;
}

interface PullCommit {
  sha: string;
  message: string | null;
  author: string | null;
  at: number | null;
  url: string | null;
  verified: boolean | null;
}

/** Whether somebody other than the authors approved: `yes`, `no`, or `unknown` if no author is known. */
type FourEyes = 'yes' | 'no' | 'unknown';

export interface PullRequest {
  title: string;
  url: string | null;
  state: string | null;
  author: string | null;
  /** `fix into main`. */
  branches: string | null;
  created: number | null;
  merged: number | null;
  approvals: Approval[];
  commits: PullCommit[];
  fourEyes: FourEyes;
  /** Who approved what, and whether it was somebody else. */
  sentence: string;
  /** What a reader must know beside it. */
  notes: string[];
}

export interface PullRequestView {
  provider: string | null;
  pulls: PullRequest[];
  sentence: string;
}

/** Returns the view of pull requests; null if they have another form than the ones that clients send. */
export function pullRequestView(attestation: unknown): PullRequestView | null {
  const list = objectsOf(attestation, 'pull_requests');
  if (list === null) return null;
  const pulls = list.map(pullOf);
  return { provider: textOf(attestation, 'git_provider'), pulls, sentence: sentenceOf(pulls) };
}

const sentenceOf = (pulls: readonly PullRequest[]): string =>
  pulls.length === 0
    ? 'No pull request was found for the commit. That is not compliant.'
    : `${count(pulls.length, 'pull request')} of the commit ${pulls.length === 1 ? 'was' : 'were'} found. ` +
      'The verdict says no more than that: policies look at states and approvals.';

function pullOf(pull: unknown): PullRequest {
  const commits = (objectsOf(pull, 'commits') ?? []).map(commitOf);
  const approvals = approvalsOf(fieldOf(pull, 'approvers'));
  const author = nameOf(fieldOf(pull, 'author'));
  const [head, base] = [textOf(pull, 'head_ref'), textOf(pull, 'base_ref')];
  const logins = (objectsOf(pull, 'commits') ?? []).map((commit) => nameOf(fieldOf(commit, 'author_username')));
  const authors = [...new Set([author, ...logins].filter((name) => name !== null))];
  const approving = approvals.filter(isApproving);
  const others = approving.filter(({ name }) => !authors.some((one) => isSame(one, name)));
  const fourEyes = authors.length === 0 && approving.length > 0 ? 'unknown' : others.length > 0 ? 'yes' : 'no';
  return {
    title: textOf(pull, 'title') ?? textOf(pull, 'url') ?? 'Pull request without a title',
    url: textOf(pull, 'url'),
    state: textOf(pull, 'state'),
    author,
    branches: head !== null && base !== null ? `${head} into ${base}` : (head ?? base),
    created: numberOf(pull, 'created_at'),
    merged: numberOf(pull, 'merged_at'),
    approvals,
    commits,
    fourEyes,
    sentence: fourEyesSentence(fourEyes, approving, others, authors),
    notes: notesOf(commits, logins, approving),
  };
}

function fourEyesSentence(
  fourEyes: FourEyes,
  approving: readonly Approval[],
  others: readonly Approval[],
  authors: readonly string[],
): string {
  const names = (some: readonly Approval[]) => listed([...new Set(some.map(({ name }) => name))]);
  if (approving.length === 0) return 'Nobody approved it.';
  if (fourEyes === 'unknown')
    return `Approved by ${names(approving)}. The report names no author, so it is not known whether that is somebody else.`;
  if (others.length === 0)
    return `Only approved by ${names(approving)}, who ${isOne(approving) ? 'is' : 'are'} ${authors.length === 1 ? 'the author' : 'among the authors'}.`;
  return `Four eyes: approved by ${names(others)}, written by ${listed(authors)}.`;
}

const isOne = (approvals: readonly Approval[]): boolean =>
  new Set(approvals.map(({ name }) => name.toLowerCase())).size === 1;

/** What weakens the sentence: commits after the approval, and authors that nobody can compare with approvers. */
function notesOf(
  commits: readonly PullCommit[],
  logins: readonly (string | null)[],
  approving: readonly Approval[],
): string[] {
  const newest = Math.max(...commits.map(({ at }) => at ?? Number.NEGATIVE_INFINITY));
  const times = approving.flatMap(({ at }) => at ?? []);
  const isBefore = times.length > 0 && times.length === approving.length && times.every((at) => at < newest);
  const nameless = [...new Set(commits.filter((_, n) => logins[n] === null).flatMap(({ author }) => author ?? []))];
  return [
    ...(isBefore ? ['Every approval is older than the newest commit.'] : []),
    ...(approving.length > 0 && nameless.length > 0
      ? [`Authors without a user name are not compared with who approved: ${listed(nameless)}.`]
      : []),
  ];
}

const commitOf = (commit: unknown): PullCommit => {
  const verified = fieldOf(commit, 'verified');
  return {
    sha: textOf(commit, 'sha1') ?? '',
    message: textOf(commit, 'message'),
    author: nameOf(fieldOf(commit, 'author_username')) ?? textOf(commit, 'author'),
    at: timeOf(commit, 'timestamp'),
    url: textOf(commit, 'url'),
    verified: typeof verified === 'boolean' ? verified : null,
  };
};

function approvalsOf(approvers: unknown): Approval[] {
  if (!Array.isArray(approvers)) return [];
  return approvers.flatMap((one: unknown): Approval[] => {
    const name = nameOf(isFields(one) ? fieldOf(one, 'username') : one);
    return name === null ? [] : [{ name, state: textOf(one, 'state'), at: timeOf(one, 'timestamp') }];
  });
}

/** A list without states names only those who approved. */
const isApproving = ({ state }: Approval): boolean => state === null || /^approved$/i.test(state);

/** Clients send `ann`, and for some providers `Ann Author (@ann)` or ` (@ann)`. */
function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return /\(@([^()\s]+)\)\s*$/.exec(value)?.[1] ?? value.trim();
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
