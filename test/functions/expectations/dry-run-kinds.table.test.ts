import { describe, expect, it } from 'vitest';
import { preciseId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { entryWrite } from '#shared/series/series.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { kindsApi, organizationOfKinds, REVIEWED } from './kinds-api.ts';

const api = await kindsApi();
const { clock } = api.services;
const MINUTE = 60_000_000;

interface Played {
  subjects: number;
  subjects_with_gaps_at_least: number;
  exact: boolean;
  messages_at_least: { missed: number; met_again: number };
  gaps: { subject: Record<string, string>; certainty: string; from: number; until: number | null }[];
  unknown: unknown[];
}

/** An organization with the flow `web`, whose trails need a review, the environment `prod` and the control `C-1`. */
async function playing() {
  const kinds = await organizationOfKinds(api);
  const { acme, relay } = kinds;
  const begin = clock.now();
  const run = (about: object) =>
    acme.call('POST', `/expectations/${acme.org}/dry-run`, {
      json: { name: 'it', scope: { flows: ['web'] }, every: 'PT20M', grace: 'PT2M', from: begin / 1e6, ...about },
    });
  const played = async (about: object) => {
    await relay.settle();
    const answer = await run(about);
    expect(answer.status, answer.text).toBe(200);
    const body = answer.json as Played;
    const minute = (at: number | null) => at && Math.round((at - begin / 1e6) / 60);
    const gaps = body.gaps.map(({ subject, from, until }) => [Object.values(subject), minute(from), minute(until)]);
    expect([body.exact, body.unknown, body.gaps.every(({ certainty }) => certainty === 'exact')]).toEqual([
      true,
      [],
      true,
    ]);
    return { ...body, gaps };
  };
  return { ...kinds, run, played, begin };
}
const pass = (minutes: number) => clock.advance(minutes * MINUTE);

describe('POST /expectations/{org}/dry-run, by kind', () => {
  it('plays trails that began, and compliant attestations by name, type and control, of each flow or of the scope', async () => {
    const { acme, played, review, decide } = await playing();
    await acme.putFlow('api');
    pass(30);
    await acme.begin({}, { trail: 'one' });
    await review({ is_compliant: false });
    await decide(false);
    pass(10);
    await review();
    pass(10);
    await acme.attest('junit', { attestation_name: 'unit', junit_results: [] }, { trail: 'one' });
    await review({}, 'api');
    await decide(true);
    pass(23);
    const flows = { scope: { flows: ['web', 'api'] } };
    const activity = await played({ kind: 'activity', ...flows });
    expect(activity).toMatchObject({ subjects: 2, subjects_with_gaps_at_least: 2 });
    expect(activity.gaps).toEqual([
      [['flow', 'api'], 70, null],
      [['flow', 'web'], 50, null],
      [['flow', 'api'], 20, 50],
      [['flow', 'web'], 20, 30],
    ]);
    expect(activity.messages_at_least).toEqual({ missed: 4, met_again: 2 });
    const gapsOf = async (about: object) => (await played({ kind: 'evidence', ...about })).gaps;
    const web = [
      [['flow', 'web'], 60, null],
      [['flow', 'web'], 20, 40],
    ];
    expect(await gapsOf({ evidence: { name: 'review' } })).toEqual(web);
    expect(await gapsOf({ evidence: { type: 'generic' } })).toEqual(web);
    expect(await gapsOf({ evidence: { control: 'C-1' } })).toEqual([
      [['flow', 'web'], 70, null],
      [['flow', 'web'], 20, 50],
    ]);
    expect(await gapsOf({ evidence: { name: 'review' }, per: 'scope', ...flows })).toEqual([
      [['scope'], 70, null],
      [['scope'], 20, 40],
    ]);
  });

  it('lets an override count for the type that it overrides', async () => {
    const { acme, played, review } = await playing();
    await acme.begin({}, { trail: 'one' });
    await review({ is_compliant: false });
    pass(30);
    await acme.attest(
      'override',
      { attestation_name: 'review', original_attestation_type: 'generic', reason: 'seen', new_compliance_status: true },
      { trail: 'one' },
    );
    expect((await played({ kind: 'evidence', evidence: { type: 'generic' } })).gaps).toEqual([
      [['flow', 'web'], 20, 30],
    ]);
  });

  it('plays each trail that began in the period, and leaves out those of other flows', async () => {
    const { acme, played, review } = await playing();
    await acme.begin({}, { trail: 'one' });
    await acme.putFlow('other', REVIEWED);
    await acme.begin({}, { flow: 'other', trail: 'elsewhere' });
    pass(5);
    await acme.begin({}, { trail: 'two' });
    pass(35);
    await review();
    const all = await played({ kind: 'completion' });
    expect(all).toMatchObject({ subjects: 2, subjects_with_gaps_at_least: 2 });
    expect(all.gaps).toEqual([
      [['trail', 'web', 'two'], 25, null],
      [['trail', 'web', 'one'], 20, 40],
    ]);
    const later = await played({ kind: 'completion', from: clock.now() / 1e6 - 39 * 60 });
    expect(later.subjects).toBe(1);
  });

  it('plays each start of an artifact, and stores nothing', async () => {
    const { acme, played, decide, send } = await playing();
    await acme.begin({}, { trail: 'one' });
    for (const name of ['early', 'late']) await acme.report(anArtifact(name, { trail_name: 'one' }), { trail: 'one' });
    await decide(true, { artifact_fingerprint: fingerprintOf('early') });
    pass(1);
    const artifacts = ['early', 'late'].map((name) => ({
      digests: { [name]: fingerprintOf(name) },
      creationTimestamp: 1_776_000_000,
    }));
    await send('PUT', '/environments/ORG/prod/report/server', { artifacts });
    pass(29);
    await decide(true, { artifact_fingerprint: fingerprintOf('late') });
    const about = { kind: 'decision', scope: { environments: ['prod'] }, control: 'C-1' };
    const all = await played(about);
    expect([all.subjects, all.gaps]).toEqual([2, [[['artifact', 'prod', fingerprintOf('late'), 'late'], 21, 30]]]);
    expect((await acme.get(`/expectations/${acme.org}`)).json).toMatchObject({ expectations: [] });
  });

  it('refuses what a save refuses, and to look at too much, with the numbers', async () => {
    const { acme, run, begin } = await playing();
    expect((await run({ kind: 'evidence' })).status).toBe(400);
    expect((await run({ kind: 'completion', scope: { flows: ['nope'] } })).status).toBe(400);
    const items = Array.from({ length: 2_001 }, (_, i) => {
      const write = entryWrite(acme.id, 'trails', preciseId(micros(begin + i)), { f: 'x', t: `t-${i}` });
      return 'put' in write ? write.put : (undefined as never);
    });
    await api.services.table.putMany(items);
    for (let n = 0; n < 20; n += 1) await acme.putFlow(`f-${n}`);
    const many = { scope: { flows: ['web', ...Array.from({ length: 20 }, (_, n) => `f-${n}`)] } };
    pass(1);
    const answer = await run({ kind: 'activity', ...many });
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        message:
          'The dry run would look at 2001 trails or more, and at most 2000 are possible. Name fewer in the scope, or give a later `from`',
      },
    ]);
    expect((await run({ kind: 'activity' })).status).toBe(200);
  });
});
