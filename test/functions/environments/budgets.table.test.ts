import { afterAll, describe, expect, it } from 'vitest';
import { preciseId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { micros } from '#shared/base/time.ts';
import { MOST_TRAILS } from '#shared/environments/flows/read-flow-frequency.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { type ListedTrail, listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { seriesPartition } from '#shared/series/keys.ts';
import { seriesPage } from '#shared/series/series.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { testName } from '#test/support/ids.ts';
import { policyText } from '#test/support/policies.ts';
import { countingTable, type Units } from '#test/support/table/units.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

/** Budgets of reads of environments, snapshots and policies on a warm function (rules/storage.md#budgets). */

const MEMBERS = 20;
const ARTIFACTS = 11;
const VERSIONS = 30;

const api = await snapshotsApi();
const sound = api.services.table;
const figures: Record<string, Units & { calls: number; floor: number }> = {};

afterAll(() => {
  console.table(figures);
});

const acme = await readingOrganization(api);
const artifacts = Array.from({ length: ARTIFACTS }, (_, i) => `a${i}`);
const running = (...more: string[]) =>
  onServer(Object.fromEntries([...artifacts, ...more].map((name) => [name, name])));
const members = Array.from({ length: MEMBERS }, (_, i) => `member-${i}`);
const others = Array.from({ length: MEMBERS }, (_, i) => `other-${i}`);

/** A policy of an ordinary length. */
const RULES = [
  'provenance: {required: true, exceptions: [{if: "matches(artifact.name, \\"^registry.example/base/\\")"}]}',
  'trail-compliance: {required: true, exceptions: [{if: "flow.tags.kind == \\"tool\\""}]}',
  'attestations:',
  ...['unit-tests', 'integration-tests', 'static-analysis', 'licences', 'vulnerabilities', 'review'].map(
    (name) => `  - {type: generic, name: ${name}, if: 'flow.tags.tier != "experimental"'}`,
  ),
];
for (let version = 1; version <= VERSIONS; version += 1) {
  const { status } = await acme.putPolicy('grown', policyText(...RULES, `# version ${version}`));
  expect(status).toBeLessThan(300);
}
await inParallel([...Array(20).keys()], 4, (i) => acme.putPolicy(`p${i}`));
await acme.putFlow('web', 'version: 1\n');
for (const name of artifacts) expect((await acme.report(anArtifact(name), { trail: name })).status).toBe(201);
await inParallel([...members, ...others], 4, (name) => acme.putEnvironment(name, 'server', { policies: ['grown'] }));
await acme.putEnvironment('prod', 'server', { policies: ['grown', ...[...Array(19).keys()].map((i) => `p${i}`)] });
await acme.putEnvironment('all', 'logical', { included_environments: members });
await inParallel(members, 4, (name) => acme.run(name, onServer({ a1: 'a1', [name]: name })));
await acme.run('prod', running());
await acme.run('prod', running('stranger'));
await acme.allow('prod', 'a1');
for (const name of [...members, 'prod']) await acme.expand(name);

/** Copies a trail of the flow, so that more trails began than a frequency counts. */
async function copyTrails(count: number): Promise<void> {
  const { clock } = api.services;
  const { entries } = await seriesPage(sound, acme.id, 'trails', { page: 1, perPage: 1 }, clock.now());
  const [{ flow, trail }] = entries.map(listedTrail) as [ListedTrail];
  const head = await sound.get(trailHeadKey(trailPartition(acme.id, flow, trail)));
  const series = `trails:${flow}`;
  const copies = Array.from({ length: count }, (_, i): Item[] => {
    const [name, created] = [`copy-${i}`, clock.now() + i];
    const id = preciseId(micros(created));
    return [
      { ...keyIn(seriesPartition(acme.id, series, monthOf(id)), id), v: 1, f: flow, t: name },
      { ...head, ...trailHeadKey(trailPartition(acme.id, flow, testName(name))), name, created },
    ];
  });
  await sound.putMany(copies.flat());
  clock.advance(600_000_000);
  await settleSeries(sound, acme.id, EVIDENCE_FACETS, series, clock.now(), new Set());
}
await copyTrails(2 * MOST_TRAILS);

/** What one request costs. Earlier requests of the same kind have filled the memory of the function. */
async function costOf(
  send: () => Promise<TestAnswer>,
): Promise<Units & { status: number; calls: number; shown: number }> {
  await send();
  const { table, units } = countingTable(sound);
  api.services.table = table;
  try {
    const { status, json } = await send();
    const entry = api.entries.findLast((one) => 'aws_calls' in one) as unknown as Record<string, number>;
    return { status, calls: entry['aws_calls'] ?? 0, shown: Math.ceil(JSON.stringify(json).length / 4096), ...units };
  } finally {
    api.services.table = sound;
  }
}

function expectWithin(
  name: string,
  { status, ...cost }: Units & { status: number; calls: number },
  floor: number,
): void {
  figures[name.slice(0, 40)] = { floor, ...cost };
  expect(status).toBe(200);
  expect(cost.calls).toBeLessThanOrEqual(8);
  expect(cost.read).toBeLessThanOrEqual(2 * floor);
  expect(cost.write).toBe(0);
}

describe('a read', () => {
  const org = `/environments/${acme.org}`;
  const snapshots = `/snapshots/${acme.org}`;
  /** `separate` counts the records that lie apart from the list; the list itself is counted by the size of the answer. */
  it.each<[name: string, path: string, query: string, separate: number]>([
    ['all environments', org, '', 0],
    ['a page of environments', org, 'page=1&per_page=100', 0],
    ['environments with a tag: entries and tags of all, as in the list', org, 'tag=none', 3],
    ['environments with states: a head and a range of changes each', org, 'include=states&per_page=50', 2 * MEMBERS],
    ['all policies', `/policies/${acme.org}`, '', 0],
    ['a policy with 30 versions', `/policies/${acme.org}/grown`, '', 0],
    ['snapshots of an environment: its head', `${snapshots}/prod`, 'per_page=1000', 1],
    ['events: head', `${org}/prod/events`, 'per_page=100', 1],
    [
      'a history: head, the end of the period, trails, entries of the allow-list',
      `${org}/prod/artifacts`,
      'include=evidence&include=allowed&per_page=100',
      2 + 2 * ARTIFACTS,
    ],
    ['deployments: head, the end of the period', `${org}/prod/deployments`, 'per_page=100', 2],
    ['an allow-list: head', `/allowlists/${acme.org}/prod`, 'per_page=100', 1],
  ])(
    'a read of %s takes at most 8 calls, and at most twice the units of what it shows',
    async (name, path, query, separate) => {
      const { shown, ...cost } = await costOf(() => acme.get(path, query));
      expectWithin(name, cost, shown + separate);
    },
  );

  it.each<[name: string, path: string, query: string, floor: number]>([
    ['an environment: head, description, tags, entry', `${org}/prod`, '', 4],
    ['a logical environment: its four records, the names of its members', `${org}/all`, '', 4 + MEMBERS],
    ['a snapshot: head, summary, next one, content, a report per artifact', `${snapshots}/prod/1`, '', 4 + ARTIFACTS],
    ['the newest snapshot: head, summary, content, reports', `${snapshots}/prod/-1`, '', 3 + ARTIFACTS],
    ['artifacts in short: head, summary, content', `${snapshots}/prod/-1/artifacts`, '', 3],
    ['a group snapshot: its records, content and name per member', `${snapshots}/all/-1`, '', 3 + 2 * MEMBERS],
    [
      'a comparison: head, summary, next one, content of each, reports',
      `/env-diff/${acme.org}`,
      `snappish1=prod%231&snappish2=prod%232`,
      8 + ARTIFACTS,
    ],
    ['the frequency of a group: head, days per member', `${org}/all/deployment_frequency`, '', 1 + MEMBERS],
    [
      'the frequency of a flow: head, list of trails and environments, head per trail, head and days per environment',
      `/flows/${acme.org}/web/frequency`,
      '',
      3 + MOST_TRAILS + 2 * MEMBERS,
    ],
  ])(
    'a read of %s takes at most 8 calls, and at most twice the units of these records',
    async (name, path, query, floor) => {
      const { shown: _, ...cost } = await costOf(() => acme.get(path, query));
      expectWithin(name, cost, floor);
    },
  );
});

describe('changes between instants', () => {
  it('take at most 13 calls, and at most twice the units of what they compare', async () => {
    const { status, calls, read, write } = await costOf(() =>
      acme.get(`/env-diff/${acme.org}`, 'environment=prod&from=0'),
    );
    // Head, both ends with their contents, the first snapshot; per artifact its report and its trail.
    figures['changes between instants'] = { calls, floor: 8 + 2 * ARTIFACTS, read, write };
    expect([status, write]).toEqual([200, 0]);
    expect(calls).toBeLessThanOrEqual(13);
    expect(read).toBeLessThanOrEqual(2 * (8 + 2 * ARTIFACTS));
  });
});

describe('a changed report', () => {
  it('a changed report of 11 artifacts in trails of their own takes at most 8 calls', async () => {
    await acme.putEnvironment('small', 'server', { policies: ['grown'] });
    await acme.run('small', running());
    let changes = 0;
    const { calls, shown, status, ...units } = await costOf(() => {
      changes += 1;
      return acme.run('small', running(`change ${changes}`));
    });
    // Head, content, policy; per artifact its flows and its trail; the flow with its tags.
    figures['a changed report'] = { calls, floor: 3 + 2 * ARTIFACTS + 2, ...units };
    expect(status).toBe(201);
    expect(calls).toBeLessThanOrEqual(8);
    expect(units.read).toBeLessThanOrEqual(2 * (5 + 2 * ARTIFACTS));
    expect(units.write).toBeLessThanOrEqual(40);
  });
});
