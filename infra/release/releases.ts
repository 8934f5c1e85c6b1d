import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '../bundles/compiled.ts';
import { FixedResource } from './fixed-resources.ts';
import { compareVersions, isVersion } from './versions.ts';

/** Folder of the repository with one folder for each release, named by its version. */
const RELEASES = 'infra/release';
/** Files of a release: what it is, and its pinned resources: one JSON object per line, so that a difference reads well. */
const FACTS = 'release.json';
const RESOURCES = 'resources.jsonl';

/** What the repository says about a release (docs/releasing.md#files-of-a-release). */
export const ReleaseFacts = z.strictObject({
  version: z.string().refine(isVersion, 'must have the form 1.2.3'),
  date: z.iso.date(),
  data_format: z.strictObject({
    writes: z.int().min(1),
    /** In rising order, with the format that the release writes at the end. */
    reads: z.array(z.int().min(1)).min(1),
  }),
  /** What operators do when they upgrade to the release, one sentence or a few each. */
  upgrade: z.array(z.string().min(1).max(500)).min(1),
});
export type ReleaseFacts = z.infer<typeof ReleaseFacts>;

/** Reads all releases, the oldest first. @param root folder of the sources @throws Error that names the file that is wrong */
export function readReleases(root: string = ROOT): ReleaseFacts[] {
  const folder = join(root, RELEASES);
  const versions = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return versions
    .map(({ name }) => readFacts(root, name))
    .toSorted((one, other) => compareVersions(one.version, other.version));
}

function readFacts(root: string, name: string): ReleaseFacts {
  const path = join(RELEASES, name, FACTS);
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing: each folder of ${RELEASES} is a release`);
  const read = ReleaseFacts.safeParse(JSON.parse(readFileSync(join(root, path), 'utf8')));
  if (!read.success) throw new Error(`${path} is wrong: ${z.prettifyError(read.error)}`);
  if (read.data.version !== name)
    throw new Error(`${path} has the version ${read.data.version}, its folder is ${name}`);
  return read.data;
}

/** Returns the newest release. @throws Error if there is none */
export function newestRelease(root: string = ROOT): ReleaseFacts {
  const newest = readReleases(root).at(-1);
  if (!newest) throw new Error(`${RELEASES} has no release`);
  return newest;
}

/** Reads the pinned resources of a release. */
export const readResources = (version: string, root: string = ROOT): FixedResource[] =>
  readFileSync(join(root, RELEASES, version, RESOURCES), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => FixedResource.parse(JSON.parse(line)));

/** Returns the files of a release: paths from the root of the sources with their texts. */
export function releaseFiles(facts: ReleaseFacts, resources: readonly FixedResource[]): [path: string, text: string][] {
  const folder = join(RELEASES, facts.version);
  return [
    [join(folder, FACTS), `${JSON.stringify(facts, null, 2)}\n`],
    [join(folder, RESOURCES), resources.map((resource) => `${JSON.stringify(resource)}\n`).join('')],
  ];
}
