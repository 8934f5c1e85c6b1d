import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import { APPEND_MILLIS, STORE_MILLIS } from '#functions/integrator/integrate-messages.ts';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { momentEntry } from '#shared/evidence/records/moments.ts';
import { COPIED_EVERY, copiesAbove, readCopy } from '#shared/log/checkpoint-copies.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { logHeadKey } from '#shared/log/records/keys.ts';
import { readCheckpoint, readHead } from '#shared/log/records/log-state.ts';
import { CHECKPOINT_EVERY, ENOUGH_ENTRIES } from '#shared/log/rules/checkpoint-pace.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { change } from '#shared/table/expressions.ts';
import { appendLeaves, EMPTY_RANGE, leafHash } from '#shared/tlog/tree.ts';
import { movableClock } from '#test/support/clock.ts';
import { testPartition } from '#test/support/ids.ts';
import { checkedEntries, integratorOf, LOG_KEY, trailEntries } from '#test/support/log/log.ts';
import { type Call, faultyTable, tableAround, withFaults } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { allMoments, attest, trailWriter } from '#test/support/trails.ts';
import { putLog } from './started-log.ts';

const table = await testTable();
const integrator = integratorOf(table);
const { services, integrate, logged } = integrator;
const clock = movableClock();
const newOrganization = () => newId<OrganizationId>(clock.now());
const entriesOf = (org: OrganizationId) => checkedEntries(services, org);
const texts = (entries: readonly Buffer[]) => entries.map((entry) => entry.toString('latin1'));

/** The integrator with a table and a bucket that fail where `decide` says so. */
function faultyIntegrator(decide: Parameters<typeof faultyTable>[1]) {
  const settings = { ...localClient(inject('s3')), forcePathStyle: true };
  const objects = new Objects(withFaults(new S3Client(settings), decide), LOCAL.bucketName);
  return integratorOf(faultyTable(table, decide), { objects });
}

/** Stores a log of one batch, without claims. @returns its entries */
async function startLog(org: OrganizationId, size: number): Promise<Buffer[]> {
  const entries = trailEntries(org, 'first', size);
  const range = appendLeaves(EMPTY_RANGE, entries.map(leafHash));
  await putLog({ table, clock }, org, { range, tiled: 0 }, { first: 0, entries });
  return entries;
}

describe('the integrator', () => {
  it('appends each entry once, in the order of trails and numbers, and publishes a checkpoint', async () => {
    const org = newOrganization();
    const [one, two] = [trailEntries(org, 'one', 3), trailEntries(org, 'two', 2)];
    expect(await integrate(org, [...two, ...one.toReversed()])).toBe(0);
    expect(await entriesOf(org)).toEqual([...one, ...two]);
    expect(await integrate(org, [...two, ...one])).toBe(0);
    expect(await entriesOf(org)).toEqual([...one, ...two]);
    const [, last] = two as [Buffer, Buffer];
    expect(await indexOf(table, org, parseEntry(last).subject)).toBe(4);
    expect((await logTiles(services, org, 5).entries(0, 5)).at(4)).toEqual(last);
    expect(logged).toEqual([]);
  });

  it('appends each entry once when several integrators have the same entries at the same time', async () => {
    const org = newOrganization();
    const trails = ['a', 'b', 'c', 'd'].map((trail) => trailEntries(org, trail, 60));
    const calls = trails.map((own, i) => integrate(org, [...own, ...(trails[(i + 1) % 4] ?? [])]));
    expect(await Promise.all(calls)).toEqual([0, 0, 0, 0]);
    const entries = texts(await entriesOf(org));
    expect(entries).toHaveLength(240);
    expect(new Set(entries)).toEqual(new Set(texts(trails.flat())));
  });
});

describe('the integrator', () => {
  it('completes the log in the next call, at whichever call of the table or the bucket it stopped before', async () => {
    const complete = async (stop: number): Promise<boolean> => {
      const org = newOrganization();
      const before = await startLog(org, 254);
      const entries = trailEntries(org, 'last', 2);
      let calls = 0;
      const broken = faultyIntegrator(() => {
        calls += 1;
        return calls > stop ? 'timeout-before' : undefined;
      });
      const failed = await broken.integrate(org, entries);
      const hasStopped = calls > stop;
      expect((await entriesOf(org)).length).toBe(hasStopped ? 0 : 256);
      // Nothing can be listed for the sweeps after the first failure, so the messages come again, as after a kill.
      expect(failed).toBe(hasStopped ? 1 : 0);
      expect(await integrate(org, entries)).toBe(0);
      expect(await entriesOf(org)).toEqual([...before, ...entries]);
      return hasStopped;
    };
    const stops = Array.from({ length: 16 }, (_, i) => i);
    const hasStopped = await Promise.all(stops.map(complete));
    // The last one reached its end, so the others stopped at each call.
    expect([hasStopped.at(-1), hasStopped.filter(Boolean).length]).toEqual([false, 15]);
    expect(logged).toEqual([]);
  });

  it('appends entries once if the answer of their transaction was lost', async () => {
    const org = newOrganization();
    const broken = faultyIntegrator(({ command }: Call) => (command === 'TransactWrite' ? 'timeout-after' : undefined));
    const entries = trailEntries(org, 'lost', 2);
    expect(await broken.integrate(org, entries)).toBe(1);
    expect(await integrate(org, entries)).toBe(0);
    expect(await entriesOf(org)).toEqual(entries);
  });

  it('appends an entry whose predecessor another integrator appends at the same time', async () => {
    const org = newOrganization();
    const [one, two] = trailEntries(org, 'raced', 2) as [Buffer, Buffer];
    const raced = tableAround(table, async ({ command, before }, send) => {
      const answer = await send();
      // After the claim of the predecessor was read.
      if (command === 'BatchGet' && before === 0) await integrate(org, [one]);
      return answer;
    });
    const late = integratorOf(raced);
    expect([await late.integrate(org, [two]), late.logged]).toEqual([0, []]);
    expect(await entriesOf(org)).toEqual([one, two]);
  });

  it('appends entries although nothing can be signed, and publishes them when a message asks for it', async () => {
    const org = newOrganization();
    const sign = () => Promise.reject(new Error('The key service is away'));
    const unsigned = integratorOf(table, { logSigner: async () => ({ ...LOG_KEY, sign }) });
    const entries = trailEntries(org, 'unsigned', 2);
    expect(await unsigned.integrate(org, entries)).toBe(0);
    expect(unsigned.logged).toMatchObject([{ facts: { organization: org, error: 'Error' } }]);
    expect([await readCheckpoint(table, org), (await readHead(table, org))?.range.size]).toEqual([null, 2]);
    await integrator.work([publishMessage(org).body]);
    expect(await entriesOf(org)).toEqual(entries);
  });

  it('refuses to sign if more was published than the table has', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'restored', 3);
    await integrate(org, entries.slice(0, 2));
    const head = await table.get(logHeadKey(org));
    await integrate(org, entries);
    if (head) await table.put(head);
    const { integrate: refused, logged: lines } = integratorOf(table);
    expect(await refused(org, trailEntries(org, 'next', 1))).toBe(1);
    expect(lines).toMatchObject([{ facts: { error: 'LogBehind' } }]);
  });

  it('copies a checkpoint to the bucket once a minute, with the entries since the copy before', async () => {
    const org = newOrganization();
    const moved = movableClock();
    const own = integratorOf(table, { clock: moved });
    const entries = trailEntries(org, 'copied', 3);
    await own.integrate(org, entries.slice(0, 1));
    await own.integrate(org, entries.slice(1));
    expect(await copiesAbove(services.objects, org, 0)).toEqual([1]);
    await own.work([publishMessage(org).body]);
    expect(await copiesAbove(services.objects, org, 0)).toEqual([1]);
    moved.advance(COPIED_EVERY);
    await own.work([publishMessage(org).body]);
    expect(await copiesAbove(services.objects, org, 0)).toEqual([1, 3]);
    const checkpoint = await readCheckpoint(table, org);
    expect(checkpoint?.copied.size).toBe(3);
    expect(await readCopy(services.objects, org, 3)).toEqual({
      note: checkpoint?.note,
      entries: entries.slice(1),
    });
  });

  it('lets few entries wait for a checkpoint, and sends one message that asks for it', async () => {
    const org = newOrganization();
    const moved = movableClock();
    const { sent, work, integrate: append } = integratorOf(table, { clock: moved, checkpointEvery: CHECKPOINT_EVERY });
    const entries = trailEntries(org, 'paced', 3 + ENOUGH_ENTRIES);
    for (const entry of entries.slice(0, 3)) await append(org, [entry]);
    expect(await entriesOf(org)).toEqual(entries.slice(0, 1));
    const messages = sent.take();
    expect(messages).toMatchObject([{ message: { org, entries: [] }, delaySeconds: 2 }]);
    moved.advance(CHECKPOINT_EVERY);
    await work(messages.map(({ message }) => message));
    expect(await entriesOf(org)).toEqual(entries.slice(0, 3));
    await append(org, entries.slice(3));
    expect([await entriesOf(org), sent.take()]).toEqual([entries, []]);
  });

  it('sends what it has no time for as messages', async () => {
    const org = newOrganization();
    const { sent, work, services: own } = integratorOf(table);
    const entries = trailEntries(org, 'slow', 300);
    const body = { org, entries: entries.map((entry) => entry.toString('base64')) };
    // The clock is read at the start, before each batch and behind each portion, and before each group of tiles.
    expect(await work([body], [0, 0, APPEND_MILLIS, APPEND_MILLIS, STORE_MILLIS])).toBe(0);
    const rest = sent.take().map(({ message }) => message);
    expect(rest.flatMap((message) => message.entries)).toEqual(body.entries.slice(98));
    expect(await work([...rest], [0, 0, 0, 0, 0, STORE_MILLIS])).toBe(0);
    expect(sent.take().map(({ message }) => message)).toEqual([{ org, entries: [], trails: {}, requests: [] }]);
    expect((await checkedEntries(own, org)).length).toBe(98);
    await work([{ org }]);
    expect(await checkedEntries(own, org)).toEqual(entries);
  });

  it('refuses a message that cannot be read, and one with the entry of another organization, and no other', async () => {
    const org = newOrganization();
    const { work, logged: lines } = integratorOf(table);
    const entries = (owner: OrganizationId) => trailEntries(owner, 'one', 1).map((entry) => entry.toString('base64'));
    const foreign = { org, entries: entries(newOrganization()) };
    expect(await work(['no JSON', foreign, { org, entries: entries(org) }])).toBe(2);
    expect(lines.map(({ facts }) => facts['error'])).toEqual(['SyntaxError', 'MalformedEntry']);
    expect(await entriesOf(org)).toEqual(trailEntries(org, 'one', 1));
  });

  it('appends the entries of the other organizations if the state of one log cannot be read', async () => {
    const [damaged, org] = [newOrganization(), newOrganization()];
    await integrate(damaged, trailEntries(damaged, 'one', 1));
    await table.update(logHeadKey(damaged), change({ set: { origin: 7 } }));
    const { work, logged: lines } = integratorOf(table);
    const messages = [damaged, org].map((owner) => ({
      org: owner,
      entries: trailEntries(owner, 'two', 1).map((entry) => entry.toString('base64')),
    }));
    expect(await work(messages)).toBe(1);
    expect(lines).toMatchObject([{ facts: { organization: damaged, error: 'ZodError' } }]);
    expect(await entriesOf(org)).toEqual(trailEntries(org, 'two', 1));
  });

  it('logs an entry that differs from the one in the log, and leaves the log as it is', async () => {
    const org = newOrganization();
    const [first] = trailEntries(org, 'changed', 1) as [Buffer];
    await integrate(org, [first]);
    const { entry } = { entry: parseEntry(first) };
    if (entry.kind !== 'link') throw new Error('The entry is a link');
    const changed = linkEntry(entry.domain, FIRST_PREVIOUS, { ...entry.header, record: undefined, at: 1 } as never);
    const own = integratorOf(table);
    expect(await own.integrate(org, [changed])).toBe(0);
    expect(own.logged).toMatchObject([
      { message: 'An entry differs from the one that the log has for its subject', facts: { index: 0 } },
    ]);
    expect(await entriesOf(org)).toEqual([first]);
  });

  it('reads links from the table that no message brought', async () => {
    const org = newOrganization();
    const writer = trailWriter(table, org, clock);
    for (let i = 0; i < 5; i += 1) await attest(writer, { flow: 'web', trail: 'run' }, { name: `scan-${i}` });
    const [flowItem] = await table.query({ pk: testPartition(`${org}#FLOWNAME#web`) });
    const moments = await allMoments(table, org, String(flowItem?.['flow']) as never, 'run');
    const entries = moments.map((moment) => momentEntry(org, moment));
    expect(entries).toHaveLength(6);
    const trails = new Map(moments.map(({ trail, name }) => [trail, name]));
    await integrate(org, entries.slice(0, 2), trails);
    expect(await integrate(org, entries.slice(5), trails)).toBe(0);
    expect(await entriesOf(org)).toEqual(entries);
    expect(logged).toEqual([]);
  });
});
