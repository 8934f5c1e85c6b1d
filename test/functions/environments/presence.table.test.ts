import { describe, expect, it } from 'vitest';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { fromSeconds, type Micros, micros } from '#shared/base/time.ts';
import { presencePartition } from '#shared/environments/records/keys.ts';
import { reportWrites } from '#shared/environments/records/report-counts.ts';
import { contradictionOf, PresenceDay, SHORTEST_SILENCE } from '#shared/environments/rules/reports/presence-day.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { closeDays } from '#shared/environments/sweeps/close-days.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import type { Item } from '#shared/table/table.ts';
import { steppingClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { refusal } from '#test/support/evidence.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { countingTable, itemSize } from '#test/support/table/units.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 10:00 of a day. */
const START = fromSeconds(Date.UTC(2026, 10, 21, 10) / 1000);

const api = await environmentsApi();
const sound = api.services.table;

/** Moves the clock of the service to an instant. It stands still between requests, but for a microsecond at each reading. */
const moveTo = (at: Micros) => {
  api.services.clock = steppingClock(at);
};

interface Shown {
  date: string;
  state: string;
  running: boolean;
  reports: number | null;
  hours: number[] | null;
  first_at: number | null;
  last_at: number | null;
  longest_silence: { from: number; until: number; seconds: number } | null;
  last_before_at: number | null;
  counted_from: number | null;
}

interface Acme extends EnvironmentsOfOrganization {
  /** Reports what runs in `edge`. @param at in microseconds after {@link START} */
  reportAt(at: number, content?: string): Promise<number>;
  days(query?: string): Promise<Shown[]>;
  entry(): Promise<Item>;
  closed(): Promise<Item[]>;
  /** Entries of the audit log that close a day. */
  closings(): Promise<unknown[]>;
  sweep(): Promise<void>;
}

async function acmeWith(env = 'edge'): Promise<Acme> {
  moveTo(micros(START - MINUTE));
  const acme = await environmentsOfOrganization(api);
  expect((await acme.putEnvironment(env, 'server')).status).toBe(201);
  const { id } = await acme.head(env);
  const key = catalogueKey(acme.id, ENVIRONMENTS.name, id);
  return {
    ...acme,
    async reportAt(at, content = 'web') {
      moveTo(micros(START + at));
      return (await acme.run(env, onServer({ web: content }))).status;
    },
    async days(query = '') {
      const { json } = await acme.call('GET', `/environments/${acme.org}/${env}/presence`, { query });
      return (json as { days: Shown[] }).days;
    },
    async entry() {
      const item = await sound.get(key);
      if (!item) throw new Error('The environment has no entry');
      return item;
    },
    closed: () => sound.query({ pk: presencePartition(acme.id, id) }),
    closings: () => acme.audited('environment.day_closed'),
    async sweep() {
      const parts = new SweepParts(
        () => undefined,
        () => true,
      );
      const catalogue = await readCatalogue(api.services.table, acme.id, ENVIRONMENTS);
      await heldTo('relay', RELAY_USES, () => closeDays(api.services, parts, acme.id, catalogue));
      if (parts.failures.length > 0) throw new AggregateError(parts.failures, 'A part failed');
    },
  };
}

const secondsAfterStart = (at: number | null) => (at === null ? null : Math.round(at - START / 1e6));
const silenceOf = ({ longest_silence: silence }: Shown) =>
  silence && [secondsAfterStart(silence.from), secondsAfterStart(silence.until), Math.round(silence.seconds)];

describe('an unchanged report', () => {
  it('is counted with one write unit, also for the longest name and the greatest counts', async () => {
    const acme = await acmeWith('e'.repeat(255));
    for (let n = 0; n < 6; n += 1) await acme.reportAt(n * MINUTE);
    await acme.reportAt(23 * MINUTE);
    const entry = await acme.entry();
    // More reports than a reporter can send, and numbers of as many digits as instants have.
    await sound.put({
      ...entry,
      h: Array.from({ length: 24 }, () => 86_400),
      l: Number(entry['r']) - 1,
      b: entry['e'],
      s: true,
    });
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      expect(await acme.reportAt(24 * MINUTE)).toBe(200);
    } finally {
      api.services.table = sound;
    }
    expect(units).toEqual({ read: 1, write: 1 });
    const after = await acme.entry();
    // The limit of a unit is 1,024 bytes. rules/environments.md#count-of-reports has the arithmetic.
    expect(itemSize(after)).toBeLessThanOrEqual(800);
    expect((after['h'] as number[])[10]).toBe(86_401);
  });

  it('takes one unit each for a day of a report a minute, but for the first one', async () => {
    const acme = await acmeWith();
    await acme.reportAt(0);
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      for (let n = 1; n <= 90; n += 1) await acme.reportAt(n * MINUTE + (n % 7) * 3 * SECOND);
    } finally {
      api.services.table = sound;
    }
    expect(units.write).toBe(90);
    expect((await acme.days()).map(({ reports }) => reports)).toEqual([91]);
  });
});

describe('GET /environments/{org}/{env_name}/presence', () => {
  it('answers the reports by hour, the first, the last and the longest silence of the running day', async () => {
    const acme = await acmeWith();
    expect(await acme.days()).toMatchObject([{ date: '2026-11-21', state: 'silent', running: true, reports: 0 }]);
    for (const at of [0, 10, 11, 71, 400, 401, 460, 610]) await acme.reportAt(at * MINUTE);
    const [day] = await acme.days();
    expect(day).toMatchObject({
      date: '2026-11-21',
      state: 'reported',
      running: true,
      reports: 8,
      last_before_at: null,
    });
    expect(day?.hours?.slice(10)).toEqual([3, 1, 0, 0, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0]);
    expect([secondsAfterStart(day?.first_at ?? null), secondsAfterStart(day?.last_at ?? null)]).toEqual([0, 610 * 60]);
    expect(day && silenceOf(day)).toEqual([71 * 60, 400 * 60, 329 * 60]);
  });

  it('finds the longest silence wherever it lies, and none of at most two minutes', async () => {
    const acme = await acmeWith();
    await acme.reportAt(0);
    await acme.reportAt(SHORTEST_SILENCE - 10);
    expect((await acme.days()).map(silenceOf)).toEqual([null]);
    for (const [at, from] of [
      [500, 120],
      [700, 120],
      [1200, 700],
      [1700, 700],
      [2201, 1700],
    ] as const) {
      await acme.reportAt(at * SECOND);
      expect((await acme.days()).map(silenceOf)?.[0]?.[0]).toBe(from);
    }
  });

  it('closes a day with the first report of a later one: one record, one entry of the audit log', async () => {
    const acme = await acmeWith();
    for (const at of [0, 30, 800]) await acme.reportAt(at * MINUTE);
    expect(await acme.closed()).toEqual([]);
    await acme.reportAt(3 * DAY, 'other');
    const [record, ...others] = await acme.closed();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ sk: '2026-11-21', before: 0 });
    expect(Number(record?.['first']) - START).toBeLessThan(100);
    expect(contradictionOf('2026-11-21', PresenceDay.parse(record))).toBeNull();
    expect(await acme.closings()).toHaveLength(1);
    const days = await acme.days();
    expect(days.map(({ date, state, reports }) => [date, state, reports])).toEqual([
      ['2026-11-24', 'reported', 1],
      ['2026-11-23', 'silent', 0],
      ['2026-11-22', 'silent', 0],
      ['2026-11-21', 'reported', 3],
    ]);
    expect(days[0]?.last_before_at).toBe(days[3]?.last_at);
    const paged = await Promise.all([1, 2, 3, 4, 5].map((page) => acme.days(`page=${page}&per_page=1`)));
    expect(paged.flat()).toEqual(days);
  });

  it('says that it does not know days before the count, and from when it counts', async () => {
    const acme = await acmeWith();
    await acme.reportAt(0);
    await acme.reportAt(2 * DAY);
    // What an earlier release left: the time of the last report, and no count.
    const { d: _, h: __, e: ___, g: ____, b: _____, t: ______, l: _______, ...earlier } = await acme.entry();
    await sound.put({ ...earlier, pk: (await acme.entry()).pk, sk: (await acme.entry()).sk });
    for (const { pk, sk } of await acme.closed()) await sound.write({ remove: { pk, sk } });
    moveTo(micros(START + 3 * DAY));
    const states = async () => (await acme.days()).map(({ date, state }) => `${date.slice(8)} ${state}`);
    expect(await states()).toEqual(['24 silent', '23 unknown', '22 unknown', '21 unknown']);
    await acme.reportAt(3 * DAY);
    expect(await states()).toEqual(['24 reported', '23 unknown', '22 unknown', '21 unknown']);
    await sound.put({ ...earlier, pk: (await acme.entry()).pk, sk: (await acme.entry()).sk });
    await acme.reportAt(2 * DAY + HOUR);
    const [day] = await acme.days();
    expect([day?.reports, secondsAfterStart(day?.counted_from ?? null)]).toEqual([1, 2 * 86_400]);
  });

  it('refuses unknown, archived and logical environments, and periods that are too long or end before they begin', async () => {
    const acme = await acmeWith();
    const read = async (env: string, query = '') =>
      refusal(await acme.call('GET', `/environments/${acme.org}/${env}/presence`, { query }));
    expect((await read('nothing'))[0]).toBe(404);
    await acme.putEnvironment('all', 'logical', { included_environments: ['edge'] });
    expect(await read('all')).toEqual([
      400,
      { message: "'all' is a logical environment: ask for its members one by one" },
    ]);
    const fields = async (query: string) =>
      Object.keys(((await read('edge', query))[1] as { errors: Record<string, unknown> }).errors);
    expect(await fields(`from=${START / 1e6 - 366 * 86_400}`)).toEqual(['query.from']);
    expect(await fields(`from=${START / 1e6}&until=${START / 1e6 - 86_400}`)).toEqual(['query.from']);
    expect(await fields('from=-1&until=soon&per_page=101')).toEqual(['query.per_page', 'query.from', 'query.until']);
    await acme.reportAt(MINUTE);
    await acme.call('PUT', `/environments/${acme.org}/edge/archive`, { text: 'null' });
    expect((await read('edge'))[0]).toBe(404);
    expect([(await acme.closed()).length, (await acme.closings()).length]).toEqual([1, 1]);
  });
});

describe('the count of reports', () => {
  it('counts two reports of one instant, and none twice or never, when days change while many report', async () => {
    const acme = await acmeWith();
    await acme.reportAt(0);
    const { id: environment } = await acme.head('edge');
    const midnight = START + 14 * HOUR;
    const instants = [0, 0, 0, -1, -1, 1, 1, -5 * SECOND, 5 * SECOND, 0].map((offset) => micros(midnight + offset));
    // Functions with clocks of their own, at the same time.
    const count = async (now: Micros) => {
      for (let seen: Item | undefined; ; ) {
        const { entry, others } = reportWrites({ org: acme.id, environment, changes: {}, now }, seen);
        const outcome = await (others.length === 0 ? sound.writeAlone(entry) : sound.transact([entry, ...others]));
        if (outcome === 'done') return;
        if (outcome === 'again') throw new Error('The environment is archived');
        seen = outcome.seen;
      }
    };
    await Promise.all(instants.map(count));
    moveTo(micros(midnight + HOUR));
    const days = await acme.days();
    expect(days.reduce((sum, { reports }) => sum + (reports ?? 0), 0)).toBe(11);
    const records = await acme.closed();
    expect([records.length, (await acme.closings()).length]).toEqual([1, 1]);
    for (const record of records) expect(contradictionOf(record.sk, PresenceDay.parse(record))).toBeNull();
    // Only the clock of the service counts, and a clock that is behind counts in the newest day.
    await count(micros(midnight - HOUR));
    expect((await acme.days())[0]?.hours?.[0]).toBe((days[0]?.hours?.[0] ?? 0) + 1);
    expect(await acme.closed()).toEqual(records);
  });

  it('is closed by a sweep once if no report does it, however late and however many sweeps', async () => {
    const acme = await acmeWith();
    await acme.reportAt(0);
    await acme.reportAt(5 * MINUTE);
    moveTo(micros(START + 14 * HOUR + 9 * MINUTE));
    await acme.sweep();
    expect(await acme.closed()).toEqual([]);
    moveTo(micros(START + 20 * DAY));
    await Promise.all([acme.sweep(), acme.sweep(), acme.sweep()]);
    const [record] = await acme.closed();
    await acme.sweep();
    expect([await acme.closed(), (await acme.closings()).length]).toEqual([[record], 1]);
    expect(record?.sk).toBe('2026-11-21');
    const { silence, last } = PresenceDay.parse(record);
    expect([Math.round(((silence?.until ?? 0) - (silence?.from ?? 0)) / SECOND), silence?.until]).toEqual([300, last]);
    // A function whose clock is days behind.
    await acme.reportAt(DAY);
    moveTo(micros(START + 20 * DAY));
    const days = await acme.days();
    expect(days.filter(({ state }) => state !== 'silent').map(({ date, reports }) => [date, reports])).toEqual([
      ['2026-12-11', 1],
      ['2026-11-21', 2],
    ]);
    expect(days[0]?.last_before_at).toBe(last / 1e6);
  });

  it('loses nothing and doubles nothing if the process ends before or after any write of a new day', async () => {
    for (const isDone of [false, true]) {
      const acme = await acmeWith();
      await acme.reportAt(0);
      for (let call = 0; call < 3; call += 1) {
        let calls = 0;
        api.services.table = tableAround(sound, async ({ command }, send) => {
          if (!/Update|TransactWrite/.test(command) || calls++ !== call) return send();
          if (isDone) await send();
          throw new Error('The process ended');
        });
        try {
          await acme.reportAt(DAY + call * MINUTE);
        } finally {
          api.services.table = sound;
        }
      }
      await acme.reportAt(2 * DAY);
      await acme.reportAt(3 * DAY);
      const records = await acme.closed();
      expect(records.map(({ sk }) => sk)).toEqual(['2026-11-21', '2026-11-22', '2026-11-23']);
      expect(await acme.closings()).toHaveLength(3);
      for (const record of records) expect(contradictionOf(record.sk, PresenceDay.parse(record))).toBeNull();
    }
  });
});
