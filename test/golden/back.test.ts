import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newestRelease, readBack } from './back.ts';

/** A repository without a release. */
function repository() {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root })
      .toString()
      .trim();
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const commit = (path: string, text = path) => {
    write(path, text);
    git('add', '.');
    git('commit', '--quiet', '--message', path);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet');
  commit('package.json', '{}');
  return { root, git, write, commit };
}

describe('the newest release of a history', () => {
  it('is absent before the first one', () => {
    expect(newestRelease(repository().root)).toBeUndefined();
  });

  it('is the last commit that changed its folder', () => {
    const { root, commit } = repository();
    commit('infra/release/1.9.0/release.json');
    commit('infra/release/1.10.0/release.json');
    const last = commit('infra/release/1.10.0/golden/sha256.txt');
    commit('shared/later.ts');
    expect(newestRelease(root)).toEqual({ version: '1.10.0', commit: last });
  });

  it('is the commit of its tag, if there is one', () => {
    const { root, commit, git } = repository();
    const tagged = commit('infra/release/1.0.0/release.json');
    git('tag', '--annotate', 'v1.0.0', '--message', 'first');
    commit('infra/release/1.0.0/release.json', 'corrected');
    expect(newestRelease(root)).toEqual({ version: '1.0.0', commit: tagged });
  });

  it('is not the one in preparation, whose folder has changes that no commit has', () => {
    const { root, commit, write } = repository();
    write('infra/release/1.0.0/release.json', 'new');
    expect(newestRelease(root)).toBeUndefined();
    const first = commit('infra/release/1.0.0/release.json', 'new');
    write('infra/release/1.1.0/release.json', 'new');
    expect(newestRelease(root)).toEqual({ version: '1.0.0', commit: first });
  });
});

it('a release without a reader of golden tables is refused with its commit', async () => {
  const { root, commit } = repository();
  const release = { version: '1.0.0', commit: commit('infra/release/1.0.0/release.json') };
  await expect(readBack(root, release, root)).rejects.toThrow(
    `Release 1.0.0 (commit ${release.commit}) has no reader of golden tables. Set the tag v1.0.0`,
  );
});
