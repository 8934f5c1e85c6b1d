import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { countingTable } from '#test/support/table/units.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const { clock } = api.services;
const sound = api.services.table;
const HOUR = 3_600_000_000;
type Own = Awaited<ReturnType<typeof readingOrganization>>;

interface History {
  artifacts: Record<string, unknown>[];
  totals: Record<string, number>;
  total_count: number;
  complete: boolean;
}

async function history({ get, org }: Own, query = ''): Promise<History> {
  const { status, json, text } = await get(`/environments/${org}/prod/artifacts`, query);
  if (status !== 200) throw new Error(text);
  return json as History;
}

const setup = async (): Promise<Own> => {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod');
  return acme;
};

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await setup();

describe('GET /environments/{org}/{env_name}/artifacts', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/environments/${org}/prod/artifacts`, needs: 'reader' });

  it('shows each run with its verdicts, its trail and its page, and totals of the period', async () => {
    const acme = await setup();
    await acme.putPolicy('strict');
    await acme.attach('prod', 'strict');
    await acme.report(anArtifact('app'));
    await acme.run('prod', onServer({ app: 'app', rogue: 'rogue' }));
    const started = clock.now();
    clock.advance(HOUR);
    const begin = clock.now();
    clock.advance(HOUR);
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.expand('prod');
    const [, stopped] = await acme.snapshots('prod');
    clock.advance(HOUR);
    const seconds = { from: begin / 1e6, to: (stopped?.at ?? 0) / 1e6, now: clock.now() / 1e6 };
    const body = await history(acme, `start_ts=${seconds.from}&end_ts=${seconds.now}`);
    expect(body).toMatchObject({
      environment: 'prod',
      start_ts: seconds.from,
      end_ts: seconds.now,
      total_count: 2,
      complete: true,
      totals: { artifacts: 2, runs: 2, always_compliant: 1, non_compliant: 1, unknown: 0 },
    });
    expect(body.totals['non_compliant_seconds']).toBeCloseTo(seconds.to - seconds.from, 3);
    expect(body.artifacts).toEqual([
      {
        fingerprint: fingerprintOf('app'),
        name: 'app',
        from: null,
        to: null,
        state: true,
        verdicts: [{ state: true, from: null, to: null }],
        instances: 1,
        flow_name: 'web',
        trail_name: 'run',
        git_commit: anArtifact('app')['git_commit'],
        artifact_id: expect.any(String),
        html_url: expect.stringContaining(`/${acme.org}/flows/web/artifacts/${fingerprintOf('app')}?artifact_id=`),
      },
      {
        fingerprint: fingerprintOf('rogue'),
        name: 'rogue',
        from: null,
        to: seconds.to,
        state: false,
        verdicts: [{ state: false, from: null, to: seconds.to }],
        instances: 1,
        flow_name: null,
        trail_name: null,
        git_commit: null,
        artifact_id: null,
        html_url: null,
      },
    ]);
    await acme.allow('prod', 'rogue', { description: 'vendor image' });
    const more = await history(acme, `start_ts=${seconds.from}&include=evidence&include=allowed`);
    expect(more.artifacts).toMatchObject([
      { name: 'app', trail_moments: 2, allowed: null },
      { name: 'rogue', trail_moments: null, allowed: { by: `${acme.org}-admin`, description: 'vendor image' } },
    ]);
    const whole = await history(acme, 'start_ts=0');
    expect(whole.artifacts.map(({ name, from }) => [name, from])).toEqual([
      ['app', expect.closeTo(started / 1e6, 0)],
      ['rogue', expect.closeTo(started / 1e6, 0)],
    ]);
  });

  it('cuts pages out of the runs, with the totals of all of them', async () => {
    const acme = await setup();
    for (const content of ['a', 'b', 'c']) {
      clock.advance(HOUR);
      await acme.run('prod', onServer({ [content]: content }));
    }
    await acme.expand('prod');
    const second = await history(acme, 'page=2&per_page=2');
    expect(second.artifacts.map(({ name, to }) => [name, to])).toEqual([['c', null]]);
    expect(second).toMatchObject({ total_count: 3, totals: { artifacts: 3, unknown: 3 } });
    expect((await history(acme, 'page=3&per_page=2')).artifacts).toEqual([]);
  });

  it('is empty before the first snapshot, and says so while events are missing', async () => {
    const acme = await setup();
    const before = clock.now() / 1e6;
    clock.advance(HOUR);
    await acme.run('prod', onServer({ a: 'a' }));
    expect(await history(acme)).toMatchObject({ artifacts: [], complete: false });
    expect(await history(acme, `end_ts=${before}`)).toMatchObject({ artifacts: [], complete: true });
    await acme.expand('prod');
    expect(await history(acme)).toMatchObject({ artifacts: [{ name: 'a' }], complete: true });
  });

  it('takes five calls after one another, whatever the page', async () => {
    const acme = await setup();
    await acme.report(anArtifact('app'));
    await acme.run('prod', onServer({ app: 'app', other: 'x' }));
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.expand('prod');
    await history(acme);
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      await history(acme, 'start_ts=0');
    } finally {
      api.services.table = sound;
    }
    const entry = api.entries.findLast((one) => 'aws_calls' in one) as unknown as { aws_sequential: number };
    expect(entry.aws_sequential).toBeLessThanOrEqual(5);
    expect(units.read).toBeLessThanOrEqual(8);
  });

  it('answers 404 for an unknown and an archived environment, and 400 for a logical one', async () => {
    const acme = await setup();
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    const at = (name: string) => acme.get(`/environments/${acme.org}/${name}/artifacts`);
    expect((await at('none')).status).toBe(404);
    expect(refusal(await at('all'))).toEqual([
      400,
      { message: "'all' is a logical environment: ask for its members one by one" },
    ]);
  });

  it.each([
    ['start_ts', 'x'],
    ['start_ts', '-1'],
    ['end_ts', 'x'],
    ['per_page', '0'],
    ['page', '0'],
    ['start_ts', '9999999999'],
  ])('refuses %s=%s', async (name, value) => {
    const answer = await refusing.get(`/environments/${refusing.org}/prod/artifacts`, `${name}=${value}`);
    expect(refusal(answer)).toEqual(invalidFields({ [`query.${name}`]: expect.any(String) }));
  });

  it('refuses more than 100 rows with what is included', async () => {
    const answer = await refusing.get(`/environments/${refusing.org}/prod/artifacts`, 'include=allowed&per_page=101');
    expect(refusal(answer)).toEqual(
      invalidFields({ 'query.per_page': 'Input should be less than or equal to 100 with include [input: 101]' }),
    );
  });

  it('refuses a period that ends before it starts', async () => {
    const answer = await refusing.get(`/environments/${refusing.org}/prod/artifacts`, 'start_ts=2&end_ts=1');
    expect(refusal(answer)).toEqual(invalidFields({ 'query.start_ts': expect.any(String) }));
  });
});
