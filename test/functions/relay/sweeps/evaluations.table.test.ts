import { describe, expect, test } from 'vitest';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { evaluateMessages } from '#functions/evaluator/work.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { pendingEvaluations } from '#shared/evaluations/records/keys.ts';
import { sweepEvaluations } from '#shared/evaluations/sweep-evaluations.ts';
import type { Item } from '#shared/table/table.ts';
import {
  type EvaluationJson,
  type EvaluationsOfOrganization,
  evaluationsApi,
  withTrail,
} from '#test/functions/evaluations/evaluations-api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { queueEvent, recordingEvaluations, recordingQueues } from '#test/support/queue.ts';
import { itemsOf } from '#test/support/relay.ts';
import { streamEvent } from '#test/support/table/stream.ts';

const MINUTE = 60_000_000;
const api = await evaluationsApi();
const { services } = api;
const { table, objects, clock } = services;

/** An organization with the relay and its sweep, which have only their declared rights. */
async function setup() {
  const acme = await withTrail(api);
  const { queue: evaluations, take } = recordingEvaluations();
  const given = { table, objects, clock, ...recordingQueues(), evaluations };
  const log = (message: string, facts: Record<string, unknown>) => console.error(message, facts);
  return {
    acme,
    /** Returns the messages about the organization that were sent since the last call. */
    take: () => take().filter(({ message }) => message.org === acme.id),
    hand: (items: readonly Item[]) =>
      heldTo('relay', RELAY_USES, () => relay(streamEvent(items), given, { memory: new RelayMemory(), log })),
    sweep: () => heldTo('relay', RELAY_USES, () => sweepEvaluations(given)),
  };
}

async function requested(acme: EvaluationsOfOrganization, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, json } = await acme.request(fields);
  expect(status).toBe(201);
  return (json as EvaluationJson).id;
}
const read = async (acme: EvaluationsOfOrganization, id: string) => (await acme.read(id)).json as EvaluationJson;
const recordOf = async (acme: EvaluationsOfOrganization): Promise<Item[]> =>
  (await itemsOf(table.name, acme.id)).filter(({ pk }) => pk.startsWith(`${acme.id}#EVALUATION#`));
const waiting = async (acme: EvaluationsOfOrganization) =>
  (await table.query({ pk: pendingEvaluations })).filter((item) => item['org'] === acme.id);
/** Hands a message to the evaluator, which has only its declared rights. */
const work = (message: unknown) =>
  heldTo('evaluator', EVALUATOR_USES, () =>
    evaluateMessages(queueEvent([message]), services, { log: () => undefined }),
  );

describe('a requested evaluation', () => {
  test('gets a message in the group of its organization, and none after it has ended', async () => {
    const { acme, take, hand } = await setup();
    const id = await requested(acme);
    expect(await hand(await recordOf(acme))).toEqual({ batchItemFailures: [] });
    const [sent, ...others] = take();
    expect(others).toEqual([]);
    const message = { org: acme.id, id, requests: ['request-1'] };
    expect(sent).toEqual({ message, group: acme.id, delaySeconds: 0 });

    expect(await work(sent?.message)).toEqual({ batchItemFailures: [] });
    expect(await read(acme, id)).toMatchObject({ status: 'completed', result: { allow: true } });
    await hand(await recordOf(acme));
    expect(take()).toEqual([]);
    expect(await waiting(acme)).toEqual([]);
  });

  test('records its decision by the rights of the evaluator', async () => {
    const { acme } = await setup();
    const decision = { control: 'release-approval', flow: 'web', trail: 'run' };
    const id = await requested(acme, { decision });
    expect(await work({ org: acme.id, id })).toEqual({ batchItemFailures: [] });
    expect(await read(acme, id)).toMatchObject({ status: 'completed', decision_attestation_id: expect.any(String) });
    expect(await waiting(acme)).toEqual([]);
  });

  test('gets one message of its own if a batch has several', async () => {
    const { acme, take, hand } = await setup();
    const ids = [await requested(acme), await requested(acme), await requested(acme)];
    await hand(await recordOf(acme));
    expect(
      take()
        .map(({ message }) => message.id)
        .toSorted(),
    ).toEqual(ids.toSorted());
  });
});

describe('the sweep for evaluations', () => {
  test('sends the lost message of an evaluation again that is pending for more than a minute', async () => {
    const { acme, take, sweep } = await setup();
    const id = await requested(acme);
    await sweep();
    expect(take()).toEqual([]);
    clock.advance(MINUTE + 1);
    await sweep();
    const message = { org: acme.id, id, requests: [] };
    expect(take()).toEqual([{ message, group: acme.id, delaySeconds: 0 }]);
  });

  test('stores the failure of an evaluation that has not ended after 15 minutes, and then skips it', async () => {
    const { acme, take, sweep } = await setup();
    const id = await requested(acme);
    clock.advance(15 * MINUTE);
    const { failed } = await sweep();
    expect(failed).toBeGreaterThanOrEqual(1);
    const [record] = await recordOf(acme);
    expect(record).toMatchObject({ id, status: 'failed', error: { kind: 'internal_error' } });
    expect(await waiting(acme)).toEqual([]);
    await sweep();
    expect(take()).toEqual([]);
  });
});
