import { expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepDueWork } from '#functions/relay/sweeps/sweep-due-work.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { newId } from '#shared/base/ids.ts';
import { runningExportKey } from '#shared/exports/records/keys.ts';
import { createDeliveries } from '#shared/notifications/records/deliveries.ts';
import { storeFailure } from '#shared/signers/records/public-root.ts';
import { evaluationsApi, withTrail } from '#test/functions/evaluations/evaluations-api.ts';
import { deliveryTo } from '#test/functions/notifier/notified.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { recordingQueues } from '#test/support/queue.ts';
import { webhookTarget } from '#test/support/records/notified.ts';

const MINUTE = 60_000_000;
const api = await evaluationsApi();
const { table, objects, clock } = api.services;

/** Runs the sweeps of a minute, with the rights of the relay. @returns the ages of their line, and whether a sweep failed */
async function sweep() {
  const lines: Record<string, unknown>[] = [];
  const options = {
    memory: new RelayMemory(),
    log: () => {},
    lines: (line: object) => void lines.push({ ...line }),
  };
  const services = { table, objects, clock, ...recordingQueues() };
  const outcome = await heldTo('relay', RELAY_USES, () => sweepDueWork(services, options)).then(
    () => 'done',
    (error: unknown) => (error instanceof AggregateError ? error.errors.map(String) : error),
  );
  const [{ deliveries_seconds, evaluations_seconds, exports_seconds, public_root_seconds } = {}] = lines;
  return { ages: [deliveries_seconds, evaluations_seconds, exports_seconds], publicRoot: public_root_seconds, outcome };
}

test('the sweeps of a minute log how old the oldest work is, without that of a sweep that failed', async () => {
  const acme = await withTrail(api);
  expect(await sweep()).toEqual({ ages: [0, 0, 0], publicRoot: 0, outcome: 'done' });

  await createDeliveries(table, acme.id, [deliveryTo(webhookTarget('https://one.example/hook'), clock.now())]);
  expect((await acme.request({})).status).toBe(201);
  clock.advance(25 * MINUTE);
  const first = await sweep();
  expect(first.outcome).toBe('done');
  // A new delivery is due after a minute, in which its message is under way.
  expect(first.ages[0]).toBeCloseTo(24 * 60, -1);
  expect(first.ages[1]).toBeCloseTo(25 * 60, -1);
  expect(first.ages[2]).toBe(0);
  // The delivery got another due time, and the evaluation failed at its deadline.
  expect(await sweep()).toMatchObject({ ages: [0, 0, 0], outcome: 'done' });

  const id = newId(clock.now());
  await table.put({ ...runningExportKey(clock.now(), acme.id, id), v: 1, org: acme.id, id });
  clock.advance(MINUTE);
  const missing = `Error: Export ${id} of organization ${acme.id} is listed as running but does not exist`;
  expect(await sweep()).toMatchObject({ ages: [0, 0, undefined], outcome: [missing] });
});

test('the sweeps of a minute log how long ago the public root was refreshed, or first tried to be', async () => {
  expect(await storeFailure(table, undefined, { at: clock.now(), fault: 'No answer in time' })).toBe(true);
  clock.advance(7 * 24 * 60 * MINUTE);
  expect((await sweep()).publicRoot).toBeCloseTo(7 * 86_400, -1);
});
