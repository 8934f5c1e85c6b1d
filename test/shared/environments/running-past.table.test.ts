import { describe, expect, it } from 'vitest';
import { micros, minus, plus } from '#shared/base/time.ts';
import { runningKey } from '#shared/environments/records/keys.ts';
import { readRunsOf, runningPastItem } from '#shared/environments/records/running-past.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { testFingerprint } from '#test/support/ids.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { type Setting, settingOf } from './relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;
const API = testFingerprint(fingerprintOf('api'));
const LATER = plus(api.services.clock.now(), 3_600_000_000);

/** `api` starts, gets a new verdict, stops and starts again; another artifact starts beside it. */
async function filled(): Promise<Setting> {
  const setting = await settingOf(api);
  await setting.putPolicy('strict');
  await setting.run('prod', onServer({ api: 'api' }));
  await setting.attach('prod', 'strict');
  await setting.run('prod', onServer({ db: 'db' }));
  await setting.run('prod', onServer({ api: 'api', db: 'db' }));
  await setting.relay.settle();
  return setting;
}
const setting = await filled();
const [started, judged, stopped, again] = await setting.snapshots('prod');
const runsAt = async (asOf: number) => (await readRunsOf(table, setting.id, [API], micros(asOf))).get(API) ?? [];

describe('the history of running', () => {
  it('has the runs of an artifact with the snapshots that showed them', async () => {
    const [prod, ...others] = await runsAt(LATER);
    expect(others).toEqual([]);
    expect(prod?.environment.name).toBe('prod');
    expect(prod?.runs).toMatchObject([
      { from: started?.at, fromSnapshot: 1, to: stopped?.at, toSnapshot: 3 },
      { from: again?.at, fromSnapshot: 4, to: null, toSnapshot: null },
    ]);
    const verdict = (await setting.row('prod', 'api')).compliant;
    expect(verdict).not.toBeNull();
    expect(prod?.runs.map(({ compliant }) => compliant)).toEqual([verdict, verdict]);
    expect(prod?.hasEarlier).toBe(false);
  });

  it('answers as of an instant, to the snapshot', async () => {
    expect(await runsAt(minus(started?.at ?? micros(0), 1))).toEqual([]);
    const before = await runsAt(minus(judged?.at ?? micros(0), 1));
    expect(before[0]?.runs).toMatchObject([{ from: started?.at, to: null, compliant: null }]);
    const after = await runsAt(stopped?.at ?? 0);
    expect(after[0]?.runs).toMatchObject([{ from: started?.at, to: stopped?.at }]);
  });

  it('shows the last run of an artifact that started before the release of the history', async () => {
    const { id } = await setting.head('prod');
    const old = testFingerprint(fingerprintOf('old'));
    const [at, startAt] = [micros(2_000_000), micros(1_000_000)];
    const stopped = { environment: id, index: 2, at, running: false, startIndex: 1, startAt };
    await table.put({ ...runningKey(setting.id, old, id), v: 1, ...stopped });
    const found = (await readRunsOf(table, setting.id, [old], LATER)).get(old);
    const run = { from: startAt, fromSnapshot: 1, to: at, toSnapshot: 2, compliant: null };
    expect(found).toMatchObject([{ environment: { name: 'prod' }, runs: [run], hasEarlier: false }]);
  });

  it('reads the newest changes of each environment if an artifact started very often', async () => {
    const { id } = await setting.head('prod');
    const often = testFingerprint(fingerprintOf('often'));
    await setting.run('prod', onServer({ often: 'often' }));
    await setting.relay.settle();
    const first = (await setting.head('prod')).at;
    const changes = Array.from({ length: 250 }, (_, i) =>
      runningPastItem(
        setting.id,
        id,
        { index: 100 + i, at: plus(first, 1 + i) },
        { fingerprint: often, type: i % 2 === 0 ? 'stopped' : 'started', compliant: true },
      ),
    );
    await table.putMany(changes);
    const calls: string[] = [];
    const counted = faultyTable(table, ({ command }) => {
      calls.push(command);
      return undefined;
    });
    const found = (await readRunsOf(counted, setting.id, [often], LATER)).get(often);
    expect(found?.[0]).toMatchObject({ hasEarlier: true });
    expect(found?.[0]?.runs.at(-1)).toMatchObject({ from: plus(first, 250), to: null });
    // Where it runs, the changes, those of the one environment, and the environment itself.
    expect(calls.toSorted()).toEqual(['BatchGet', 'Query', 'Query', 'Query']);
  });
});
