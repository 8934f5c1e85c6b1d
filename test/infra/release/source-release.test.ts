import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceCommit } from '#infra/release/source-release.ts';
import { temporaryFolder } from '../synthesized.ts';

const root = temporaryFolder('source-');
const outside = temporaryFolder('no-history-');
const git = (...options: string[]) => execFileSync('git', options, { cwd: root, encoding: 'utf8' }).trim();
let head: string;
beforeAll(() => {
  git('init', '--quiet');
  writeFileSync(join(root, 'a.txt'), 'a\n');
  mkdirSync(join(root, 'inner'));
  writeFileSync(join(root, 'inner/b.txt'), 'b\n');
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'Begin');
  head = git('rev-parse', 'HEAD');
});

describe('the commit of the sources', () => {
  it('is the one that is checked out', () => {
    expect(sourceCommit(root, {})).toBe(head);
  });

  it('is marked if a file differs, or is new', () => {
    writeFileSync(join(root, 'new.txt'), 'new\n');
    expect(sourceCommit(root, {})).toBe(`${head}-modified`);
    git('clean', '--quiet', '--force');
    expect(sourceCommit(root, {})).toBe(head);
  });

  it('is the stated one, for builds without a history', () => {
    expect(sourceCommit(root, { SOURCE_COMMIT: 'a'.repeat(40) })).toBe('a'.repeat(40));
  });

  it('is unknown without a history, and in a folder of another history', () => {
    expect(sourceCommit(outside, {})).toBe('unknown');
    expect(sourceCommit(join(root, 'inner'), {})).toBe('unknown');
  });
});
