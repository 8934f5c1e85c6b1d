import { expect, it } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepEvents } from '#functions/relay/sweeps/sweep-events.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { sweepSnapshots } from '#shared/environments/sweeps/sweep-snapshots.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import type { LogMessage } from '#shared/log/log-message.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { sendMissingEntries } from '#shared/log/sweeps/missing-entries.ts';
import { sweepChains } from '#shared/log/sweeps/sweep-chains.ts';
import { sweepLogs } from '#shared/log/sweeps/sweep-logs.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { setAsideList } from '#shared/sweeps/keys.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import type { Item } from '#shared/table/table.ts';
import { type Setting, settingOf } from '#test/shared/environments/relayed-environments.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { checkedEntries, integrateStored, integratorOf, LOG_KEY } from '#test/support/log/log.ts';
import { itemsOf } from '#test/support/relay.ts';

const api = await environmentsApi();
const { table, clock } = api.services;
const integrator = integratorOf(table, { clock });

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** The hashes of all moments, snapshots and audit entries of an organization. */
const storedHashes = async ({ id }: Setting): Promise<Set<string>> =>
  new Set((await itemsOf(table.name, id)).filter(hasEntry).map((item) => hexOf(entryHash(bytesOf(item)))));
const bytesOf = (item: Item): Buffer => entryOfItem(item)?.bytes ?? Buffer.of();
const isAudit = (entry: string) => parseEntry(Buffer.from(entry, 'base64')).subject.kind === 'audit';
const sentHashes = (messages: readonly LogMessage[]): Set<string> =>
  new Set(messages.flatMap(({ entries }) => entries).map((entry) => hexOf(entryHash(Buffer.from(entry, 'base64')))));
const loggedHashes = async ({ id }: Setting): Promise<Set<string>> =>
  new Set((await checkedEntries(integrator.services, id)).map((entry) => hexOf(entryHash(entry))));

/** Gives the organization a turn of the sweeps. @returns the messages to the integrator */
async function sweep({ relay, id }: Setting): Promise<LogMessage[]> {
  const log = () => undefined;
  const isTime = () => true;
  const context = {
    services: relay.services,
    memory: new RelayMemory(),
    log,
    evaluationsOf,
    isTime,
    isTimeToSettle: isTime,
  };
  const parts = new SweepParts(log, isTime);
  await heldTo('relay', RELAY_USES, async () => {
    await sweepEvents(context, parts, id);
    const { settledLately } = await sweepSnapshots(context, parts, id);
    const subjects = settledLately.map(({ id: environment, index: number }) => ({
      kind: 'environment' as const,
      environment,
      number,
    }));
    await sendMissingEntries(context, id, subjects);
  });
  expect(parts.failures).toEqual([]);
  return relay.takeEntries();
}

it('sends the entries of a batch to the integrator, in one message per organization', async () => {
  const setting = await settingOf(api);
  await setting.run('prod', onServer({ api: 'api' }));
  expect(await setting.relay.hand(await setting.relay.changed())).toBe(true);
  const messages = setting.relay.takeEntries();
  expect(messages).toHaveLength(1);
  expect(Object.values(messages[0]?.trails ?? {})).toEqual(['run']);
  const hashes = await storedHashes(setting);
  // The beginning of the trail, two artifacts, and the snapshot.
  expect(messages[0]?.entries.filter((entry) => !isAudit(entry))).toHaveLength(4);
  expect(sentHashes(messages)).toEqual(hashes);
  await integrator.work(messages);
  expect(await loggedHashes(setting)).toEqual(hashes);
});

it('sets an item aside that does not have its hash, and sends the others', async () => {
  const setting = await settingOf(api, ['api']);
  const items = (await setting.relay.changed()).map(
    (item): Item => (hasEntry(item) && item.sk === '0000000002' ? { ...item, at: Number(item['at']) + 1 } : item),
  );
  expect(await setting.relay.hand(items)).toBe(true);
  expect(setting.relay.takeEntries().flatMap(({ entries }) => entries.filter((one) => !isAudit(one)))).toHaveLength(1);
  const aside = (await table.query({ pk: setAsideList })).filter(({ item }) =>
    JSON.stringify(item).includes(setting.id),
  );
  expect(aside).toMatchObject([
    { item: { sk: '0000000002' }, error: expect.stringContaining('does not have the hash') },
  ]);
});

it('sends what the stream did not bring when it has settled, until the log has it', async () => {
  const setting = await settingOf(api);
  await setting.run('prod', onServer({ api: 'api' }));
  expect(await sweep(setting)).toEqual([]);
  clock.advance(SETTLING_MICROS);
  const messages = await sweep(setting);
  expect(sentHashes(messages)).toEqual(await storedHashes(setting));
  await integrator.work(messages);
  expect(await loggedHashes(setting)).toEqual(await storedHashes(setting));
  expect(await sweep(setting)).toEqual([]);
  expect(integrator.logged).toEqual([]);
});

it('sends the newest moment of a quiet trail that no series names, a portion of the trails per turn', async () => {
  const setting = await settingOf(api, []);
  const names = Array.from({ length: 22 }, (_, i) => `run-${i}`);
  for (const name of names) await setting.begin({ name });
  await integrateStored(integrator, setting.id);
  // No message follows: the stream has lost the records of both updates.
  for (const name of ['run-0', 'run-21']) await setting.begin({ name, description: 'Changed' });
  const turn = async (days: number) => {
    clock.advance(days * 24 * 3_600_000_000);
    const context = { services: setting.relay.services, log: () => undefined };
    await heldTo('relay', RELAY_USES, () => sweepChains(context, setting.id));
    return setting.relay.takeEntries();
  };
  const namesIn = (messages: readonly LogMessage[]) => messages.flatMap(({ trails }) => Object.values(trails)).sort();
  expect(namesIn(await turn(0))).toEqual([]);
  expect(namesIn(await turn(1))).toEqual(['run-0', 'run-21']);
  // Old trails are checked 20 at a time. The turns before have checked the first 20, then the others.
  expect(namesIn(await turn(9))).toEqual(['run-0']);
  const messages = await turn(0);
  expect(namesIn(messages)).toEqual(['run-21']);
  await integrator.work([...(await turn(0)), ...messages]);
  expect([await turn(0), await turn(0)]).toEqual([[], []]);
  expect((await loggedHashes(setting)).size).toBe(names.length + 2);
});

it('asks every minute to publish logs that have entries without a checkpoint', async () => {
  const setting = await settingOf(api, ['api']);
  await setting.relay.hand(await setting.relay.changed());
  const sign = () => Promise.reject(new Error('The key service is away'));
  const unsigned = integratorOf(table, { clock, logSigner: async () => ({ ...LOG_KEY, sign }) });
  await unsigned.work(setting.relay.takeEntries());
  const lines: Record<string, unknown>[] = [];
  const log = (_: string, facts: Record<string, unknown>) => void lines.push(facts);
  const ask = async () => {
    await heldTo('relay', RELAY_USES, () => sweepLogs(setting.relay.services, { log }));
    return setting.relay.takeEntries().filter(({ org }) => org === setting.id);
  };
  expect(await ask()).toEqual([]);
  clock.advance(60_000_000);
  const asked = await ask();
  expect(asked).toEqual([{ org: setting.id, entries: [], trails: {}, requests: [] }]);
  expect(lines).toContainEqual({ organization: setting.id, age_seconds: expect.toSatisfy((age) => age >= 60) });
  await integrator.work(asked);
  expect(await ask()).toEqual([]);
  expect(await loggedHashes(setting)).toEqual(await storedHashes(setting));
});
