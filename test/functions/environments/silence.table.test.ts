import { describe, expect, it } from 'vitest';
import { passesFilter } from '#infra/event-source.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { imageOf } from '#shared/table/stream-item.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { countingTable, itemSize } from '#test/support/table/units.ts';

const api = await environmentsApi();
const { clock } = api.services;
const sound = api.services.table;
const MINUTE = 60_000_000;

interface Shown {
  name: string;
  last_reported_at: number | null;
  usual_report_interval?: number | null;
  silent_since?: number | null;
  silent_members?: string[] | null;
}

/** Reports of what runs, a minute apart. The first changes the environment, the others change nothing. */
async function reportEachMinute(acme: EnvironmentsOfOrganization, env: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    clock.advance(MINUTE);
    expect([200, 201]).toContain((await acme.run(env, onServer({ web: 'web' }))).status);
  }
}

async function acmeWith(...names: string[]): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  for (const name of names) expect((await acme.putEnvironment(name, 'server')).status).toBe(201);
  return acme;
}

const read = async (acme: EnvironmentsOfOrganization, env: string, query = 'include=silence') =>
  (await acme.call('GET', `/environments/${acme.org}/${env}`, { query: query })).json as Shown;
const list = async (acme: EnvironmentsOfOrganization) => {
  const { json } = await acme.call('GET', `/environments/${acme.org}`, { query: 'include=silence' });
  return (json as { environments: Shown[] }).environments;
};
const silenceIn = ({ usual_report_interval: usual, silent_since: since, silent_members: members }: Shown) => ({
  usual: usual === null || usual === undefined ? usual : Math.round(usual),
  since,
  members,
});

const entryKey = async (acme: EnvironmentsOfOrganization, env: string) =>
  catalogueKey(acme.id, ENVIRONMENTS.name, (await acme.head(env)).id);

describe('GET /environments/{org}/{env_name}?include=silence', () => {
  it('tells the usual interval after five reports, and the last report once it is older than three of them', async () => {
    const acme = await acmeWith('edge');
    expect(silenceIn(await read(acme, 'edge'))).toEqual({ usual: null, since: null, members: null });
    await reportEachMinute(acme, 'edge', 4);
    expect(silenceIn(await read(acme, 'edge'))).toEqual({ usual: null, since: null, members: null });
    await reportEachMinute(acme, 'edge', 1);
    expect(silenceIn(await read(acme, 'edge'))).toEqual({ usual: 60, since: null, members: null });
    clock.advance(26 * 60 * MINUTE);
    const { last_reported_at: last, ...silent } = await read(acme, 'edge');
    expect(silenceIn({ last_reported_at: last, ...silent })).toEqual({ usual: 60, since: last, members: null });
    expect((await list(acme)).map(silenceIn)).toEqual([{ usual: 60, since: last, members: null }]);
  });

  it('answers none of the fields without the parameter', async () => {
    const acme = await acmeWith('edge');
    await reportEachMinute(acme, 'edge', 5);
    const plain = await read(acme, 'edge', '');
    expect(Object.keys(plain).filter((field) => /silent|usual/.test(field))).toEqual([]);
    const { json } = await acme.call('GET', `/environments/${acme.org}`, { query: 'include=states' });
    expect(JSON.stringify(json)).not.toMatch(/silent|usual/);
  });

  it('names the silent members of a logical environment', async () => {
    const acme = await acmeWith('edge', 'prod', 'other');
    await acme.putEnvironment('all', 'logical', { included_environments: ['edge', 'prod'] });
    await reportEachMinute(acme, 'edge', 5);
    await reportEachMinute(acme, 'other', 5);
    await reportEachMinute(acme, 'prod', 5);
    const { last_reported_at: last } = await read(acme, 'edge');
    const expected = { usual: null, since: last, members: ['edge'] };
    expect(silenceIn(await read(acme, 'all'))).toEqual(expected);
    expect((await list(acme)).filter(({ name }) => name === 'all').map(silenceIn)).toEqual([expected]);
    clock.advance(600 * MINUTE);
    expect(silenceIn(await read(acme, 'all'))).toEqual({ ...expected, members: ['edge', 'prod'] });
    await acme.call('PUT', `/environments/${acme.org}/edge/archive`, { text: 'null' });
    expect(silenceIn(await read(acme, 'all'))).toMatchObject({ members: ['prod'] });
    expect((await list(acme)).filter(({ name }) => name === 'all').map(silenceIn)).toMatchObject([
      { members: ['prod'] },
    ]);
  });

  it('says nothing of an entry that an earlier release wrote, until five reports are known', async () => {
    const acme = await acmeWith('edge');
    await reportEachMinute(acme, 'edge', 5);
    const key = await entryKey(acme, 'edge');
    const stored = Object.entries((await sound.get(key)) ?? {});
    await sound.put({ v: 1, ...Object.fromEntries(stored.filter(([name]) => !/^r\d$/.test(name))), ...key });
    clock.advance(600 * MINUTE);
    expect(silenceIn(await read(acme, 'edge'))).toEqual({ usual: null, since: null, members: null });
    await reportEachMinute(acme, 'edge', 3);
    expect(silenceIn(await read(acme, 'edge'))).toMatchObject({ usual: null });
    await reportEachMinute(acme, 'edge', 1);
    expect(silenceIn(await read(acme, 'edge'))).toMatchObject({ usual: 60, since: null });
  });

  it.each(['silences', 'states'])('answers 400 to include=%s', async (value) => {
    const acme = await acmeWith('edge');
    const answer = await acme.call('GET', `/environments/${acme.org}/edge`, { query: `include=${value}` });
    const { errors } = answer.json as { errors: Record<string, unknown> };
    expect([answer.status, Object.keys(errors)]).toEqual([400, ['query.include[0]']]);
  });
});

describe('an unchanged report', () => {
  it('keeps the times of the four reports before it, with one write unit also for the longest name', async () => {
    const env = 'e'.repeat(255);
    const acme = await acmeWith(env);
    await reportEachMinute(acme, env, 5);
    const key = await entryKey(acme, env);
    const before = await sound.get(key);
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      await reportEachMinute(acme, env, 1);
    } finally {
      api.services.table = sound;
    }
    const item = await sound.get(key);
    expect(units.write).toBe(1);
    // The only item that the report writes calls no relay (rules/storage.md#filter).
    expect(item && passesFilter(imageOf(item))).toBe(false);
    expect(itemSize(item)).toBeLessThan(1024);
    expect([item?.['r1'], item?.['r2'], item?.['r3'], item?.['r4']]).toEqual([
      before?.['r'],
      before?.['r1'],
      before?.['r2'],
      before?.['r3'],
    ]);
  });

  it('loses no report among many at the same time', async () => {
    const acme = await acmeWith('edge');
    await reportEachMinute(acme, 'edge', 1);
    await Promise.all(Array.from({ length: 8 }, () => acme.run('edge', onServer({ web: 'web' }))));
    const item = await sound.get(await entryKey(acme, 'edge'));
    const times = [item?.['r'], item?.['r1'], item?.['r2'], item?.['r3'], item?.['r4']];
    expect(new Set(times).size).toBe(5);
    clock.advance(600 * MINUTE);
    expect(silenceIn(await read(acme, 'edge'))).toEqual({ usual: null, since: null, members: null });
  });
});
