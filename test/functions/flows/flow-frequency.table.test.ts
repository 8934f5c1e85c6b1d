import { describe, expect, it } from 'vitest';
import { timesToCompliance, trailDays } from '#functions/flows/trail-days.ts';
import { fromMillis, micros } from '#shared/base/time.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, invalidFields, refusal } from '#test/support/evidence.ts';
import { settingOf } from '../../shared/environments/relayed-environments.ts';
import { flowUnknown } from './flows-api.ts';

const api = await environmentsApi();
const DAY = 86_400;

interface FrequencyJson {
  end_ts: number;
  trails: { total: number; median_per_day: number; counted_from: number; days: Record<string, unknown>[] };
  environments: { environment_name: string; total: number; days: { count: number }[] }[];
}

describe('GET /flows/{org}/{flow}/frequency', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/flows/${org}/web/frequency`, needs: 'reader' });

  it('counts trails by day and state, and deployments by day and environment', async () => {
    const setting = await settingOf(api);
    const { org, get, run, relay } = setting;
    await run('prod', onServer({ api: 'api', db: 'db' }));
    await relay.settle();
    api.services.clock.advance(DAY * 1e6);
    await setting.report(anArtifact('other'), { trail: 'next' });
    const { status, json } = await get(`/flows/${org}/web/frequency`);
    const { trails, environments, ...rest } = json as FrequencyJson;
    expect([status, rest]).toEqual([
      200,
      { flow: 'web', start_ts: expect.any(Number), end_ts: expect.any(Number), more_environments: false },
    ]);
    expect(trails).toMatchObject({ total: 2, median_per_day: 0 });
    expect(trails.days).toHaveLength(28);
    const day = {
      date: expect.any(String),
      timestamp: expect.any(Number),
      compliant: 1,
      incomplete: 0,
      non_compliant: 0,
    };
    expect(trails.days.slice(-2)).toEqual([day, day]);
    expect(environments).toMatchObject([
      { environment_name: 'prod', html_url: `https://api.example/${org}/environments/prod`, total: 2 },
    ]);
    expect(environments[0]?.days.slice(-3).map(({ count }) => count)).toEqual([0, 2, 0]);
    expect(refusal(await get(`/flows/${org}/none/frequency`))).toEqual(flowUnknown('none', org));
    expect(refusal(await get(`/flows/${org}/web/frequency`, 'start_ts=0'))).toEqual(
      invalidFields({ 'query.start_ts': 'Input should be at most 366 days before end_ts [input: 0]' }),
    );
  });
});

describe('GET /flows/{org}/{flow}/frequency with include=times', () => {
  it('says how long the trails took that are compliant now', async () => {
    const setting = await settingOf(api);
    api.services.clock.advance(3600e6);
    await setting.report(anArtifact('slow'), { trail: 'slow' });
    const { org, get } = setting;
    const { status, json } = await get(`/flows/${org}/web/frequency`, 'include=times');
    const { times, total } = (
      json as { trails: { times: { known: number; classes: { count: number }[] }; total: number } }
    ).trails;
    expect([status, times.known]).toEqual([200, total]);
    expect(times).toMatchObject({ median: expect.any(Number), p90: expect.any(Number), p99: expect.any(Number) });
    expect(times.classes.reduce((sum, { count }) => sum + count, 0)).toBe(total);
    expect((await get(`/flows/${org}/web/frequency`)).json).not.toHaveProperty('trails.times');
    expect((await get(`/flows/${org}/web/frequency`, 'include=all')).status).toBe(400);
  });

  it('leaves out trails that are not compliant now', () => {
    const at = (created: number, changed: number, word: 'COMPLIANT' | 'INCOMPLETE') => ({
      created: micros(created * 1e6),
      at: micros(changed * 1e6),
      word,
    });
    expect(timesToCompliance([at(10, 70, 'COMPLIANT'), at(10, 500, 'INCOMPLETE'), at(5, 5, 'COMPLIANT')])).toEqual([
      60, 0,
    ]);
  });
});

describe('the days of trails', () => {
  const now = fromMillis(Date.UTC(2026, 10, 22, 12));
  const days = daysOf({ start_ts: now / 1e6 - DAY }, now);
  const numbers = ({ days: all }: ReturnType<typeof trailDays>) =>
    all.map(({ compliant, incomplete, non_compliant: failed }) => [compliant, incomplete, failed]);

  it('count each state', () => {
    const counted = trailDays(
      [
        { created: now, at: now, word: 'NON-COMPLIANT' },
        { created: micros(now - DAY * 1e6), at: now, word: 'INCOMPLETE' },
        { created: now, at: now, word: 'COMPLIANT' },
      ],
      3,
      days,
    );
    expect(numbers(counted)).toEqual([
      [0, 1, 0],
      [1, 0, 1],
    ]);
    expect(counted).toMatchObject({ total: 3, median_per_day: 1.5, counted_from: days.start / 1e6 });
  });

  it('say from when on they are counted if there are more', () => {
    expect(trailDays([{ created: now, at: now, word: 'COMPLIANT' }], 501, days)).toMatchObject({
      total: 501,
      counted_from: now / 1e6,
    });
  });
});
