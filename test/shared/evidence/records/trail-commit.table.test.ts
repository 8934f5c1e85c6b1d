import { beforeAll, describe, expect, test } from 'vitest';
import { type AttestationId, type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { Contention } from '#shared/base/retry.ts';
import { fromMillis, micros, minus, plus } from '#shared/base/time.ts';
import { newFlowWrites, prepareTemplate } from '#shared/evidence/records/flow-writes.ts';
import { flowHeadKey, momentKey, trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { type Moment, readMoment, stateAsOf } from '#shared/evidence/records/moments.ts';
import { commitToTrail } from '#shared/evidence/records/trail-commit.ts';
import { readTrail } from '#shared/evidence/records/trail-records.ts';
import { readSituation } from '#shared/evidence/records/trails.ts';
import { seriesPage } from '#shared/series/series.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { movableClock } from '#test/support/clock.ts';
import { testId, testName } from '#test/support/ids.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { allMoments, attest, attestationChange, momentItems, testObjects, trailWriter } from '#test/support/trails.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const TARGET = { flow: testName<FlowName>('web'), trail: testName<TrailName>('release-1') };

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
function setup() {
  organizations += 1;
  const org = newId<OrganizationId>(plus(START, organizations * 1000));
  const clock = movableClock(START);
  const writer = trailWriter(table, org, clock);
  const moments = async () => {
    const { flow } = await readSituation(table, writer.objects, org, TARGET);
    return allMoments(table, org, flow?.id ?? testId(''), TARGET.trail);
  };
  return { org, clock, writer, moments };
}

describe('a commit to a trail', () => {
  test('creates flow and trail if they do not exist, with a first moment of the kind trail_reported', async () => {
    const { org, writer, moments, clock } = setup();
    await attest(writer, TARGET, { name: 'tests' });
    const made = await moments();
    expect(made.map(({ number, kind }) => [number, kind])).toEqual([
      [1, 'trail_reported'],
      [2, 'trail_attestation_reported'],
    ]);
    expect(made[1]?.at).toBeGreaterThan(made[0]?.at ?? Number.POSITIVE_INFINITY);
    const listed = await seriesPage(table, org, 'trails', { page: 1, perPage: 10 }, clock.now());
    expect(listed).toMatchObject({ total: 1, entries: [{ t: TARGET.trail, f: made[0]?.flow }] });
  });

  test('writes nothing if the plan has no drafts', async () => {
    const { org, writer } = setup();
    expect(await commitToTrail(writer, TARGET, async () => ({ drafts: [] }))).toBe('done');
    expect(await readSituation(table, writer.objects, org, TARGET)).toEqual({ flow: null, trail: null, fields: null });
  });

  test('stores nothing if a write of the plan is refused', async () => {
    const { org, writer } = setup();
    await table.put(storedKey(`${org}#ATTESTATION#x`, 'RECORD'));
    const outcome = await commitToTrail(writer, TARGET, async () => ({
      drafts: [{ kind: 'trail_attestation_reported', changes: [attestationChange({ name: 'tests' })] }],
      writes: [
        {
          put: storedKey(`${org}#ATTESTATION#x`, 'RECORD'),
          ConditionExpression: 'attribute_not_exists(pk)',
          refused: () => 'seen' as const,
        },
      ],
    }));
    expect(outcome).toBe('seen');
    expect(await readSituation(table, writer.objects, org, TARGET)).toMatchObject({ flow: null, trail: null });
  });

  test('numbers moments 1, 2, 3 … without gaps under 50 writers and injected conflicts', {
    timeout: 240_000,
  }, async () => {
    const { org, clock } = setup();
    const writers = Array.from({ length: 50 }, (_, i) => {
      const unlucky = faultyTable(table, ({ command, before }) =>
        command === 'TransactWrite' && before < i % 3 ? (before === 0 ? 'conflict' : 'busy') : undefined,
      );
      return trailWriter(unlucky, org, clock);
    });
    await Promise.all(writers.map((writer, i) => patiently(() => attest(writer, TARGET, { name: `check-${i}` }))));
    const { trail } = await readTrail(table, testObjects(), org, TARGET);
    expect(trail?.moments.map(({ number }) => number)).toEqual(Array.from({ length: 51 }, (_, i) => i + 1));
    expect(trail?.head.number).toBe(51);
    expect(trail?.state.attestations.size).toBe(50);
    const times = trail?.moments.map(({ at }) => at) ?? [];
    expect(times.every((at, i) => i === 0 || at > (times[i - 1] ?? at))).toBe(true);
    expect(stateAsOf(trail?.moments ?? [])).toEqual(trail?.state);
  });

  test('is recognised by its record when it is sent again after a lost answer', async () => {
    const { org, clock, moments } = setup();
    const lossy = faultyTable(table, ({ command, before }) =>
      command === 'TransactWrite' && before === 0 ? 'timeout-after' : undefined,
    );
    const writer = trailWriter(lossy, org, clock);
    const id = newId<AttestationId>(START);
    const record = storedKey(`${org}#ATTESTATION#${id}`, 'RECORD');
    const send = () =>
      commitToTrail(writer, TARGET, async () => ({
        drafts: [{ kind: 'trail_attestation_reported', changes: [attestationChange({ name: 'tests', id })] }],
        writes: [{ put: record, ConditionExpression: 'attribute_not_exists(pk)', refused: () => 'seen' as const }],
      }));
    await expect(send()).rejects.toThrow('timeout-after');
    expect(await send()).toBe('seen');
    expect((await moments()).length).toBe(2);
  });
});

describe('a trail as of an instant', () => {
  test('equals what a reader saw at that instant, across new templates and updates', { timeout: 240_000 }, async () => {
    const { org, clock, writer } = setup();
    const { objects } = writer;
    const flow = newFlowWrites(org, { name: TARGET.flow, at: clock.now(), by: 'ada' }, () => 'taken' as const);
    await table.transact(flow.writes);
    const editTemplate = async (text: string) => {
      const template = await prepareTemplate(table, objects, org, flow.head.id, text);
      await template.upload();
      await table.transact([
        ...template.writes,
        {
          update: flowHeadKey(org, flow.head.id),
          UpdateExpression: 'SET #template = :template',
          ExpressionAttributeNames: { '#template': 'template' },
          ExpressionAttributeValues: { ':template': template.digest },
        },
      ]);
    };
    const templateOf = (name: string) =>
      `version: 1\ntrail:\n  attestations:\n    - name: ${name}\n      type: generic\n`;
    const seen: { at: number; state: unknown; word: unknown }[] = [];
    const look = async () => {
      const { trail } = await readTrail(table, objects, org, TARGET);
      seen.push({ at: clock.now(), state: trail?.state, word: trail?.head.word });
      clock.advance(1_000);
    };
    const steps: (() => Promise<unknown>)[] = [
      () => attest(writer, TARGET, { name: 'lint' }),
      () => editTemplate(templateOf('tests')),
      () => attest(writer, TARGET, { name: 'lint', compliant: false }),
      () => attest(writer, TARGET, { name: 'tests' }),
      () => commitToTrail(writer, TARGET, async () => ({ drafts: [{ kind: 'trail_updated', changes: [] }] })),
      () => editTemplate(templateOf('scan')),
      () => commitToTrail(writer, TARGET, async () => ({ drafts: [{ kind: 'trail_reported', changes: [] }] })),
      () => attest(writer, TARGET, { name: 'scan', type: 'custom:scan' }),
      () => attest(writer, TARGET, { name: 'scan', compliant: false }),
      () => attest(writer, TARGET, { name: 'scan' }),
    ];
    for (const step of steps) {
      await step();
      await look();
    }
    const moments = await allMoments(table, org, flow.head.id, TARGET.trail);
    for (const { at, state } of seen) expect(stateAsOf(moments, micros(at))).toEqual(state);
    expect(new Set(seen.map(({ word }) => word)).size).toBeGreaterThan(1);
    expect(stateAsOf(moments, minus(START, 1)).number).toBe(0);
    const words = seen.map(({ at }) => moments.findLast((moment) => moment.at <= at)?.content.word);
    expect(words).toEqual(seen.map(({ word }) => word));
  });
});

describe('the hash chain of a trail', () => {
  async function chain() {
    const { org, writer, moments } = setup();
    for (const name of ['a', 'b', 'c']) await attest(writer, TARGET, { name });
    const [first] = await moments();
    return { org, flow: first?.flow ?? testId<FlowId>(''), moments: await moments() };
  }

  test('is valid up to its head and begins with 32 zero bytes', async () => {
    const { org, flow, moments } = await chain();
    expect(stateAsOf(moments).number).toBe(4);
    expect(Buffer.from(moments[0]?.previous ?? []).equals(Buffer.alloc(32))).toBe(true);
    const head = await table.get(trailHeadKey(trailPartition(org, flow, TARGET.trail)));
    expect(head?.['hash']).toEqual(moments.at(-1)?.hash);
  });

  const tampered: [string, (moment: Moment) => Record<string, unknown>][] = [
    ['text', ({ body }) => ({ body: body.replace('"compliant":true', '"compliant":false') })],
    ['name of the flow', ({ body }) => ({ body: body.replace('"flow":"web"', '"flow":"wob"') })],
    ['author', ({ details }) => ({ details: details.replace('"ada"', '"eve"') })],
    ['time', ({ at }) => ({ at: at + 1 })],
    ['kind', () => ({ kind: 'trail_updated' })],
    ['trail', () => ({ trail: 'another' })],
    ['record', () => ({ record: 'another' })],
    ['salt', ({ salt }) => ({ salt: flipped(salt) })],
    ['salt of the details', ({ detailsSalt }) => ({ detailsSalt: flipped(detailsSalt ?? new Uint8Array(32)) })],
    ['salt of the details that is gone', () => ({ detailsSalt: undefined })],
    ['pledges', ({ pledges }) => ({ pledges: { ...pledges, more: new Uint8Array(32) } })],
    ['hash', ({ hash }) => ({ hash: flipped(hash) })],
    ['previous hash', ({ previous }) => ({ previous: flipped(previous) })],
    // What somebody would do who wants to turn a verdict without a trace in the text of the details.
    [
      'verdict under the mark of an erasure',
      ({ body }) => ({
        body: body.replace('"compliant":true', '"compliant":false'),
        erased: { at: 1, reason: 'a secret' },
        detailsSalt: undefined,
      }),
    ],
  ];
  test.each(tampered)('stops the reader at a changed %s', async (_, change) => {
    const { org, flow, moments } = await chain();
    const third = moments[2];
    if (!third) throw new Error('Four moments were made');
    const item = await table.get(momentKey(org, flow, TARGET.trail, 3));
    await table.put({ ...momentKey(org, flow, TARGET.trail, 3), ...item, ...change(third) });
    const read = async () => (await momentItems(table, org, flow, TARGET.trail)).map(readMoment);
    await expect(read()).rejects.toThrow(
      `The stored moment 3 of trail ${TARGET.trail} differs from what was accepted: `,
    );
  });

  test('stops the reader at a moment that lies under the name of another trail', async () => {
    const { org, flow } = await chain();
    const item = await table.get(momentKey(org, flow, TARGET.trail, 1));
    const moved = { ...item, ...momentKey(org, flow, testName('other'), 1) };
    expect(() => readMoment(moved)).toThrow('moment 1 of trail other differs from what was accepted: it belongs to');
  });

  test('stops the fold at a removed, inserted or moved moment', async () => {
    const { moments } = await chain();
    const [one, two, three, four] = moments;
    if (!one || !two || !three || !four) throw new Error('Four moments were made');
    const missing = (number: number) => `Moment ${number} of the trail ${one.trail} is missing`;
    expect(() => stateAsOf([one, three, four])).toThrow(missing(2));
    expect(() => stateAsOf([one, three, two, four])).toThrow(missing(2));
    expect(() => stateAsOf([two, three, four])).toThrow(missing(1));
    expect(() => stateAsOf([one, two, { ...four, number: 3 }])).toThrow(
      `The stored moment 3 of trail ${TARGET.trail} differs from what was accepted: it does not follow moment 2`,
    );
  });
});

/**
 * Retries after Contention, as a client does after 503 with Retry-After: on a slow machine, 50 writers may need more
 * than 20 seconds.
 */
async function patiently(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (!(error instanceof Contention)) throw error;
    }
  }
}

const flipped = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes, (byte, i) => (i === 0 ? byte ^ 1 : byte));
