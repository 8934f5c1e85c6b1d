import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { micros, toSeconds } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { facetSeries } from '#shared/series/facets.ts';
import { testApi } from '#test/support/api.ts';
import {
  anArtifact,
  aRepo,
  type EvidenceOfOrganization,
  fingerprintOf,
  newOrganization,
} from '#test/support/evidence.ts';
import { entriesAt, fillSettledSeries } from '#test/support/table/entries.ts';
import { requestCosts } from '#test/support/table/request-costs.ts';

/** Costs of lists of builds over many records: sequential round trips, as the access log counts them. */

const api = await testApi([buildsGroup, reposGroup, artifactsGroup, flowsGroup, trailsGroup]);
const { table, clock } = api.services;
const SECOND = 1_000_000;

const costOf = requestCosts(api);

/** Reads the inner id of the repository of this name. */
async function readRepoId(acme: EvidenceOfOrganization, name: string): Promise<string> {
  const { json } = await acme.get(`/repos/${acme.org}/${name}`);
  return String((json as { id: string }).id);
}

/**
 * Every month of nearly a year has builds. The last full month has so many that they do not fit into one answer of the
 * database. More builds would only add milestones, and no request reads all milestones.
 */
describe('an organization with 20,000 builds in nearly a year', () => {
  const COUNT = 20_000;
  /** The first builds come at long intervals, the later ones at short intervals. */
  const SPARSE = 4_000;
  const RARELY = 6_000 * SECOND;
  const EVERY = 300 * SECOND;
  const start = clock.now() - SPARSE * RARELY - (COUNT - SPARSE) * EVERY;
  const timeOf = (i: number) => start + Math.min(i, SPARSE) * RARELY + Math.max(0, i - SPARSE) * EVERY;
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
    const times = Array.from({ length: COUNT }, (_, i) => timeOf(i));
    const entries = entriesAt(times, (i) => ({ r: report, f: flow, p: i % 10 === 0 ? web : other }));
    const ofWeb = facetSeries(EVIDENCE_FACETS, 'builds', { p: web });
    await fillSettledSeries(table, acme.id, 'builds', entries, (facet) => facet === ofWeb);
  }, 900_000);

  const seconds = (i: number) => toSeconds(micros(timeOf(i)));
  const windows: [string, string, number][] = [
    ['all', 'start_ts=0', COUNT + 1],
    // The entry of exactly 28 days ago is no longer in the window when the test asks; the report itself is.
    ['the last 28 days', '', (28 * 86_400 * SECOND) / EVERY],
    ['one in the middle', `start_ts=${seconds(3_000)}&end_ts=${seconds(13_000)}`, 10_001],
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
    for (const window of ['start_ts=0', `start_ts=${seconds(3_000)}&end_ts=${seconds(13_000)}`]) {
      for (const page of [1, 20]) {
        const cost = await costOf(acme, `/builds/${acme.org}`, `${filter}=${value}&${window}&per_page=50&page=${page}`);
        const { builds, total_count: total } = cost.json as { builds: unknown[]; total_count: number };
        expect([cost.status, builds.length]).toEqual([200, 50]);
        expect(total).toBe(window === 'start_ts=0' ? COUNT / 10 + 1 : 1_001);
        expect(cost.trips).toBeLessThanOrEqual(5);
      }
    }
  });
});
