import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageVersion } from '#infra/bundles/package-version.ts';
import { newestRelease, readReleases, readResources } from '#infra/release/releases.ts';
import { compareVersions, isVersion } from '#infra/release/versions.ts';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { temporaryFolder } from '../synthesized.ts';

describe('the releases of the repository', () => {
  const releases = readReleases();

  it('can be read, each with its pinned resources', () => {
    expect(releases[0]?.version).toBe('1.0.0');
    for (const { version } of releases) expect(readResources(version).length, version).toBeGreaterThan(100);
  });

  it('rise in version, date and data format', () => {
    for (const [i, { version, date, data_format: format }] of releases.entries()) {
      const before = releases[i - 1];
      expect(format.reads, version).toEqual(format.reads.toSorted((a, b) => a - b));
      expect(format.reads.at(-1), version).toBe(format.writes);
      if (!before) continue;
      expect(compareVersions(version, before.version), version).toBeGreaterThan(0);
      expect(date >= before.date, version).toBe(true);
      expect(format.writes, version).toBeGreaterThanOrEqual(before.data_format.writes);
      // Functions are updated one by one, so both releases read the same table.
      expect(format.reads, version).toContain(before.data_format.writes);
    }
  });

  it('end with the version of the package, and with no later data format than that of the sources', () => {
    expect(newestRelease().version).toBe(packageVersion());
    expect(newestRelease().data_format.writes).toBeLessThanOrEqual(DATA_FORMAT);
  });
});

describe('a release that is described wrongly', () => {
  const facts = { version: '1.0.0', date: '2026-11-24', data_format: { writes: 1, reads: [1] }, upgrade: ['Nothing.'] };
  const readWith = (folder: string, text: string | undefined) => {
    const root = temporaryFolder('releases-');
    mkdirSync(join(root, 'infra/release', folder), { recursive: true });
    if (text !== undefined) writeFileSync(join(root, 'infra/release', folder, 'release.json'), text);
    return () => readReleases(root);
  };

  it.each([
    ['without its file', '1.0.0', undefined, 'infra/release/1.0.0/release.json is missing'],
    ['in the folder of another', '1.0.1', JSON.stringify(facts), 'has the version 1.0.0, its folder is 1.0.1'],
    ['with a date that does not exist', '1.0.0', JSON.stringify({ ...facts, date: '2026-02-30' }), 'date'],
    ['with an unknown field', '1.0.0', JSON.stringify({ ...facts, note: 'x' }), 'note'],
    ['without advice for the upgrade', '1.0.0', JSON.stringify({ ...facts, upgrade: [] }), 'upgrade'],
    ['with a version of another form', '1.0', JSON.stringify({ ...facts, version: '1.0' }), 'must have the form 1.2.3'],
  ])('is refused: %s', (_, folder, text, problem) => {
    expect(readWith(folder, text)).toThrow(problem);
  });
});

describe('versions', () => {
  it.each(['1.0.0', '0.10.2', '12.0.30'])('%s is one', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  it.each(['1.0', '01.0.0', '1.0.0-rc.1', 'v1.0.0', '1.0.0 ', ''])('«%s» is none', (text) => {
    expect(isVersion(text)).toBe(false);
  });

  it('are compared as numbers', () => {
    const rising = ['0.9.9', '1.0.0', '1.0.2', '1.0.10', '1.2.0', '1.10.0', '2.0.0'];
    expect(rising.toReversed().toSorted(compareVersions)).toEqual(rising);
  });
});
