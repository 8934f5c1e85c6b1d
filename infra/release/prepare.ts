import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { cutChangelog, unannounced, unreleasedText } from './changelog.ts';
import type { FixedResource } from './fixed-resources.ts';
import { newestRelease, type ReleaseFacts, readResources, releaseFiles } from './releases.ts';
import { replacements } from './replacements.ts';
import { compareVersions, isVersion } from './versions.ts';

/** A check that a release has to pass. */
export interface Check {
  /** What is checked, as a noun: `types and lint`. */
  name: string;
  /** @returns what is wrong, one sentence each; empty if the check passes */
  run: () => Promise<string[]> | string[];
}

interface Preparation {
  /** Folder of the sources, which is the top of a checkout. */
  root: string;
  version: string;
  /** As `2026-11-24`. */
  date: string;
  /** The data format that these sources write. */
  format: number;
  /** What operators do when they upgrade; empty if they do nothing beyond a deployment. */
  upgrade: readonly string[];
  /** Returns the pinned resources of these sources. */
  resources: () => FixedResource[];
  /** Checks beyond those of the repository. They run only if those pass, because they take longer. */
  checks: readonly Check[];
}

interface Prepared {
  /** What is wrong, as sentences with the name of the check; empty if the release may be made. */
  problems: string[];
  /** Files to write: paths from the root with their texts; empty if something is wrong. */
  files: [path: string, text: string][];
}

const NOTHING_TO_DO = 'Nothing beyond a deployment.';

/** Checks whether a release may be made, and makes its files without writing them (docs/releasing.md#prepare). */
export async function prepareRelease(preparation: Preparation): Promise<Prepared> {
  const { root, version, date, format, upgrade, checks } = preparation;
  const problems = ofRepository(preparation);
  if (problems.length > 0) return { problems, files: [] };
  const resources = preparation.resources();
  problems.push(...ofResources(root, resources));
  for (const { name, run } of problems.length > 0 ? [] : checks) {
    problems.push(...(await run()).map((problem) => `${name}: ${problem}`));
  }
  if (problems.length > 0) return { problems, files: [] };
  const oldest = newestRelease(root).data_format.reads[0] ?? format;
  const facts: ReleaseFacts = {
    version,
    date,
    // A reader of an older format stays until a release drops it by hand.
    data_format: { writes: format, reads: Array.from({ length: format - oldest + 1 }, (_, i) => oldest + i) },
    upgrade: upgrade.length > 0 ? [...upgrade] : [NOTHING_TO_DO],
  };
  const changelog = cutChangelog(textOf(root, 'CHANGELOG.md'), version, date);
  return {
    problems,
    files: [['CHANGELOG.md', changelog], ...packageFiles(root, version), ...releaseFiles(facts, resources)],
  };
}

/** Writes the files of a prepared release. */
export function writeRelease(root: string, files: Prepared['files']): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const textOf = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');

function ofRepository({ root, version, upgrade }: Preparation): string[] {
  const newest = newestRelease(root).version;
  const unreleased = unreleasedText(textOf(root, 'CHANGELOG.md'));
  const problems = [];
  if (!isVersion(version)) problems.push(`version: '${version}' does not have the form 1.2.3`);
  else if (compareVersions(version, newest) <= 0) {
    problems.push(`version: ${version} is not greater than ${newest}, the newest release`);
  }
  if (unreleased === '') problems.push('changelog: the section «Unreleased» of CHANGELOG.md is empty');
  if (unreleased.includes('**Breaking:**') && upgrade.length === 0) {
    problems.push('changelog: something is breaking. Say what operators do about it: --upgrade "…"');
  }
  return [...problems, ...ofWorkingTree(root)];
}

function ofWorkingTree(root: string): string[] {
  const { status, stdout, stderr, error } = spawnSync('git', ['status', '--porcelain'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) return [`working tree: Git cannot read it: ${error?.message ?? stderr.trim()}`];
  const changed = stdout.trimEnd().split('\n').filter(Boolean);
  if (changed.length === 0) return [];
  return [`working tree: ${changed.length} files are not committed, the first is ${changed[0]?.slice(3)}`];
}

/** The stateful stack may replace nothing. What the service stack replaces has to be announced. */
function ofResources(root: string, resources: readonly FixedResource[]): string[] {
  const found = replacements(readResources(newestRelease(root).version, root), resources);
  const stateful = found.filter(({ stack }) => stack === 'stateful');
  const silent = unannounced(found, textOf(root, 'CHANGELOG.md')).filter(({ stack }) => stack !== 'stateful');
  return [
    ...stateful.map(({ sentence }) => `resources: ${sentence} No release may do this to the stateful stack`),
    ...silent.map(
      ({ sentence, id }) => `resources: ${sentence} Name \`${id}\` in the section «Unreleased» of CHANGELOG.md`,
    ),
  ];
}

/** The schemas keep the order of members, so that the files change in the lines of the version only. */
const Manifest = z.record(z.string(), z.unknown());
const Lockfile = z.intersection(Manifest, z.object({ packages: z.record(z.string(), Manifest) }));

/** The manifest and the lock file with the version, in the form that npm writes. */
function packageFiles(root: string, version: string): [path: string, text: string][] {
  const manifest = Manifest.parse(JSON.parse(textOf(root, 'package.json')));
  const lock = Lockfile.parse(JSON.parse(textOf(root, 'package-lock.json')));
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return [
    ['package.json', json({ ...manifest, version })],
    ['package-lock.json', json({ ...lock, version, packages })],
  ];
}
