import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, invalidFields, refusal } from '#test/support/evidence.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const DAY = 86_400;

interface FrequencyJson {
  flow: string | null;
  start_ts: number;
  end_ts: number;
  total: number;
  median_per_day: number;
  average_per_day: number;
  deployments: { date: string; timestamp: number; count: number }[];
}

describe('GET /environments/{org}/{env_name}/deployment_frequency', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/environments/${org}/prod/deployment_frequency`,
    needs: 'reader',
  });

  const setup = async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    const ask = (query = '', env = 'prod') => acme.get(`/environments/${acme.org}/${env}/deployment_frequency`, query);
    const frequency = async (query?: string, env?: string) => (await ask(query, env)).json as FrequencyJson;
    return { acme, ask, frequency };
  };

  it('shows the last 28 days, days without deployments included', async () => {
    const { acme, frequency } = await setup();
    const none = await frequency();
    expect(none).toEqual({
      environment: 'prod',
      flow: null,
      start_ts: expect.any(Number),
      end_ts: expect.any(Number),
      total: 0,
      median_per_day: 0,
      average_per_day: 0,
      deployments: expect.any(Array),
    });
    expect(none.deployments).toHaveLength(28);
    expect(none.deployments[0]?.timestamp).toBe(none.start_ts);
    const today = none.deployments[27];
    expect(none.end_ts - (today?.timestamp ?? 0)).toBeLessThan(DAY);
    expect(today?.date).toBe(new Date(none.end_ts * 1000).toISOString().slice(0, 10));

    await acme.run('prod', onServer({ a: 'a', b: 'b' }));
    await acme.expand('prod');
    api.services.clock.advance(DAY * 1e6);
    await acme.run('prod', onServer({ a: 'a', c: 'c' }));
    await acme.expand('prod');
    const some = await frequency();
    expect(some.deployments.slice(-3).map(({ count }) => count)).toEqual([0, 2, 1]);
    expect([some.total, some.average_per_day]).toEqual([3, 3 / 28]);
    api.services.clock.advance(27 * DAY * 1e6);
    expect((await frequency()).total).toBe(1);
  });

  it('counts the days from the day of start_ts to the day of end_ts, in as many calls', async () => {
    const { acme, ask, frequency } = await setup();
    await acme.run('prod', onServer({ a: 'a', b: 'b' }));
    await acme.expand('prod');
    const started = (await frequency()).end_ts;
    api.services.clock.advance(40 * DAY * 1e6);
    await acme.run('prod', onServer({ c: 'c' }));
    await acme.expand('prod');
    const calls = () => (api.entries.at(-1) as unknown as Record<string, number>)['aws_calls'];
    expect(await frequency()).toMatchObject({ total: 1 });
    const before = calls();
    const long = await frequency(`start_ts=${started}`);
    expect(calls()).toBe(before);
    expect([long.total, long.deployments.length, long.average_per_day]).toEqual([3, 41, 3 / 41]);
    const past = await frequency(`end_ts=${started}`);
    expect([past.total, past.deployments.length]).toEqual([2, 28]);
    expect(past.end_ts % DAY).toBe(0);
    const one = await frequency(`start_ts=${started}&end_ts=${started}`);
    expect([one.total, one.median_per_day, one.deployments.length]).toEqual([2, 2, 1]);
    expect(refusal(await ask('start_ts=0'))).toEqual(
      invalidFields({ 'query.start_ts': 'Input should be at most 366 days before end_ts [input: 0]' }),
    );
  });

  it.each([
    ['start_ts=-1', 'query.start_ts'],
    ['start_ts=x', 'query.start_ts'],
    ['end_ts=-1', 'query.end_ts'],
    ['end_ts=x', 'query.end_ts'],
    ['start_ts=200&end_ts=100', 'query.start_ts'],
    ['start_ts=0&end_ts=x', 'query.end_ts'],
  ])('refuses %s', async (query, field) => {
    const { ask } = await setup();
    const { status, json } = await ask(query);
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, [field]]);
  });

  it('counts the artifacts of one flow, by its id or a name of it', async () => {
    const { acme, frequency, ask } = await setup();
    await acme.report(anArtifact('both'), { flow: 'one' });
    await acme.report(anArtifact('both'), { flow: 'two' });
    await acme.report(anArtifact('only'), { flow: 'one' });
    await acme.run('prod', onServer({ both: 'both', only: 'only', stray: 'stray' }));
    await acme.expand('prod');
    const { id } = (await acme.get(`/flows/${acme.org}/one`)).json as { id: string };
    await acme.call('PUT', `/flows/${acme.org}/two/rename`, { json: { new_name: 'second' } });
    const found: [string, string | null, number][] = [
      ['', null, 3],
      [`flow_id=${id}`, 'one', 2],
      ['flow_id=one', 'one', 2],
      ['flow_name=two', 'second', 1],
      ['flow_id=second&flow_name=one', 'second', 1],
    ];
    for (const [query, flow, total] of found) expect(await frequency(query)).toMatchObject({ flow, total });
    expect(refusal(await ask('flow_id=three'))).toEqual([
      404,
      { message: `Flow named 'three' does not exist for organization '${acme.org}'` },
    ]);
    const other = await readingOrganization(api);
    await other.putEnvironment('prod');
    // A flow of another organization is unknown.
    const foreign = await other.get(`/environments/${other.org}/prod/deployment_frequency`, `flow_id=${id}`);
    expect(foreign).toMatchObject({ status: 404 });
  });

  it('sums the starts in the members of a logical environment', async () => {
    const { acme, frequency } = await setup();
    await acme.putEnvironment('other');
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod', 'other'] });
    for (const env of ['prod', 'other']) {
      await acme.run(env, onServer({ a: 'a' }));
      await acme.expand(env);
    }
    expect((await frequency('', 'all')).total).toBe(2);
    expect((await frequency('', 'prod')).total).toBe(1);
  });

  it('answers 404 for an unknown environment', async () => {
    const { acme, ask } = await setup();
    expect(refusal(await ask('', 'nowhere'))).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
    ]);
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
    expect((await ask()).status).toBe(404);
  });
});
