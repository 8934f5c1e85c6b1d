import { describe, expect, it } from 'vitest';
import { fromSeconds, type Micros, micros } from '#shared/base/time.ts';
import { describeAccess } from '#test/support/access.ts';
import { steppingClock } from '#test/support/clock.ts';
import { countingTable } from '#test/support/table/units.ts';
import { expectationsApi, expectingOrganization, REPORTS } from './expectations-api.ts';

const MINUTE = 60_000_000;
const DAY = 1440 * MINUTE;
const BEGIN = fromSeconds(Date.UTC(2026, 10, 21) / 1000);

const api = await expectationsApi();
const sound = api.services.table;
const moveTo = (at: Micros) => {
  api.services.clock = steppingClock(at);
};
const now = () => api.services.clock.now() / 1e6;

interface Answer {
  subjects: number;
  subjects_with_gaps_at_least: number;
  exact: boolean;
  gaps_at_least: number;
  messages_at_least: { missed: number; met_again: number };
  gaps: { subject: object; certainty: string; from: number; until: number | null; seconds: number }[];
  unknown: { subject: object; from: number; until: number; because: string }[];
}

async function acmeWith(...reports: number[]) {
  moveTo(BEGIN);
  const acme = await expectingOrganization(api);
  for (const at of reports) {
    moveTo(micros(BEGIN + at * MINUTE));
    await acme.report('prod');
  }
  const run = (fields: object = {}) =>
    acme.call('POST', '/expectations/ORG/dry-run', { json: { ...REPORTS, ...fields } });
  return { ...acme, run, played: async (fields: object = {}) => (await run(fields)).json as Answer };
}
const minute = (seconds: number | null) => (seconds === null ? null : Math.round((seconds - BEGIN / 1e6) / 60));
const shown = ({ gaps }: Answer) =>
  gaps.map(({ certainty, from, until, seconds }) => [certainty, minute(from), minute(until), Math.round(seconds / 60)]);

describe('POST /expectations/{org}/dry-run', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/expectations/${org}/dry-run`,
    request: { json: { ...REPORTS, scope: { tags: { tier: '1' } } } },
    needs: 'member',
  });

  it('answers the gaps of counted days, of the night between and of the present, and stores nothing', async () => {
    const acme = await acmeWith(1, 10, 300, 310, 2000, 2010);
    moveTo(micros(BEGIN + 2100 * MINUTE));
    const answer = await acme.played({ from: BEGIN / 1e6 });
    expect(shown(answer)).toEqual([
      ['exact', 2030, null, 70],
      ['exact', 330, 2000, 1670],
      ['exact', 30, 300, 270],
    ]);
    expect(answer).toMatchObject({
      subjects: 1,
      subjects_with_gaps_at_least: 1,
      exact: true,
      gaps_at_least: 3,
      messages_at_least: { missed: 3, met_again: 2 },
      unknown: [],
    });
    expect(answer.gaps[0]?.subject).toEqual({ type: 'environment', environment: 'prod' });
    expect((await acme.list()).json).toMatchObject({ expectations: [] });
    expect(await acme.played({ every: 'P2D', from: BEGIN / 1e6 })).toMatchObject({ exact: true, gaps: [] });
  });

  it('says at least how long where only hours are known, and what nobody counted', async () => {
    const acme = await acmeWith(1, 200, 201, 210, 900, 910);
    moveTo(micros(BEGIN + 915 * MINUTE));
    const answer = await acme.played();
    expect(shown(answer)).toEqual([
      ['exact', 230, 900, 670],
      ['at_least', 80, 180, 100],
    ]);
    expect(answer.exact).toBe(false);
    expect(answer.unknown.map(({ from, until, because }) => [minute(from), minute(until), because])).toEqual([
      [1, 210, 'hours_only'],
    ]);
    await acme.make('silent');
    const both = await acme.played({ scope: { environments: ['silent', 'prod'] } });
    expect(both).toMatchObject({ subjects: 2, subjects_with_gaps_at_least: 1 });
  });

  it('refuses what a save refuses, a begin too long ago or in the future, and other kinds', async () => {
    const acme = await acmeWith();
    const fields = async (more: object) => (await acme.run(more)).json as { errors?: Record<string, unknown> };
    expect(await acme.run({ scope: { environments: ['nothing'] } }).then(({ status }) => status)).toBe(400);
    const old = now() - 91 * 86_400;
    expect((await fields({ from: old })).errors).toEqual({ from: `Should be at most 90 days ago [input: ${old}]` });
    expect(Object.keys((await fields({ from: now() + 1000 })).errors ?? {})).toEqual(['from']);
    expect(Object.keys((await fields({ kind: 'nothing', every: 'P1M', from: 'now' })).errors ?? {}).toSorted()).toEqual(
      ['every', 'from', 'kind'],
    );
  });

  it('refuses to look at too much, with the numbers, and reads a hundred environments for 90 days with few calls', async () => {
    const acme = await acmeWith(1);
    for (let n = 0; n < 98; n += 1) await acme.make(`e${n}`);
    const names = ['prod', ...Array.from({ length: 98 }, (_, n) => `e${n}`)];
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      expect((await acme.run({ scope: { environments: names.slice(0, 98) } })).status).toBe(200);
    } finally {
      api.services.table = sound;
    }
    const entry = api.entries.findLast((one) => 'aws_calls' in one) as unknown as Record<string, number>;
    expect([entry['aws_calls'], units.write]).toEqual([expect.any(Number), 0]);
    expect(entry['aws_calls']).toBeLessThanOrEqual(12);
    const answer = await acme.run({ scope: { environments: names } });
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        message:
          'The dry run would look at 99 environments on 91 days, which is 9009 days of environments, and at most 9000 are possible. Name fewer environments, or give a later `from`',
      },
    ]);
    moveTo(micros(BEGIN + DAY));
  });
});
