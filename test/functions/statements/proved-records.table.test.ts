import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { momentKey, trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { readTrailHead } from '#shared/evidence/records/trails.ts';
import { environmentClaimKey, statementKey, statementPartition, trailClaimKey } from '#shared/log/records/keys.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { testName, testPartition } from '#test/support/ids.ts';
import { integrateStored, integratorOf } from '#test/support/log/log.ts';

// rules/log.md#proved-records

const api = await testApi([
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, environmentsGroup, policiesGroup],
  ...[evaluationsGroup, statementsGroup],
]);
const { table, objects, clock, keys, origin } = api.services;
const integrator = integratorOf(table, { objects, clock, origin, logSigner: keys.log });

/** A trail `web/run` that lacks its review, and a snapshot of what an environment without provenance runs. */
async function judged() {
  const acme = await environmentsOfOrganization(api);
  await acme.putFlow('web', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n');
  await acme.begin({});
  await acme.report(anArtifact('app'), { trail: 'run' });
  await acme.attest('generic', { attestation_name: 'review', is_compliant: false });
  await acme.putPolicy('strict');
  await acme.putEnvironment('prod', 'server', { policies: ['strict'] });
  await acme.run('prod', onServer({ app: 'app', other: 'unknown' }));
  const flow = await findFlow(table, acme.id, testName('web'));
  const environment = await findEnvironment(table, acme.id, testName('prod'));
  const head = flow && (await readTrailHead(table, acme.id, flow.id, testName('run')));
  if (!flow || !environment || !head) throw new Error('The records are missing');
  const run = trailPartition(acme.id, flow.id, testName('run'));
  const statementOf = async (path: string) => {
    const answer = await acme.get(`/${path}/statement`);
    return answer.status === 200 ? 'signed' : [answer.status, (answer.json as { message: string }).message];
  };
  return {
    ...acme,
    log: () => integrateStored(integrator, acme.id),
    trail: () => statementOf(`trails/${acme.org}/web/run`),
    snapshot: () => statementOf(`snapshots/${acme.org}/prod/1`),
    /** Evaluates a policy over the trail. @returns the id, the record's key and a way to the statement */
    evaluate: async () => {
      const json = {
        context: { trails: [{ flow: 'web', trail: 'run' }] },
        policy: { files: { 'policy.rego': 'package policy\n\ndefault allow := false\n' } },
      };
      const { id } = (await acme.call('POST', `/evaluations/${acme.org}`, { json })).json as { id: string };
      expect(await processEvaluation(api.services, acme.id, id)).toBe('completed');
      return {
        id,
        key: evaluationKey(acme.id, id as never),
        state: () => statementOf(`evaluations/${acme.org}/${id}`),
      };
    },
    slot: async () => {
      const [item] = await table.query({ pk: run, prefix: 'SE#' });
      if (!item) throw new Error('The trail has no slot');
      return item;
    },
    keys: {
      head: trailHeadKey(run),
      moment: (number: number) => momentKey(acme.id, flow.id, testName('run'), number),
      claim: (number: number) => trailClaimKey(acme.id, flow.id, head.id, number),
      snapshot: snapshotKey(acme.id, environment.id, 1),
      content: snapshotContentKey(acme.id, environment.id, 1),
      claimOfSnapshot: environmentClaimKey(acme.id, environment.id, 1),
    },
    /** The statements that were signed. */
    signed: async () => {
      const digits = [...'0123456789abcdef'];
      return (await table.queryEach(digits.map((digit) => ({ pk: statementPartition(acme.id, digit) })))).flat();
    },
  };
}
type Judged = Awaited<ReturnType<typeof judged>>;

async function change(key: Key, changed: (item: Item) => object) {
  const item = await table.get(key);
  if (!item) throw new Error(`There is no ${key.pk} / ${key.sk}`);
  await table.put({ ...item, ...changed(item) });
}

const flipped = (bytes: unknown): Uint8Array => (bytes as Uint8Array).map((byte, i) => (i === 0 ? byte ^ 1 : byte));
const IS_COMPLIANT = (text: unknown) => String(text).replace('"compliant":false', '"compliant":true');

describe('a statement of a trail', () => {
  it('is signed when the log has the moments', async () => {
    const acme = await judged();
    expect(await acme.trail()).toEqual([
      202,
      'The log does not have all records of this statement yet. Ask again after the seconds in Retry-After',
    ]);
    await acme.log();
    expect([await acme.trail(), (await acme.signed()).length]).toEqual(['signed', 1]);
  });

  const ofState = /^The stored state of trail 'run' is not the one of its moments up to entry \d+ of the log$/;
  const gone = /^Entry \d+ is in the log, its record is gone$/;
  const differs = /differs from/;
  it.each<[string, RegExp, (acme: Judged) => Promise<unknown>]>([
    ['a slot is compliant', ofState, async (acme) => change(await acme.slot(), () => ({ c: true }))],
    ['a slot is another record', ofState, async (acme) => change(await acme.slot(), () => ({ i: 'x' }))],
    ['the head has another word', ofState, ({ keys }) => change(keys.head, () => ({ word: 'COMPLIANT' }))],
    [
      'the head has another hash',
      ofState,
      ({ keys }) => change(keys.head, (item) => ({ hash: flipped(item['hash']) })),
    ],
    ['the head has no template', ofState, ({ keys }) => change(keys.head, () => ({ template: null }))],
    [
      'a moment says compliant',
      differs,
      ({ keys }) => change(keys.moment(3), (item) => ({ body: IS_COMPLIANT(item['body']) })),
    ],
    [
      'a moment has another salt',
      differs,
      ({ keys }) => change(keys.moment(3), (item) => ({ salt: flipped(item['salt']) })),
    ],
    [
      'a moment has another hash',
      differs,
      ({ keys }) => change(keys.moment(3), (item) => ({ hash: flipped(item['hash']) })),
    ],
    ['a moment has another time', differs, ({ keys }) => change(keys.moment(1), () => ({ at: 7 }))],
    ['a moment is gone', gone, ({ keys }) => table.write({ remove: keys.moment(2) })],
    [
      'the claim has another hash',
      differs,
      ({ keys }) => change(keys.claim(3), (item) => ({ hash: flipped(item['hash']) })),
    ],
  ])('is not signed if %s', async (_, sentence, forge) => {
    const acme = await judged();
    await acme.log();
    await forge(acme);
    expect(await acme.trail()).toEqual([500, expect.stringMatching(sentence)]);
    expect(await acme.signed()).toEqual([]);
  });

  it('is not signed if the last moment was cut off, with its head and slots', async () => {
    const acme = await judged();
    const [head, slot] = [await table.get(acme.keys.head), await acme.slot()];
    await acme.attest('generic', { attestation_name: 'review', is_compliant: true });
    await acme.log();
    await table.write({ remove: acme.keys.moment(4) });
    await table.put(head as Item);
    await table.put(slot);
    expect(await acme.trail()).toEqual([500, expect.stringMatching(gone)]);
    expect(await acme.signed()).toEqual([]);
  });

  it('is not signed for the name of a trail whose items were exchanged with those of another trail', async () => {
    const acme = await judged();
    await acme.begin({ name: 'good' });
    await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { trail: 'good' });
    await acme.log();
    const partitions = (trail: string) => [
      testPartition(acme.keys.moment(1).pk.replace(/run$/, trail)),
      testPartition(acme.keys.head.pk.replace(/run$/, trail)),
    ];
    const read = (trail: string) => table.queryEach(partitions(trail).map((pk) => ({ pk })));
    const [failing, good] = [await read('run'), await read('good')];
    for (const { pk, sk } of failing.flat()) await table.write({ remove: keyIn(pk, sk) });
    for (const item of good.flat()) await table.put({ ...item, pk: testPartition(item.pk.replace(/good$/, 'run')) });
    expect(await acme.trail()).toEqual([500, expect.stringMatching(differs)]);
    expect(await acme.signed()).toEqual([]);
  });

  it('waits for the claim of the last moment', async () => {
    const acme = await judged();
    await acme.log();
    await table.write({ remove: acme.keys.claim(3) });
    expect((await acme.trail())[0]).toBe(202);
  });

  it.each<[string, (item: Item) => object]>([
    ['text', (item) => ({ payload: { ...(item['payload'] as object), enc: 'none', data: Buffer.from('{}') } })],
    ['signature', () => ({ signature: Buffer.from('MAYCAQECAQE=', 'base64') })],
    ['digest', (item) => ({ digest: flipped(item['digest']) })],
    ['subject', () => ({ about: 'trail#x' })],
  ])('is not answered with another %s than it had', async (_, forge) => {
    const acme = await judged();
    await acme.log();
    await acme.trail();
    const [stored] = await acme.signed();
    await change(statementKey(acme.id, stored?.sk as never), forge);
    expect(await acme.trail()).toEqual([
      500,
      `The stored statement ${stored?.sk} is not the one that was signed: it was changed afterwards`,
    ]);
  });
});

describe('a statement of a snapshot', () => {
  it('is signed when the log has the snapshot', async () => {
    const acme = await judged();
    expect((await acme.snapshot())[0]).toBe(202);
    await acme.log();
    expect([await acme.snapshot(), (await acme.signed()).length]).toEqual(['signed', 1]);
  });

  it.each<[string, RegExp, (acme: Judged) => Promise<unknown>]>([
    ['the snapshot is compliant', /differs from/, ({ keys }) => change(keys.snapshot, () => ({ state: true }))],
    ['the snapshot has another time', /differs from/, ({ keys }) => change(keys.snapshot, () => ({ at: 7 }))],
    [
      'the content is another one',
      /differs from/,
      ({ keys }) =>
        change(keys.content, (item) => ({
          body: { ...(item['body'] as object), enc: 'none', data: Buffer.from('{"rows":[],"policies":[]}') },
        })),
    ],
    [
      'the claim has another hash',
      /differs from/,
      ({ keys }) => change(keys.claimOfSnapshot, (item) => ({ hash: flipped(item['hash']) })),
    ],
    ['the content is gone', /its record is gone$/, ({ keys }) => table.write({ remove: keys.content })],
  ])('is not signed if %s', async (_, sentence, forge) => {
    const acme = await judged();
    await acme.log();
    await forge(acme);
    expect(await acme.snapshot()).toEqual([500, expect.stringMatching(sentence)]);
    expect(await acme.signed()).toEqual([]);
  });
});

describe('a statement of an evaluation', () => {
  it('is signed when the log has the evaluation and the moments that it read', async () => {
    const acme = await judged();
    const { state } = await acme.evaluate();
    expect((await state())[0]).toBe(202);
    await acme.log();
    expect([await state(), (await acme.signed()).length]).toEqual(['signed', 1]);
  });

  it.each<[string, RegExp, (acme: Judged, key: Key) => Promise<unknown>]>([
    ['the evaluation allows', /./, (_, key) => change(key, () => ({ allow: true }))],
    [
      'the result allows',
      /./,
      (_, key) =>
        change(key, (item) => ({
          result: { ...(item['result'] as object), enc: 'none', data: Buffer.from('{"allow":true,"violations":[]}') },
        })),
    ],
    ['it read the trail at another time', /./, (_, key) => change(key, () => ({ recorded: 7 }))],
    ['a moment was changed', /differs from/, ({ keys }) => change(keys.moment(3), () => ({ at: 7 }))],
    ['a moment is gone', /its record is gone$/, ({ keys }) => table.write({ remove: keys.moment(3) })],
    [
      'a claim has another hash',
      /differs from/,
      ({ keys }) => change(keys.claim(3), (item) => ({ hash: flipped(item['hash']) })),
    ],
  ])('is not signed if %s', async (_, sentence, forge) => {
    const acme = await judged();
    const { key, state } = await acme.evaluate();
    await acme.log();
    await forge(acme, key);
    expect(await state()).toEqual([500, expect.stringMatching(sentence)]);
    expect(await acme.signed()).toEqual([]);
  });
});
