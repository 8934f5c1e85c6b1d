import { describe, expect, test } from 'vitest';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';

const [OLD, NEW] = ['1'.repeat(40), '2'.repeat(40)];
const at = (commit: string, address: string) => ({ commit, commitUrl: `${address}/${commit}` });
const between = (address: string) => codeDiffUrl(at(OLD, address), at(NEW, address));

describe('the address of a code difference', () => {
  test.each([
    ['https://git.example/acme/web/commit', `https://git.example/acme/web/compare/${OLD}...${NEW}`],
    ['https://git.example/group/acme/web/-/commit', `https://git.example/group/acme/web/-/compare/${OLD}...${NEW}`],
    ['https://git.example/acme/web/commits', `https://git.example/acme/web/branches/compare/${NEW}..${OLD}`],
    [
      'https://git.example/acme/project/_git/web/commit',
      `https://git.example/acme/project/_git/web/branchCompare?baseVersion=GC${OLD}&targetVersion=GC${NEW}`,
    ],
  ])('follows %s', (address, expected) => {
    expect(between(address)).toBe(expected);
  });

  test('ignores a slash at the end of an address', () => {
    const [before, after] = [OLD, NEW].map((commit) => ({
      commit,
      commitUrl: `https://g.example/w/commit/${commit}/`,
    }));
    expect(before && after && codeDiffUrl(before, after)).toBe(`https://g.example/w/compare/${OLD}...${NEW}`);
  });

  test('is null for one commit, and for addresses that do not show the same repository', () => {
    const here = 'https://git.example/acme/web/commit';
    expect(codeDiffUrl(at(OLD, here), at(OLD, here))).toBeNull();
    expect(codeDiffUrl(at(OLD, 'https://git.example/acme/other/commit'), at(NEW, here))).toBeNull();
    expect(codeDiffUrl({ commit: OLD, commitUrl: null }, at(NEW, here))).toBeNull();
    expect(codeDiffUrl(at(OLD, here), { commit: NEW, commitUrl: null })).toBeNull();
    expect(between('https://git.example/acme/web/tree')).toBeNull();
    // The address is shown as a link, so only web addresses are accepted.
    expect(between('javascript:alert(1)//x/commit')).toBeNull();
    expect(between('https://git.example/?x=/acme/commit')).toBeNull();
  });
});
