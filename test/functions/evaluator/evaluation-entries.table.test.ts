import { beforeAll, describe, expect, it } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepEvents } from '#functions/relay/sweeps/sweep-events.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { commitment } from '#shared/base/digests.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { micros } from '#shared/base/time.ts';
import { planEvaluation } from '#shared/evaluations/erase-evaluation.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { sealEvaluation } from '#shared/evaluations/records/evaluation-entry.ts';
import { EvaluationRecord, readEvaluation, readEvaluations } from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { evaluationText } from '#shared/evaluations/rules/evaluation-text.ts';
import { backfillLog } from '#shared/log/backfill.ts';
import { entryOfItem } from '#shared/log/item-entries.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { type LinkEntry, parseEntry } from '#shared/log/rules/entry.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import type { Item } from '#shared/table/table.ts';
import {
  ALLOW_ALL,
  type EvaluationsOfOrganization,
  evaluatedIn,
  evaluationsApi,
  withTrail,
} from '#test/functions/evaluations/evaluations-api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { checkedEntries, integratorOf } from '#test/support/log/log.ts';
import { relayOf } from '#test/support/relay.ts';

const HOUR = 3_600_000_000;
const api = await evaluationsApi();
const { services } = api;
const { table, clock } = services;
const integrator = integratorOf(table, { clock });
const evaluated = evaluatedIn(services);

const itemOf = async (acme: EvaluationsOfOrganization, id: string): Promise<Item> => {
  const item = await table.get(evaluationKey(acme.id, id));
  if (!item) throw new Error(`There is no evaluation ${id}`);
  return item;
};
const linkOf = (item: Item): LinkEntry => parseEntry(entryOfItem(item)?.bytes ?? Buffer.of()) as LinkEntry;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const evaluationsIn = (entries: readonly Uint8Array[]): string[] =>
  entries.flatMap((bytes) => {
    const { subject } = parseEntry(bytes);
    return subject.kind === 'evaluation' ? [subject.evaluation] : [];
  });
const sent = (messages: readonly { entries: readonly string[] }[]) =>
  evaluationsIn(messages.flatMap(({ entries }) => entries.map((entry) => Buffer.from(entry, 'base64'))));

describe('the entry of an evaluation', () => {
  let acme: EvaluationsOfOrganization;
  beforeAll(async () => {
    acme = await withTrail(api);
  });

  it('is made when the evaluation is completed, and commits to its facts and to each of its texts', async () => {
    const { json } = await acme.request();
    const { id } = json as { id: string };
    expect(entryOfItem(await itemOf(acme, id))).toBeNull();
    const done = await evaluated(acme, ALLOW_ALL, { params: { a: 1 } });
    const item = await itemOf(acme, done.id);
    const record = EvaluationRecord.parse(item);
    const { header, subject, previous } = linkOf(item);
    expect(subject).toEqual({ kind: 'evaluation', evaluation: done.id });
    expect(header).toMatchObject({ org: acme.id, number: 0, kind: 'evaluation', at: record.ended });
    expect(hex(previous)).toBe('00'.repeat(32));
    expect(Object.keys(header.commitments).sort()).toEqual([
      'context',
      'evaluation',
      'input',
      'params',
      'policy',
      'result',
    ]);
    const { salts, result } = record;
    expect(header.commitments['evaluation']).toBe(
      hex(commitment(salts['evaluation'] ?? Buffer.of(), evaluationText(record))),
    );
    expect(header.commitments['result']).toBe(
      hex(commitment(result?.salt ?? Buffer.of(), '{"allow":true,"violations":[]}')),
    );
  });

  it('is made when the evaluation fails, and commits to the error', async () => {
    const done = await evaluated(acme, 'package policy\n\nallow if input.nothing\n', { params: { a: 1 } });
    const { header } = linkOf(await itemOf(acme, done.id));
    expect(Object.keys(header.commitments).sort()).toEqual([
      'context',
      'error',
      'evaluation',
      'input',
      'params',
      'policy',
    ]);
  });

  it('comes into the log by the stream, once', async () => {
    const relay = relayOf(services, acme.id);
    await relay.changed();
    const done = await evaluated(acme, ALLOW_ALL);
    const changed = await relay.changed();
    expect(await relay.hand(changed)).toBe(true);
    expect(await relay.hand(changed)).toBe(true);
    const messages = relay.takeEntries();
    expect(new Set(sent(messages))).toEqual(new Set([done.id]));
    expect(await integrator.work(messages)).toBe(0);
    expect(evaluationsIn(await checkedEntries(integrator.services, acme.id))).toEqual([done.id]);
    expect(integrator.logged).toEqual([]);
  });
});

describe('an entry that the stream did not bring', () => {
  it('is found by the sweep when the deadline of the evaluation is long over, and sent until the log has it', async () => {
    const acme = await withTrail(api);
    const done = await evaluated(acme, ALLOW_ALL);
    const relay = relayOf(services, acme.id);
    const sweep = async () => {
      const isTime = () => true;
      const parts = new SweepParts(() => undefined, isTime);
      const context = {
        ...{ services: relay.services, memory: new RelayMemory(), log: () => undefined, evaluationsOf },
        ...{ isTime, isTimeToSettle: isTime },
      };
      await heldTo('relay', RELAY_USES, () => sweepEvents(context, parts, acme.id));
      expect(parts.failures).toEqual([]);
      return relay.takeEntries();
    };
    expect(sent(await sweep())).toEqual([]);
    clock.advance(HOUR);
    const messages = await sweep();
    expect(sent(messages)).toEqual([done.id]);
    await integrator.work(messages);
    expect(evaluationsIn(await checkedEntries(integrator.services, acme.id))).toEqual([done.id]);
    clock.advance(HOUR);
    expect(sent(await sweep())).toEqual([]);
  });

  it('is appended by a backfill', async () => {
    const acme = await withTrail(api);
    const done = await Promise.all([evaluated(acme, ALLOW_ALL), evaluated(acme, ALLOW_ALL)]);
    const log = () => undefined;
    await backfillLog(integrator.services, acme.id, { log, isTime: () => true });
    await integrator.work([publishMessage(acme.id).body]);
    expect(new Set(evaluationsIn(await checkedEntries(integrator.services, acme.id)))).toEqual(
      new Set(done.map(({ id }) => id)),
    );
  });
});

describe('an evaluation that was changed in the table', () => {
  it.each<[string, (item: Item) => Item, string]>([
    ['another status', (item) => ({ ...item, status: 'failed' }), 'evaluation'],
    ['another verdict', (item) => ({ ...item, allow: false }), 'evaluation'],
    ['another time', (item) => ({ ...item, recorded: Number(item['recorded']) + 1 }), 'evaluation'],
    [
      'another digest of the policy',
      (item) => ({ ...item, proof: { ...(item['proof'] as object), policy: '00' } }),
      '',
    ],
    ['a decision that it did not record', (item) => ({ ...item, decisionId: item['id'] }), 'evaluation'],
  ])('is not read: %s', async (_, change, name) => {
    const acme = await withTrail(api);
    const { id } = await evaluated(acme, ALLOW_ALL);
    await table.put(change(await itemOf(acme, id)));
    const fault = `Evaluation ${id} is not the one that was stored: the commitment '${name}`;
    await expect(readEvaluation(table, acme.id, id)).rejects.toThrow(fault);
    await expect(readEvaluations(table, acme.id, [id])).rejects.toThrow(fault);
    const item = await itemOf(acme, id);
    expect(() => entryOfItem(item)).toThrow(fault);
  });

  it('is not read with the result of another evaluation, or without one', async () => {
    const acme = await withTrail(api);
    const [one, other] = [await evaluated(acme, ALLOW_ALL), await evaluated(acme, ALLOW_ALL.replace('true', 'false'))];
    const item = await itemOf(acme, one.id);
    await table.put({ ...item, result: (await itemOf(acme, other.id))['result'] });
    expect((await acme.read(one.id)).status).toBe(500);
    const erased = { ...(item['result'] as object), store: 'erased', data: undefined };
    await table.put({ ...item, result: erased });
    expect((await acme.read(one.id)).status).toBe(500);
    await table.put(item);
    expect((await acme.read(one.id)).json).toMatchObject({ result: { allow: true } });
  });
});

describe('the erasure of an evaluation', () => {
  it('names each text that it removes, and leaves the entry as it was', async () => {
    const acme = await withTrail(api);
    const { id } = await evaluated(acme, ALLOW_ALL, { params: { a: 1 } });
    const before = entryOfItem(await itemOf(acme, id))?.bytes ?? Buffer.of();
    const record = await readEvaluation(table, acme.id, id);
    if (!record) throw new Error('There is no such evaluation');
    const plan = planEvaluation(acme.id, record, { at: clock.now(), reason: 'a secret' });
    expect(plan.removed).toEqual({ [hex(entryHash(before))]: ['input', 'params', 'result'] });
    expect(await table.transact(plan.writes)).toBe('done');
    expect(entryOfItem(await itemOf(acme, id))?.bytes).toEqual(before);
    expect((await acme.read(id)).json).toMatchObject({
      status: 'completed',
      result: null,
      erased: { reason: 'a secret' },
    });
    const erased = await readEvaluation(table, acme.id, id);
    expect(erased && planEvaluation(acme.id, erased, { at: clock.now(), reason: 'again' })).toMatchObject({
      writes: [],
    });
  });

  it('removes the message of an error and the name of the person that an issuer proved', async () => {
    const acme = await withTrail(api);
    const { id } = await evaluated(acme, 'package policy\n\nallow if input.nothing\n');
    const stored = EvaluationRecord.parse(await itemOf(acme, id));
    const identity = { trust: 'ci', issuer: 'https://ci.example', subject: 'job', actor: 'Ann Example', claims: {} };
    const { pledges } = stored;
    const sealed = sealEvaluation({ ...stored, by: { ...stored.by, identity } }, micros(stored.ended ?? 0), pledges);
    await table.put({ ...evaluationKey(acme.id, id), v: 1, ...sealed });
    const before = entryOfItem(await itemOf(acme, id))?.bytes;
    const plan = planEvaluation(acme.id, sealed, { at: clock.now(), reason: 'a secret' });
    expect(Object.values(plan.removed ?? {})).toEqual([['input', 'details', 'error']]);
    expect(await table.transact(plan.writes)).toBe('done');
    const { actor: _, ...origin } = identity;
    expect(await readEvaluation(table, acme.id, id)).toMatchObject({
      error: { kind: 'policy_error', message: '' },
      by: { identity: origin },
    });
    const item = await itemOf(acme, id);
    expect(JSON.stringify(item)).not.toContain('Ann Example');
    expect(Object.keys(item['salts'] as object)).toEqual(['evaluation']);
    expect(entryOfItem(item)?.bytes).toEqual(before);
  });
});
