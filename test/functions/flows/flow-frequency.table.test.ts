import { describe, expect, it } from 'vitest';
import { trailDays } from '#functions/flows/trail-days.ts';
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

describe('the days of trails', () => {
  const now = fromMillis(Date.UTC(2026, 10, 22, 12));
  const days = daysOf({ start_ts: now / 1e6 - DAY }, now);
  const numbers = ({ days: all }: ReturnType<typeof trailDays>) =>
    all.map(({ compliant, incomplete, non_compliant: failed }) => [compliant, incomplete, failed]);

  it('count each state', () => {
    const counted = trailDays(
      [
        { created: now, word: 'NON-COMPLIANT' },
        { created: micros(now - DAY * 1e6), word: 'INCOMPLETE' },
        { created: now, word: 'COMPLIANT' },
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
    expect(trailDays([{ created: now, word: 'COMPLIANT' }], 501, days)).toMatchObject({
      total: 501,
      counted_from: now / 1e6,
    });
  });
});
