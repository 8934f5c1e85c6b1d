import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { newId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { repoIdKey, repoKey, repoTagKey } from '#shared/evidence/records/keys.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { entriesAt, fillSeries } from '#test/support/entries.ts';
import {
  anArtifact,
  aRepo,
  type EvidenceOfOrganization,
  fingerprintOf,
  newOrganization,
  shaOf,
} from '#test/support/evidence.ts';

/** Costs of lists and searches over many records: sequential round trips, as the access log counts them. */

const api = await testApi([buildsGroup, reposGroup, searchGroup, artifactsGroup, flowsGroup, trailsGroup]);
const { table, clock } = api.services;
const SECOND = 1_000_000;

interface Cost {
  status: number;
  json: unknown;
  trips: number;
  calls: number;
}

/** Measures a request without its authentication: an earlier request has cached the caller. */
async function costOf(acme: EvidenceOfOrganization, path: string, query = ''): Promise<Cost> {
  await acme.get(`/flows/${acme.org}/nope`);
  const { status, json } = await acme.get(path, query);
  const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
  return { status, json, trips: logged['aws_sequential'] ?? 0, calls: logged['aws_calls'] ?? 0 };
}

/** Reads the inner id of the repository of this name. */
async function readRepoId(acme: EvidenceOfOrganization, name: string): Promise<string> {
  const { json } = await acme.get(`/repos/${acme.org}/${name}`);
  return String((json as { id: string }).id);
}

describe('an organization with 100,000 builds in nearly a year', () => {
  const COUNT = 100_000;
  const EVERY = 300 * SECOND;
  const start = clock.now() - COUNT * EVERY;
  let acme: EvidenceOfOrganization;
  let web = '';

  beforeAll(async () => {
    acme = await newOrganization(api);
    await acme.report(anArtifact('cli', { repo_info: aRepo() }));
    await acme.begin({ repo_info: aRepo({ id: '1', name: 'acme/api' }) });
    web = await readRepoId(acme, 'acme/web');
    const other = await readRepoId(acme, 'acme/api');
    const flow = ((await acme.get(`/flows/${acme.org}/web`)).json as { id: string }).id;
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`);
    const report = (json as { artifact_id: string }).artifact_id;
    const times = Array.from({ length: COUNT }, (_, i) => start + i * EVERY);
    const entries = entriesAt(times, (i) => ({ r: report, f: flow, p: i % 10 === 0 ? web : other }));
    await fillSeries(table, acme.id, 'builds', entries);
    await settleSeries(table, acme.id, 'builds', clock.now(), new Set());
  }, 900_000);

  const seconds = (i: number) => toSeconds(start + i * EVERY);
  const windows: [string, string, number][] = [
    ['all', 'start_ts=0', COUNT + 1],
    // The entry of exactly 28 days ago is no longer in the window when the test asks; the report itself is.
    ['the last 28 days', '', (28 * 86_400 * SECOND) / EVERY],
    ['one in the middle', `start_ts=${seconds(40_000)}&end_ts=${seconds(60_000)}`, 20_001],
    ['a narrow one long ago', `start_ts=${seconds(100)}&end_ts=${seconds(110)}`, 11],
    ['an empty one', `start_ts=${seconds(100) + 1}&end_ts=${seconds(100) + 2}`, 0],
    ['one before everything', 'start_ts=0&end_ts=1000', 0],
  ];

  it.each(windows)('shows the first, middle and last page of %s in five round trips', async (_, query, count) => {
    const page = (number: number) => costOf(acme, `/builds/${acme.org}`, `${query}&per_page=50&page=${number}`);
    const pages = Math.max(1, Math.ceil(count / 50));
    const [first, middle, last] = [await page(1), await page(Math.ceil(pages / 2)), await page(pages)];
    expect(first.json).toMatchObject({ has_builds_ever: true });
    expect(first.json).toMatchObject({ total_count: count });
    for (const cost of [first, middle, last]) {
      expect(cost.status).toBe(200);
      expect(cost.trips).toBeLessThanOrEqual(5);
      expect(cost.calls).toBeLessThanOrEqual(30);
    }
  });

  it.each(['repo_inner_id', 'repo_name', 'repo_id'])('filters windows by %s in five round trips', async (filter) => {
    const value = { repo_inner_id: web, repo_name: 'acme/web', repo_id: '4711' }[filter] ?? '';
    for (const window of ['start_ts=0', `start_ts=${seconds(40_000)}&end_ts=${seconds(60_000)}`]) {
      for (const page of [1, 20]) {
        const cost = await costOf(acme, `/builds/${acme.org}`, `${filter}=${value}&${window}&per_page=50&page=${page}`);
        const { builds, total_count: total } = cost.json as { builds: unknown[]; total_count: number };
        expect([cost.status, builds.length]).toEqual([200, 50]);
        expect(total).toBe(window === 'start_ts=0' ? COUNT / 10 + 1 : 2_001);
        expect(cost.trips).toBeLessThanOrEqual(5);
      }
    }
  });
});

describe('an organization with 20,000 repositories', () => {
  const COUNT = 20_000;
  let acme: EvidenceOfOrganization;

  beforeAll(async () => {
    acme = await newOrganization(api);
    const at = clock.now();
    const items = Array.from({ length: COUNT }, (_, i): Item[] => {
      const [id, externalId, name] = [newId(at - i * 1000), String(i), `acme/repo-${String(i).padStart(5, '0')}`];
      const facts = { url: 'https://git.example', provider: 'gitlab', description: null, created: at, modified: at };
      return [
        { ...repoKey(acme.id, externalId, 'gitlab'), v: 1, id, externalId, name, ...facts },
        { ...repoIdKey(acme.id, id), v: 1, externalId, family: 'gitlab' },
        { ...catalogueKey(acme.id, 'repo', id), v: 1, n: name, x: externalId, p: 'gitlab' },
        { ...repoTagKey(acme.id, 'team', i % 2 === 0 ? 'even' : 'odd', id), v: 1 },
      ];
    });
    await table.putMany(items.flat());
  }, 900_000);

  it.each([
    ['', COUNT],
    ['page=400&per_page=50', COUNT],
    ['search=REPO-0001', 10],
    ['name=acme/repo-19999', 1],
    ['tag=team', COUNT],
    ['tag=team:even&page=200&per_page=50', COUNT / 2],
    ['repo_id=777&provider=gitlab&sort_direction=desc', 1],
  ])('lists the repositories in five round trips: %s', async (query, count) => {
    const cost = await costOf(acme, `/repos/${acme.org}`, query);
    expect(cost.json).toMatchObject({ total_count: count, repos: expect.arrayContaining([expect.anything()]) });
    expect(cost.trips).toBeLessThanOrEqual(5);
  });

  it('shows one repository by name or by id in two round trips', async () => {
    const named = await costOf(acme, `/repos/${acme.org}/acme/repo-12345`);
    expect([named.status, named.trips]).toEqual([200, 2]);
    const { id } = named.json as { id: string };
    const byId = await costOf(acme, `/repos/${acme.org}/x`, `id=${id}`);
    expect([byId.status, byId.trips]).toEqual([200, 2]);
  });
});

describe('a search', () => {
  it('takes two round trips, or three if a fingerprint has more than one report', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.report(anArtifact('lib', { git_commit: shaOf('d'), git_commit_info: undefined }));
    for (const sha of [fingerprintOf('cli'), fingerprintOf('cli').slice(0, 7), shaOf('c'), shaOf('d').slice(0, 5)]) {
      const cost = await costOf(acme, `/search/${acme.org}/sha/${sha}`);
      expect([cost.status, cost.trips]).toEqual([200, 2]);
    }
    await acme.report(anArtifact('cli'), { flow: 'other' });
    const cost = await costOf(acme, `/search/${acme.org}/sha/${fingerprintOf('cli').slice(0, 7)}`);
    expect([cost.status, cost.trips]).toEqual([200, 3]);
    const nothing = await costOf(acme, `/search/${acme.org}/sha/ffffffffff`);
    expect([nothing.status, nothing.trips]).toEqual([404, 1]);
  });
});
