import { afterAll, describe, expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { snapshotContentKey } from '#shared/environments/records/keys.ts';
import { readSealedContent } from '#shared/environments/records/snapshots.ts';
import { copiesInTrail, copiesOfReports } from '#test/support/copies/copied-reports.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { policyText, STRICT } from '#test/support/policies.ts';
import { fillTable } from '#test/support/table/fill-table.ts';
import { warmUp } from '#test/support/table/request-costs.ts';
import { countingTable, itemSize, type Units } from '#test/support/table/units.ts';

/**
 * Budgets of reports to environments on a warm function, which remembers what authentication reads
 * (rules/storage.md#budgets).
 */

const api = await environmentsApi();
const sound = api.services.table;
const figures: Record<string, Cost> = {};

afterAll(() => {
  console.table(figures);
});

interface Cost extends Units {
  status: number;
  /** AWS calls after one another, as the access log counts them. */
  trips: number;
  calls: number;
}

/** What one request costs, kept for the table of figures. */
async function costOf(name: string, send: () => Promise<TestAnswer>): Promise<Cost> {
  await warmUp(api, () => acme.get(`/environments/${acme.org}`));
  const { table, units } = countingTable(sound);
  api.services.table = table;
  try {
    const { status } = await send();
    const entry = api.entries.findLast((one) => 'aws_calls' in one) as unknown as Record<string, number>;
    const cost = { status, trips: entry['aws_sequential'] ?? 0, calls: entry['aws_calls'] ?? 0, ...units };
    figures[name] = cost;
    return cost;
  } finally {
    api.services.table = sound;
  }
}

/** An artifact and its trail. No other name contains this text. */
const MODEL = 'the-model';
const FLOWS = 40;
const MOST = 1_000;
const names = Array.from({ length: MOST }, (_, i) => `a${i}`);
/** What runs, by name; each artifact was reported to one of the flows. */
const running = (count: number, more: Record<string, string> = {}) =>
  onServer({ ...Object.fromEntries(names.slice(0, count).map((name) => [name, name])), ...more });

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n';
const POLICIES = [
  STRICT,
  policyText('attestations:', '  - {type: generic, name: review}'),
  policyText('attestations:', '  - {type: decision, for_control: SC-1}'),
  policyText('provenance:', '  required: true', `  exceptions: [{if: 'flow.tags.kind == "tool"'}]`),
  policyText('attestations:', `  - {type: "*", name: review, if: 'matches(flow.name, "^f")'}`),
];

async function acmeWithEvidence(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'SC-1', name: 'Source' } });
  for (const [i, text] of POLICIES.entries()) expect((await acme.putPolicy(`p${i}`, text)).status).toBe(201);
  const flows = Array.from({ length: FLOWS }, (_, i) => `f${i}`);
  await inParallel(flows.entries(), 4, async ([i, flow]) => {
    await acme.putFlow(flow, TEMPLATE);
    await acme.attest('generic', { attestation_name: 'review' }, { flow });
    const [model = '', ...others] = names.filter((_, n) => n % FLOWS === i);
    await acme.report(anArtifact(model), { flow });
    const decision = { type_name: 'decision', control: 'SC-1', attestation_name: 'gate' };
    await acme.attest('system', { ...decision, attestation_data: { is_compliant: true } }, { flow });
    const reported = { fingerprint: fingerprintOf(model), trail: 'run' };
    // Copies do for counts of calls and units, which look at no hashes.
    await fillTable(sound, await copiesInTrail(sound, acme.id, reported, 'SC-1', others.map(fingerprintOf)));
  });
  return acme;
}

const acme = await acmeWithEvidence();

async function environment(name: string): Promise<void> {
  await acme.putEnvironment(name);
  expect((await acme.attach(name, ...POLICIES.map((_, i) => `p${i}`))).status).toBe(200);
}

describe('an environment report', () => {
  it.each([1, 100, MOST])(
    'an environment report with %i artifacts under five policies costs five trips if changed, two if not',
    async (count) => {
      const env = `e${count}`;
      await environment(env);
      const first = await costOf(`first, ${count}`, () => acme.run(env, running(count)));
      expect([first.status, (await acme.head(env)).state]).toEqual([201, true]);
      expect(first.trips).toBeLessThanOrEqual(5);

      const changed = await costOf(`changed, ${count}`, () => acme.run(env, running(count, { stranger: 'stranger' })));
      expect([changed.status, (await acme.head(env)).state]).toEqual([201, false]);
      expect(changed.trips).toBeLessThanOrEqual(5);
      expect(changed.write).toBeLessThanOrEqual(40);

      const unchanged = await costOf(`unchanged, ${count}`, () =>
        acme.run(env, running(count, { stranger: 'stranger' })),
      );
      expect(unchanged).toEqual({ status: 200, trips: 2, calls: 2, read: 1, write: 1 });

      await acme.raiseMark(env);
      const marked = await costOf(`marked, ${count}`, () => acme.run(env, running(count, { stranger: 'stranger' })));
      expect(marked.status).toBe(200);
      expect(marked.trips).toBeLessThanOrEqual(4);
      expect((await acme.head(env)).index).toBe(2);
    },
  );

  it('reads what it needs and no more: per artifact where it was reported and whether it is allowed', () => {
    const { read: one = 0 } = figures['changed, 1'] ?? {};
    const { read: many = 0, calls = 0 } = figures[`changed, ${MOST}`] ?? {};
    // Each of the flows' trails once; per artifact its flows, its place on the allow-list, its decisions.
    expect(many - one).toBeLessThanOrEqual(MOST * 3 + FLOWS * 20);
    // Flows and decisions for 50 partitions per call, the allow-list for 100 items.
    expect(calls).toBeLessThanOrEqual((MOST * 2 + FLOWS * 2) / 50 + MOST / 100 + 50);
  });

  it('keeps a content in bounds: rules once, and little per artifact', async () => {
    const { id, index } = await acme.head(`e${MOST}`);
    const body = (await readSealedContent(sound, acme.id, id, index))?.body;
    expect(body?.store).toBe('s3');
    expect((body?.size ?? 0) / MOST).toBeLessThan(700);
    const item = await sound.get(snapshotContentKey(acme.id, id, index));
    expect(itemSize(item)).toBeLessThan(1_024);
  });

  it('may have 10,000 fingerprints, 2,000 of them in trails', async () => {
    await environment('large');
    const inOwnTrails = Array.from({ length: MOST }, (_, i) => `b${i}`);
    await copyModel(inOwnTrails);
    const strangers = Array.from({ length: 8_000 }, (_, i) => `s${i}`);
    const artifacts = onServer(
      Object.fromEntries([...names, ...inOwnTrails, ...strangers].map((name) => [name, name])),
    );
    const cost = await costOf('changed, 10000', () => acme.run('large', artifacts));
    expect(cost.status).toBe(201);
    expect(cost.trips).toBeLessThanOrEqual(5);
    // Flows of all fingerprints; trails and decisions of the known ones; the allow-list.
    expect(cost.calls).toBeLessThanOrEqual((10_000 + 3 * 2_000) / 50 + 10_000 / 100 + 50);
    const { rows } = await acme.content('large');
    expect(rows).toHaveLength(10_000);
    expect(rows.filter(({ compliant }) => compliant)).toHaveLength(2_000);
    expect((await acme.run('large', artifacts)).status).toBe(200);
  });
});

describe('a report whose policies name many controls', () => {
  it('is refused before it reads trails and decisions', async () => {
    const controls = Array.from({ length: 20 }, (_, i) => `C-${i}`);
    for (const identifier of controls) {
      await acme.call('POST', `/controls/${acme.org}`, { json: { identifier, name: 'Source' } });
    }
    const rules = controls.map((control) => `  - {type: decision, for_control: ${control}}`);
    expect((await acme.putPolicy('many', policyText('attestations:', ...rules))).status).toBe(201);
    await acme.putEnvironment('wide');
    expect((await acme.attach('wide', 'many')).status).toBe(200);
    const { status, calls } = await costOf('refused, 1000', () => acme.run('wide', running(MOST)));
    expect(status).toBe(400);
    // The head, the policy, the allow-list, and the flows of each artifact.
    expect(calls).toBeLessThanOrEqual(MOST / 50 + MOST / 100 + 20);
    expect((await acme.head('wide')).index).toBe(0);
  });
});

describe('a report whose policies have many rules', () => {
  const RULES = 198;
  const rules = (condition: string) =>
    policyText(
      'attestations:',
      ...Array.from({ length: RULES }, (_, i) => `  - {type: generic, name: a${i}${condition}}`),
    );

  it('stores each result once, and its snapshot is shown in short', async () => {
    await environment('ruled');
    for (const name of ['ruled-1', 'ruled-2']) expect((await acme.putPolicy(name, rules(''))).status).toBe(201);
    expect((await acme.attach('ruled', 'ruled-1', 'ruled-2')).status).toBe(200);
    expect((await acme.run('ruled', running(MOST))).status).toBe(201);
    const { id, index } = await acme.head('ruled');
    const body = (await readSealedContent(sound, acme.id, id, index))?.body;
    expect((body?.size ?? 0) / MOST).toBeLessThan(800);
    const { rows } = await acme.content('ruled');
    expect(new Set(rows.flatMap(({ evaluations }) => evaluations)).size).toBeLessThanOrEqual(2 * (POLICIES.length + 2));
  });

  it('is refused before it reads trails and decisions if it takes too many checks', async () => {
    await acme.putEnvironment('heavy');
    const names = Array.from({ length: 4 }, (_, i) => `heavy-${i}`);
    const condition = `, if: 'artifact.name != "${'x'.repeat(300)}"'`;
    for (const name of names) expect((await acme.putPolicy(name, rules(condition))).status).toBe(201);
    expect((await acme.attach('heavy', ...names)).status).toBe(200);
    const { status, calls } = await costOf('too many checks, 1000', async () => {
      const answer = await acme.run('heavy', running(MOST));
      expect(answer.json).toMatchObject({
        errors: {
          artifacts: expect.stringMatching(
            /^Evaluating 1000 artifacts in 1000 flows by 800 rules takes \d+ checks, .* At most 5000000 checks are possible\. Divide/u,
          ),
        },
      });
      return answer;
    });
    expect(status).toBe(400);
    // The head, the policies, the allow-list, and the flows of each artifact.
    expect(calls).toBeLessThanOrEqual(MOST / 50 + MOST / 100 + 20);
    expect((await acme.head('heavy')).index).toBe(0);
    // Fewer policies are accepted.
    expect((await acme.detach('heavy', ...names.slice(2))).status).toBe(200);
    expect((await acme.run('heavy', running(MOST))).status).toBe(201);
    // A policy that would be too much is refused as well, and so is a trial of it.
    expect((await acme.attach('heavy', ...names.slice(2))).json).toMatchObject({
      errors: { policy_names: expect.stringContaining('checks') },
    });
    expect((await acme.head('heavy')).index).toBe(1);
  });
});

/** Stores artifacts that lie in one trail each. */
async function copyModel(copies: readonly string[]): Promise<void> {
  await acme.report(anArtifact(MODEL, { trail_name: MODEL }), { flow: 'f0', trail: MODEL });
  await acme.attest('generic', { attestation_name: 'review' }, { flow: 'f0', trail: MODEL });
  const decision = { type_name: 'decision', control: 'SC-1', attestation_name: 'gate' };
  await acme.attest('system', { ...decision, attestation_data: { is_compliant: true } }, { flow: 'f0', trail: MODEL });
  const inOwnTrail = (name: string) => ({ fingerprint: fingerprintOf(name), trail: name });
  // Copies do for counts of calls and units, which look at no hashes.
  await fillTable(sound, await copiesOfReports(sound, acme.id, inOwnTrail(MODEL), 'SC-1', copies.map(inOwnTrail)));
}
