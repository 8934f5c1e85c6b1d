import { beforeAll, describe, expect, it } from 'vitest';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { repoIdKey, repoKey, repoTagKey } from '#shared/evidence/records/keys.ts';
import { REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { fillTable } from '#test/support/table/fill-table.ts';
import { requestCosts } from '#test/support/table/request-costs.ts';

/** Costs of lists of repositories over many records: sequential round trips, as the access log counts them. */

const api = await testApi([reposGroup, flowsGroup]);
const { table, clock } = api.services;

const costOf = requestCosts(api);

describe('an organization with 20,000 repositories', () => {
  const COUNT = 20_000;
  /** The repositories that an answer shows. Only they have records; lists read the entries of all. */
  const isShown = (i: number) => i < 50 || i >= COUNT - 100 || i === 777 || i === 12_345;
  let acme: EvidenceOfOrganization;

  beforeAll(async () => {
    acme = await newOrganization(api);
    const at = clock.now();
    const items = Array.from({ length: COUNT }, (_, i): Item[] => {
      const [id, externalId, name] = [
        newId(micros(at - i * 1000)),
        String(i),
        `acme/repo-${String(i).padStart(5, '0')}`,
      ];
      const facts = { url: 'https://git.example', provider: 'gitlab', description: null, created: at, modified: at };
      const records = [
        { ...repoKey(acme.id, externalId, 'gitlab'), v: 1, id, externalId, name, ...facts },
        { ...repoIdKey(acme.id, id), v: 1, externalId, name, provider: 'gitlab' },
      ];
      return [
        ...(isShown(i) ? records : []),
        { ...catalogueKey(acme.id, REPOS.name, id), v: 1, n: name, x: externalId, p: 'gitlab' },
        { ...repoTagKey(acme.id, 'team', i % 2 === 0 ? 'even' : 'odd', id), v: 1 },
      ];
    });
    await fillTable(table, items.flat());
  }, 900_000);

  it.each([
    ['', COUNT, 15],
    ['page=400&per_page=50', COUNT, 50],
    ['search=REPO-0001', 10, 10],
    ['name=acme/repo-19999', 1, 1],
    ['tag=team', COUNT, 15],
    ['tag=team:even&page=200&per_page=50', COUNT / 2, 50],
    ['repo_id=777&provider=gitlab&sort_direction=desc', 1, 1],
  ])('lists the repositories in five round trips: %s', async (query, count, shown) => {
    const cost = await costOf(acme, `/repos/${acme.org}`, query);
    expect(cost.json).toMatchObject({ total_count: count, repos: { length: shown } });
    expect(cost.trips).toBeLessThanOrEqual(5);
  });

  it('shows one repository by name in four round trips, and by id in two', async () => {
    const named = await costOf(acme, `/repos/${acme.org}/acme/repo-12345`);
    // The entries of 20,000 repositories have more than 2 MB, so they take three calls after one another.
    expect([named.status, named.trips]).toEqual([200, 4]);
    const { id } = named.json as { id: string };
    const byId = await costOf(acme, `/repos/${acme.org}/x`, `id=${id}`);
    expect([byId.status, byId.trips]).toEqual([200, 2]);
  });
});
