import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { toSeconds } from '#shared/base/time.ts';
import { testApi } from '#test/support/api.ts';
import { movableClock } from '#test/support/clock.ts';
import { onServer } from '#test/support/environments.ts';
import { findGaps } from '#test/support/records/gaps.ts';
import { relayOf } from '#test/support/relay.ts';
import { type EvaluationJson, evaluatedIn, withTrail } from './evaluations-api.ts';

const MINUTE = 60_000_000;
const clock = movableClock();
const evidence = [flowsGroup, trailsGroup, artifactsGroup, attestationsGroup];
const api = await testApi([evaluationsGroup, environmentsGroup, expectationsGroup, ...evidence], { clock });
const evaluated = evaluatedIn(api.services);

const HEARD = [
  'package policy',
  'default allow := false',
  'allow if input.expectations["prod-reports"].met',
  'violations contains sprintf("%v missed", [input.expectations["prod-reports"].open_gaps])',
].join('\n');

/** An organization whose environment `prod` has just reported and is expected to report every 20 minutes. */
async function acmeExpecting() {
  const acme = await withTrail(api);
  const put = (path: string, json: unknown) => acme.call('PUT', path, { json, key: acme.keys.admin });
  await put(`/environments/${acme.org}`, { name: 'prod', type: 'server' });
  const report = () => put(`/environments/${acme.org}/prod/report/server`, onServer({}));
  const expectReports = (every: string) =>
    put(`/expectations/${acme.org}`, {
      name: 'prod-reports',
      kind: 'reports',
      scope: { environments: ['prod'] },
      every,
      grace: 'PT0S',
    });
  expect((await report()).status).toBe(201);
  expect((await expectReports('PT20M')).status).toBe(201);
  const replay = async ({ id }: EvaluationJson) =>
    (await acme.call('POST', `/evaluations/${acme.org}/${id}/replay`, { key: acme.keys.member, text: 'null' })).json;
  return { acme, report, expectReports, replay };
}

describe('expectations in the input of a policy', () => {
  it('replay of an evaluation that read expectations agrees after later changes', async () => {
    const { acme, report, expectReports, replay } = await acmeExpecting();
    const met = await evaluated(acme, HEARD);
    expect(met.result).toEqual({ allow: true, violations: [] });
    await findGaps({ table: api.services.table, clock }, acme.id, 0.5);
    const missed = await evaluated(acme, HEARD);
    expect(missed.result).toEqual({ allow: false, violations: ['1 missed'] });

    // A report, another version, and an archived expectation change nothing of what was read.
    await report();
    await expectReports('PT1M');
    clock.advance(24 * 60 * MINUTE);
    await acme.call('POST', `/expectations/${acme.org}/prod-reports/archive`, { key: acme.keys.admin, text: 'null' });
    for (const one of [met, missed]) {
      expect(await replay(one)).toMatchObject({ identical: true, result: one.result, proof: one.proof });
    }
  });

  it('are those of recorded_at: the version in force, and the reports until then', async () => {
    const { acme, report, expectReports } = await acmeExpecting();
    clock.advance(15 * MINUTE);
    const early = toSeconds(clock.now());
    await findGaps({ table: api.services.table, clock }, acme.id, 0.25);
    const late = toSeconds(clock.now());
    await report();
    await expectReports('PT1M');
    const at = (recorded_at: number) => evaluated(acme, HEARD, { recorded_at });
    // The trail exists at both instants, and each finds what was so then.
    expect((await at(early)).result).toEqual({ allow: true, violations: [] });
    expect((await at(late)).result).toEqual({ allow: false, violations: ['1 missed'] });
  });

  it('have their times in seconds, and are unknown where reports are no longer known', async () => {
    const { acme, report } = await acmeExpecting();
    const before = toSeconds(clock.now());
    for (let n = 0; n < 5; n += 1) {
      clock.advance(MINUTE);
      await report();
    }
    const shown = (recorded_at?: number) =>
      evaluated(
        acme,
        'package policy\n\nallow := false\n\nviolations contains json.marshal(input.expectations["prod-reports"])\n',
        recorded_at === undefined ? {} : { recorded_at },
      ).then(({ result }) => JSON.parse(result?.violations[0] ?? 'null'));
    const now = await shown();
    expect(now).toEqual({ met: true, due_at: now.last_met_at + 1200, last_met_at: expect.any(Number), open_gaps: 0 });
    expect(now.last_met_at).toBeGreaterThan(before);
    expect(await shown(before)).toEqual({ met: null, due_at: null, last_met_at: null, open_gaps: 0 });
  });

  it('are not read for a policy that does not name them', async () => {
    const { acme } = await acmeExpecting();
    const { result } = await evaluated(acme, 'package policy\n\nallow := count(object.keys(input)) == 2\n');
    expect(result).toEqual({ allow: true, violations: [] });
  });

  it('are judged for the other kinds by what had come at the instant, and are null without their names', async () => {
    const acme = await withTrail(api);
    const relay = relayOf(api.services, acme.id);
    const expecting = (name: string, about: object) =>
      acme.call('PUT', `/expectations/${acme.org}`, {
        json: { name, scope: { flows: ['web'] }, every: 'PT20M', grace: 'PT0S', starts_at: 0, ...about },
        key: acme.keys.admin,
      });
    await acme.putFlow('web', 'trail:\n  attestations:\n    - {name: review, type: generic}');
    const review = (is_compliant = true) =>
      acme.attest('generic', { attestation_name: 'review', is_compliant }, { flow: 'web', trail: 'one' });
    for (const [name, about] of [
      ['begins', { kind: 'activity' }],
      ['reviewed', { kind: 'evidence', evidence: { name: 'review' } }],
      ['done', { kind: 'completion' }],
    ] as const) {
      expect((await expecting(name, about)).status).toBe(201);
    }
    const shown = async (recorded_at: number, names: string) => {
      await relay.settle();
      const policy = `package policy\n\nallow := false\n\n# ${names}\nviolations contains json.marshal(input.expectations)\n`;
      const { result } = await evaluated(acme, policy, { recorded_at });
      return JSON.parse(result?.violations[0] ?? 'null') as Record<string, Record<string, unknown>>;
    };
    const all = (recorded_at: number) => shown(recorded_at, 'begins reviewed done');
    const instant = () => toSeconds(clock.now());
    await acme.begin({}, { flow: 'web', trail: 'one' });
    const begun = instant();
    clock.advance(MINUTE);
    await review(false);
    const early = instant();
    clock.advance(30 * MINUTE);
    const late = instant();
    await review();
    await acme.begin({}, { flow: 'web', trail: 'two' });
    const end = instant();
    const now = await all(end);
    expect(now).toMatchObject({
      begins: { met: true, open_gaps: 0 },
      reviewed: { met: true, open_gaps: 0, due_at: Number(now['reviewed']?.['last_met_at']) + 1200 },
      done: { met: true, open_gaps: 0 },
    });
    // What came after the instant does not count, although only the latest arrival of a flow is stored.
    expect(await all(late)).toMatchObject({
      begins: { met: false, open_gaps: 1, last_met_at: null },
      reviewed: { met: false, open_gaps: 1, last_met_at: null },
      done: { met: false, open_gaps: 1, due_at: null },
    });
    const before = await all(early);
    expect(before).toMatchObject({ begins: { met: true }, reviewed: { met: true }, done: { met: true } });
    expect(Math.abs(Number(before['begins']?.['last_met_at']) - begun)).toBeLessThan(1);
    expect(await shown(early, 'none')).toMatchObject({ begins: { met: null }, reviewed: { met: null } });
    const reviewedAt = Number(now['reviewed']?.['last_met_at']);
    clock.advance(30 * MINUTE);
    await review();
    expect((await all(end))['reviewed']).toMatchObject({ met: true, last_met_at: reviewedAt });
  });
});
