/** A commit with the address under which its repository shows it. */
export interface ShownCommit {
  commit: string;
  commitUrl: string | null;
}

/** The repository's address, what stands between it and the commit, and the commit. */
const COMMIT_ADDRESS = /^(https?:\/\/[^?#]+?)\/(-\/)?(commits?)\/[0-9a-fA-F]{7,64}\/?$/;

/**
 * The address that shows what changed between two commits of one repository (wire environments §4.3 `diff_url`, §4.5
 * `code_diff`). Repositories are told apart by how they address a commit.
 * @returns null where the commits are the same, or nothing says that they are of one repository
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
