import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { type Setting, settingOf } from '#test/shared/environments/relayed-environments.ts';
import { testApi } from '#test/support/api.ts';
import { inOwnBuild, type OwnValues, writeWithCopies } from '#test/support/copies/copied-writes.ts';
import { environmentGroups, onServer } from '#test/support/environments.ts';
import { anArtifact, aRepo, fingerprintOf, shaOf } from '#test/support/evidence.ts';
import { countingTable } from '#test/support/table/units.ts';

/** Calls and read units of requests about artifacts at their largest page (rules/storage.md#reads-of-artifacts). */

const api = await testApi([...environmentGroups, assertsGroup, customAttestationTypesGroup, reposGroup]);
const sound = api.services.table;
const ROWS = 100;
const FIRST = fingerprintOf('a-0');
const PLACES = ['prod', 'stage', 'test'];
const figures: Record<string, unknown> = {};
let acme: Setting;

const count = (rows: number): number[] => Array.from({ length: rows }, (_, i) => i);
const done = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
};

/** How the report of an artifact in a flow of its own differs from that of `a-1`. */
function otherArtifact(org: OrganizationId, i: number): OwnValues {
  const [one, other] = [fingerprintOf('a-1'), fingerprintOf(`a-${i}`)];
  return {
    texts: { 'flow-1': `flow-${i}`, 'a-1': `a-${i}`, [one]: other },
    set: inOwnBuild(org, one, other),
  };
}

/** Every artifact in a flow of its own, in all environments; the first one also in 20 flows more. */
beforeAll(async () => {
  acme = await settingOf(api, []);
  // The relay handles a report before it is copied, so that the copies have the items of the relay too. `changed()` makes
  // the relay skip the copies of the report before.
  const report = async (name: string, flow: string) => {
    await acme.relay.changed();
    await done(acme.report(anArtifact(name, { repo_info: aRepo(), template_reference_name: 'app' }), { flow }));
    await acme.relay.settle();
  };
  const { services } = api;
  await report('a-0', 'flow-0');
  const others = count(ROWS)
    .slice(2)
    .map((i) => otherArtifact(acme.id, i));
  // Copies do for counts of calls and units, which look at no hashes.
  await writeWithCopies(services, acme.id, () => report('a-1', 'flow-1'), others);
  const flows = count(20)
    .slice(1)
    .map((i) => ({ texts: { 'other-0': `other-${i}` } }));
  await writeWithCopies(services, acme.id, () => report('a-0', 'other-0'), flows);
  await acme.relay.changed();
  for (const name of PLACES) {
    await done(acme.putEnvironment(name));
    await done(acme.run(name, onServer({ old: 'old' })));
    await done(acme.run(name, onServer(Object.fromEntries(count(ROWS).map((i) => [`a-${i}`, `a-${i}`])))));
  }
  await inParallel(count(60), 8, (i) =>
    done(
      acme.call('POST', `/custom-attestation-types/${acme.org}`, {
        form: { fields: { data_json: JSON.stringify({ name: `type-${i}` }) } },
      }),
    ),
  );
  await acme.relay.settle();
  api.services.clock.advance(600_000_000);
  await settleSeries(sound, acme.id, EVIDENCE_FACETS, ARTIFACTS, api.services.clock.now(), new Set());
}, 300_000);

afterAll(() => {
  console.table(figures);
});

/** What the cheaper of two requests costs: now and then a request reads again what authentication remembers. */
async function costOf(path: string, query: string) {
  const ask = async () => {
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      const { status } = await acme.get(path.replace('ORG', acme.org), query);
      const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
      return { status, calls: logged['aws_calls'] ?? 0, trips: logged['aws_sequential'] ?? 0, read: units.read };
    } finally {
      api.services.table = sound;
    }
  };
  // The function remembers names from an earlier request.
  const costs = [await ask(), await ask(), await ask()].sort(
    (one, other) => one.calls - other.calls || one.trips - other.trips,
  );
  return costs[0];
}

const BY_FINGERPRINT = `/artifacts/ORG/flow-0/fingerprint/${FIRST}`;
const ASSERT = `/asserts/ORG/fingerprint/${FIRST}`;

/**
 * Fewest units of a page: record, trail and runs of each row, its flow if each row has another one, the environments, the
 * entries of the page, and the total of the list.
 */
const pageOf = (rows: number, flows = rows): number => 3 * rows + flows + PLACES.length + Math.ceil(rows / 20) + 1;

describe('a request about artifacts', () => {
  it.each([
    // Name, address, query, most calls, most calls after one another, fewest read units
    ['reports', '/artifacts/ORG', '', 8, 5, pageOf(15)],
    ['reports, largest page', '/artifacts/ORG', 'per_page=100', 9, 5, pageOf(100)],
    ['reports, an older page', '/artifacts/ORG', 'per_page=50&page=2', 8, 5, pageOf(50)],
    ['reports of a flow', '/artifacts/ORG/flow-1', '', 8, 5, pageOf(1)],
    ['reports of a flow, by the filter', '/artifacts/ORG', 'flow_name=flow-1&per_page=100', 8, 5, pageOf(1)],
    ['reports of a repository', '/artifacts/ORG', 'repo_name=acme/web', 9, 6, pageOf(15)],
    ['reports of a repository, largest page', '/artifacts/ORG', 'repo_name=acme/web&per_page=100', 12, 6, pageOf(100)],
    [
      'reports of a repository, an older page',
      '/artifacts/ORG',
      'repo_name=acme/web&per_page=50&page=2',
      9,
      6,
      pageOf(50),
    ],
    // Flow, presence, record, trail, runs, runtime events, three environments.
    ['an artifact', BY_FINGERPRINT, '', 6, 2, 9],
    ['an artifact by a prefix', BY_FINGERPRINT.slice(0, -50), '', 7, 4, 10],
    ['an artifact of a trail', BY_FINGERPRINT, 'trail=run', 6, 2, 8],
    // And three events, the report and its flow.
    ['an artifact with starts', BY_FINGERPRINT, 'include=starts', 8, 5, 14],
    ['artifacts of a commit', `/artifacts/ORG/flow-1/commit_sha/${shaOf('c')}`, '', 6, 4, pageOf(1)],
    // Flow, directories of the list and of all reports, entries, report.
    ['latest commit', `/artifacts/ORG/flow-1/${FIRST}/latest_commit`, '', 7, 4, 5],
    // Index, presence, record, flow, trail, runs, three environments.
    ['search by fingerprint', `/search/ORG/sha/${fingerprintOf('a-1')}`, '', 6, 3, 9],
    ['search by fingerprint, in 21 flows', `/search/ORG/sha/${FIRST}`, '', 8, 4, 6 + 3 * 21],
    ['search by commit', `/search/ORG/sha/${shaOf('c')}`, '', 8, 4, pageOf(100)],
    // The newest 100 reports, 100 flows in which a trail may have the name, the catalogues.
    ['search by name', '/search/ORG', 'q=flow', 8, 4, 200],
    ['search by digest or name', '/search/ORG', `q=${shaOf('c')}`, 8, 4, 200],
    ['custom types', '/custom-attestation-types/ORG', '', 3, 2, 61],
    ['custom types, a page', '/custom-attestation-types/ORG', 'per_page=20', 2, 2, 21],
    ['custom types in short', '/custom-attestation-types/ORG', 'short=true&page=1&per_page=100', 3, 2, 61],
    ['a custom type', '/custom-attestation-types/ORG/type-1', '', 1, 1, 1],
    // Trail and flow of each of 21 presences.
    ['assert', ASSERT, '', 3, 3, 2 + 2 * 21],
    ['assert in a flow', ASSERT, 'flow_name=flow-0', 4, 3, 4],
    ['assert in an environment', ASSERT, 'environment_name=prod', 6, 3, 5 + 2 * 21],
    ['assert in all environments', `${ASSERT}/environments`, 'per_page=100', 8, 5, 8 + 2 * 21],
  ])('%s', async (name, path, query, calls, trips, floor) => {
    const cost = await costOf(path, query);
    figures[name] = { ...cost, floor };
    expect(cost).toMatchObject({ status: 200 });
    expect(cost?.calls).toBeLessThanOrEqual(calls);
    expect(cost?.trips).toBeLessThanOrEqual(trips);
    expect(cost?.read).toBeLessThanOrEqual(2 * floor);
  });
});
