/** A commit, and the address at which its repository shows it. */
interface ShownCommit {
  commit: string;
  commitUrl: string | null;
}

/** Groups: address of the repository, `-/` if present, `commit` or `commits`. The commit's hash follows. */
const COMMIT_ADDRESS = /^(https?:\/\/[^?#]+?)\/(-\/)?(commits?)\/[0-9a-fA-F]{7,64}\/?$/;

/**
 * Builds the address that shows the difference of two commits of one repository (rules/environments.md#code-diff). The
 * form of a commit's address says how its host addresses differences.
 * @returns null if the commits are the same, if the repositories differ, or if an address has no known form
 */
export function codeDiffUrl(previous: ShownCommit, current: ShownCommit): string | null {
  const [, repo, dash = '', word] = COMMIT_ADDRESS.exec(current.commitUrl ?? '') ?? [];
  const [, other] = COMMIT_ADDRESS.exec(previous.commitUrl ?? '') ?? [];
  if (repo === undefined || repo !== other || previous.commit === current.commit) return null;
  const [from, to] = [previous.commit, current.commit];
  if (/\/_git\/[^/]+$/.test(repo)) return `${repo}/branchCompare?baseVersion=GC${from}&targetVersion=GC${to}`;
  if (word === 'commits') return `${repo}/branches/compare/${to}..${from}`;
  return `${repo}/${dash}compare/${from}...${to}`;
}
