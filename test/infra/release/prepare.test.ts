import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '#infra/bundles/compiled.ts';
import { commandCheck } from '#infra/release/checks.ts';
import type { FixedResource } from '#infra/release/fixed-resources.ts';
import { type Check, prepareRelease, writeRelease } from '#infra/release/prepare.ts';
import { type ReleaseFacts, readReleases, readResources, releaseFiles } from '#infra/release/releases.ts';
import { temporaryFolder } from '../synthesized.ts';

const TABLE: FixedResource = { stack: 'stateful', id: 'Table', type: 'AWS::DynamoDB::Table', fixed: { Name: 'a' } };
const TOPIC: FixedResource = { stack: 'service', id: 'Topic', type: 'AWS::SNS::Topic', fixed: { Name: 'a' } };
const FIRST: ReleaseFacts = {
  version: '1.0.0',
  date: '2026-11-24',
  data_format: { writes: 1, reads: [1] },
  upgrade: ['Begin with an empty table.'],
};
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Something new.\n\n## 1.0.0 (2026-11-24)\n\n- The first.\n';
const LOCK = { name: 'service', version: '1.0.0', packages: { '': { version: '1.0.0' }, 'node_modules/a': {} } };

let root: string;
const git = (...options: string[]) => execFileSync('git', options, { cwd: root, encoding: 'utf8' });
const put = (path: string, text: string) => writeFileSync(join(root, path), text);
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const commit = () => {
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'Change');
};

/** Each test has a checkout of its own, with one release and something unreleased. */
beforeEach(() => {
  root = temporaryFolder('release-');
  git('init', '--quiet');
  put('package.json', `${JSON.stringify({ name: 'service', version: '1.0.0', private: true }, null, 2)}\n`);
  put('package-lock.json', `${JSON.stringify(LOCK, null, 2)}\n`);
  put('CHANGELOG.md', CHANGELOG);
  writeRelease(root, releaseFiles(FIRST, [TABLE, TOPIC]));
  commit();
});

type Options = Partial<Parameters<typeof prepareRelease>[0]>;
const prepared = (options: Options = {}) =>
  prepareRelease({
    root,
    version: '1.1.0',
    date: '2026-12-01',
    format: 1,
    upgrade: [],
    resources: () => [TABLE, TOPIC],
    checks: [],
    ...options,
  });

/** Demands that a release is refused for one reason, and that nothing was written. */
async function expectRefusal(problem: string, options: Options = {}) {
  const before = git('status', '--porcelain');
  const { problems, files } = await prepared(options);
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(files).toEqual([]);
  expect(git('status', '--porcelain')).toBe(before);
}

describe('a release', () => {
  it('cuts the changelog, sets the version, and is described in a folder of its own', async () => {
    const { problems, files } = await prepared({ format: 2, upgrade: ['Run migrate.'] });
    expect(problems).toEqual([]);
    expect(git('status', '--porcelain')).toBe('');
    writeRelease(root, files);
    expect(textOf('CHANGELOG.md')).toBe(
      CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 1.1.0 (2026-12-01)\n'),
    );
    expect(JSON.parse(textOf('package.json'))).toEqual({ name: 'service', version: '1.1.0', private: true });
    expect(JSON.parse(textOf('package-lock.json'))).toEqual({
      ...LOCK,
      version: '1.1.0',
      packages: { '': { version: '1.1.0' }, 'node_modules/a': {} },
    });
    expect(readReleases(root)).toEqual([
      FIRST,
      { version: '1.1.0', date: '2026-12-01', data_format: { writes: 2, reads: [1, 2] }, upgrade: ['Run migrate.'] },
    ]);
    expect(readResources('1.1.0', root)).toEqual([TABLE, TOPIC]);
    const changed = git('diff', '--name-only').trim().split('\n');
    expect(changed).toEqual(['CHANGELOG.md', 'package-lock.json', 'package.json']);
    expect(git('diff', '--shortstat')).toContain('3 files changed, 5 insertions(+), 3 deletions(-)');
  });

  it('cannot be prepared twice: what was unreleased is gone', async () => {
    writeRelease(root, (await prepared()).files);
    commit();
    await expectRefusal('changelog: the section «Unreleased» of CHANGELOG.md is empty', { version: '1.2.0' });
  });

  it('that says nothing about the upgrade says that there is nothing to do', async () => {
    writeRelease(root, (await prepared()).files);
    expect(readReleases(root).at(-1)?.upgrade).toEqual(['Nothing beyond a deployment.']);
  });
});

describe('a release is refused', () => {
  it.each(['1.1', 'v1.1.0', '1.1.0-rc.1', 'latest'])('if its version is %s', async (version) => {
    await expectRefusal(`version: '${version}' does not have the form 1.2.3`, { version });
  });

  it.each(['1.0.0', '0.9.0'])('if its version is %s, which is not greater than the newest', async (version) => {
    await expectRefusal(`version: ${version} is not greater than 1.0.0, the newest release`, { version });
  });

  it('if nothing is unreleased', async () => {
    put('CHANGELOG.md', CHANGELOG.replace('- Something new.\n\n', ''));
    commit();
    await expectRefusal('changelog: the section «Unreleased» of CHANGELOG.md is empty');
  });

  it('if something is breaking and nobody says what operators do', async () => {
    put('CHANGELOG.md', CHANGELOG.replace('Something new', '**Breaking:** something else'));
    commit();
    await expectRefusal('changelog: something is breaking. Say what operators do about it');
    expect((await prepared({ upgrade: ['Do it.'] })).problems).toEqual([]);
  });

  it('if a file of the working tree is not committed, new ones included', async () => {
    put('new.txt', 'new\n');
    await expectRefusal('working tree: 1 files are not committed, the first is new.txt');
  });

  it('if the folder has no history', async () => {
    const outside = temporaryFolder('no-history-');
    execFileSync('cp', ['-r', `${root}/.`, outside]);
    execFileSync('rm', ['-rf', join(outside, '.git')]);
    const { problems } = await prepared({ root: outside });
    expect(problems).toEqual([expect.stringContaining('working tree: Git cannot read it')]);
  });

  it('if the service stack replaces a resource that the changelog does not name', async () => {
    const renamed = { ...TOPIC, fixed: { Name: 'b' } };
    await expectRefusal('Name `Topic` in the section «Unreleased»', { resources: () => [TABLE, renamed] });
    put('CHANGELOG.md', CHANGELOG.replace('Something new.', '`Topic` is replaced.'));
    commit();
    expect((await prepared({ resources: () => [TABLE, renamed] })).problems).toEqual([]);
  });

  it('if the stateful stack removes a resource, announced or not', async () => {
    put('CHANGELOG.md', CHANGELOG.replace('Something new.', '`Table` is removed.'));
    commit();
    await expectRefusal('No release may do this to the stateful stack', { resources: () => [TOPIC] });
  });

  it('if a check fails, with the name of the check; checks run only after those of the repository', async () => {
    const ran: string[] = [];
    const check = (name: string, ...problems: string[]): Check => ({
      name,
      run: () => {
        ran.push(name);
        return problems;
      },
    });
    const checks = [check('types'), check('golden tables', '1.0.0 answers otherwise')];
    await expectRefusal('golden tables: 1.0.0 answers otherwise', { checks });
    expect(ran).toEqual(['types', 'golden tables']);
    await expectRefusal('does not have the form', { version: '2', checks });
    expect(ran).toHaveLength(2);
  });

  it('names all problems of the repository at once', async () => {
    put('CHANGELOG.md', '# Changelog\n');
    const { problems } = await prepared({ version: '1.0.0' });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['version', 'changelog', 'working tree']);
  });
});

describe('a check by a command', () => {
  it('passes if the command ends with 0, and shows the last lines of a command that fails', async () => {
    expect(await commandCheck('a', process.execPath, ['--eval', '']).run()).toEqual([]);
    const failing = commandCheck('b', process.execPath, ['--eval', 'console.log("broken"); process.exit(2)']);
    expect(await failing.run()).toEqual([expect.stringMatching(/ failed: broken$/)]);
    expect(await commandCheck('c', '/nowhere/command', []).run()).toEqual([expect.stringContaining('ENOENT')]);
  });
});

describe('npm run release', () => {
  const release = (...options: string[]) =>
    spawnSync(process.execPath, ['infra/release/release.ts', ...options], { cwd: ROOT, encoding: 'utf8' });

  it('says how it is used', { timeout: 60_000 }, () => {
    const { status, stdout } = release();
    expect([status, stdout]).toEqual([1, expect.stringContaining('npm run release -- VERSION')]);
  });

  it('refuses a version of the past and writes nothing', { timeout: 60_000 }, () => {
    const { status, stderr } = release('0.0.1', '--dry-run');
    expect(status).toBe(1);
    expect(stderr).toContain('version: 0.0.1 is not greater than');
    expect(stderr).toContain('Release 0.0.1 is refused. Nothing was written.');
  });
});
