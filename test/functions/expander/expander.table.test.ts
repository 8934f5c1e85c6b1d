import { describe, expect, it } from 'vitest';
import { expandMessages, PIECES_MILLIS } from '#functions/expander/expand-messages.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import type { ExpansionMessage } from '#shared/environments/expand-message.ts';
import { expandedKey } from '#shared/environments/records/keys.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { testId } from '#test/support/ids.ts';
import { queueEvent, recordingExpansions } from '#test/support/queue.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { streamEvent } from '#test/support/table/stream.ts';
import { countingTable } from '#test/support/table/units.ts';
import { eventsIn } from '../../shared/environments/environment-events.ts';
import { type Setting, settingOf } from '../../shared/environments/relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;
const eventsOf = eventsIn(table);

/** The relay and the expander of an organization, with a queue whose messages the test hands over itself. */
function withOwnQueue(setting: Setting, ownTable = table) {
  const { queue, take } = recordingExpansions();
  const services = { ...setting.relay.services, table: ownTable, expansions: queue };
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  return {
    take,
    logged,
    hand: (items: Parameters<typeof streamEvent>[0]) =>
      relay(streamEvent(items), services, { memory: new RelayMemory(), log }),
    /** Hands a message to the expander. The clock of the call reads these milliseconds, and then the last of them. */
    work: (message: unknown, times: readonly number[] = [0]) => {
      const left = [...times];
      const wallClock = () => (left.length > 1 ? left.shift() : left[0]) ?? 0;
      const options = { memory: new EnvironmentMemory(), log, wallClock };
      return heldTo('expander', EXPANDER_USES, () => expandMessages(queueEvent([message]), services, options));
    },
  };
}

/** The message for the snapshots of `prod`. */
const messageFor = async (setting: Setting): Promise<ExpansionMessage> => ({
  work: 'expand',
  org: setting.id,
  environment: await setting.environmentId('prod'),
  requests: [],
});
const progressOf = async (setting: Setting) => table.get(expandedKey(setting.id, await setting.environmentId('prod')));
const OVER = [0, PIECES_MILLIS];
const DONE = { batchItemFailures: [] };

describe('a batch of the stream', () => {
  it('ends although the expansion of one organization does not end', { timeout: 10_000 }, async () => {
    const [busy, other] = [await settingOf(api), await settingOf(api)];
    for (const setting of [busy, other]) await setting.relay.settle();
    await busy.run('prod', onServer({ api: 'api' }));
    await other.run('prod', onServer({ api: 'api' }));
    const items = [...(await busy.relay.changed()), ...(await other.relay.changed())];
    const never = new Promise<never>(() => undefined);
    const slow = tableAround(table, ({ input }, send) =>
      JSON.stringify(input).includes(`${busy.id}#SNAPSHOT#`) ? never : send(),
    );
    const { hand, take, work } = withOwnQueue(busy, slow);
    expect(await hand(items)).toEqual(DONE);
    // The group of a message is its organization: the queue is fair between groups.
    const expected = [];
    for (const setting of [busy, other]) {
      const message = { ...(await messageFor(setting)), requests: ['request-1'] };
      expected.push({ message, group: setting.id, delaySeconds: 0 });
    }
    const sent = take();
    expect(sent).toEqual(expected);

    void work(sent[0]?.message);
    expect(await work(sent[1]?.message)).toEqual(DONE);
    expect([await eventsOf(busy), (await eventsOf(other)).map(({ name }) => name)]).toEqual([[], ['api']]);
  });

  it('hands the marks of more than 100 environments and fingerprints to the expander, 100 per message', async () => {
    const setting = await settingOf(api);
    const [prod, org] = [await setting.environmentId('prod'), setting.id];
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    const { mark } = await setting.head('prod');
    const { take, work } = withOwnQueue(setting);
    const unknown = Array.from({ length: 150 }, (_, i) => fingerprintOf(`unknown-${i}`));
    const fingerprints = [...unknown, fingerprintOf('api')];
    const environments = [...Array.from({ length: 150 }, (_, i) => testId(`environment-${i}`)), prod];
    expect(await work({ work: 'mark', org, environments, fingerprints })).toEqual(DONE);
    const sent = take().map(({ message }) => message);
    expect(sent).toEqual([
      { work: 'mark', org, environments: environments.slice(0, 100), fingerprints: [] },
      { work: 'mark', org, environments: environments.slice(100), fingerprints: [] },
      { work: 'mark', org, environments: [], fingerprints: fingerprints.slice(0, 100) },
      { work: 'mark', org, environments: [], fingerprints: fingerprints.slice(100) },
    ]);
    for (const message of sent) expect(await work(message)).toEqual(DONE);
    // One mark for the environment itself, and one for the fingerprint that runs in it.
    expect([take(), (await setting.head('prod')).mark]).toEqual([[], mark + 2]);
  });
});

describe('the expander', () => {
  it('sends a message for the rest when its time is over, after each piece and after each snapshot', async () => {
    const setting = await settingOf(api, []);
    const names = Array.from({ length: 150 }, (_, i) => `service-${i}`);
    await setting.run('prod', onServer(Object.fromEntries(names.map((name) => [name, name]))));
    await setting.run('prod', onServer({}));
    const message = await messageFor(setting);
    const { take, work } = withOwnQueue(setting);
    const places = [];
    for (let next = [{ message }]; next[0]; next = take()) {
      expect([next.length, await work(next[0].message, OVER)]).toEqual([1, DONE]);
      places.push(await progressOf(setting));
    }
    expect(places).toMatchObject([
      { index: 0, done: 100 },
      { index: 1, done: 0 },
      { index: 1, done: 100 },
      { index: 2, done: 0 },
    ]);
    expect((await eventsOf(setting)).map(({ sk }) => Number(sk))).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  });

  it('expands newer snapshots too, also those that are stored while it works', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    let stored = false;
    const during = tableAround(table, async ({ command }, send) => {
      if (command === 'TransactWrite' && !stored) {
        stored = true;
        await setting.run('prod', onServer({ db: 'db' }));
      }
      return send();
    });
    const { take, work } = withOwnQueue(setting, during);
    expect([await work(await messageFor(setting)), take()]).toEqual([DONE, []]);
    expect(await progressOf(setting)).toMatchObject({ index: 2 });
  });

  it('leaves the environment to another call that stored progress meanwhile, and looks again after 10 seconds', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    const message = await messageFor(setting);
    let overtaken = false;
    const slow = tableAround(table, async ({ command }, send) => {
      if (command === 'TransactWrite' && !overtaken) {
        overtaken = true;
        expect(await withOwnQueue(setting).work(message)).toEqual(DONE);
      }
      return send();
    });
    const { take, work } = withOwnQueue(setting, slow);
    expect(await work(message)).toEqual(DONE);
    expect(take()).toEqual([{ message, group: setting.id, delaySeconds: 10 }]);
    expect([await work(message), take()]).toEqual([DONE, []]);
    expect([(await setting.head('prod')).mark, (await eventsOf(setting)).length]).toEqual([1, 1]);
  });

  it('appends the snapshots of several logical environments in as many calls if the time is over after each', async () => {
    const setting = await settingOf(api);
    for (const name of ['one', 'two']) {
      await setting.putEnvironment(name, 'logical', { included_environments: ['prod'] });
    }
    await setting.relay.settle();
    await setting.run('prod', onServer({ api: 'api' }));
    const message = await messageFor(setting);
    const { take, work } = withOwnQueue(setting);
    const groups = async () => [(await setting.head('one')).index, (await setting.head('two')).index].toSorted();
    await work(message, OVER);
    expect([await groups(), take().length, await progressOf(setting)]).toEqual([[0, 1], 1, undefined]);
    await work(message, OVER);
    expect([await groups(), take().length, await progressOf(setting)]).toEqual([[1, 1], 1, undefined]);
    await work(message, OVER);
    expect([await groups(), take().length, await progressOf(setting)]).toMatchObject([[1, 1], 0, { index: 1 }]);
  });

  it('expands the snapshot of a deployment with the calls and units of which docs/deploying.md computes the cost', async () => {
    const setting = await settingOf(api);
    for (const name of ['api', 'db']) {
      await setting.run('prod', onServer({ app: name, base: 'base' }));
      if (name === 'api') await setting.relay.settle();
    }
    const { table: counting, units } = countingTable(table);
    const { work } = withOwnQueue(setting, counting);
    const count = newCount();
    const message = await messageFor(setting);
    expect(await counted(() => work(message), count)).toEqual(DONE);
    expect(count.calls).toBeLessThanOrEqual(20);
    expect(units).toEqual({ read: 15, write: 18 });
    expect(await progressOf(setting)).toMatchObject({ index: 2 });
  });

  it('reports a message that fails, and logs it with its error', async () => {
    const { work, logged } = withOwnQueue(await settingOf(api));
    const unknown = { work: 'expand', org: testId('nobody'), environment: testId('nothing') };
    for (const message of ['not JSON', { work: 'other' }, unknown]) {
      expect(await work(message)).toEqual({ batchItemFailures: [{ itemIdentifier: expect.any(String) }] });
    }
    expect(logged).toEqual(
      Array(3).fill('Working on a message of the queue of expansions failed; the message comes again'),
    );
  });
});
