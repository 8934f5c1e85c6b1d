import { expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { type RelayContext, relayContext } from '#functions/relay/relay.ts';
import { sweepOrganization } from '#functions/relay/sweeps/sweep-organizations.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { plus } from '#shared/base/time.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { movableClock } from '#test/support/clock.ts';
import { recordingQueues } from '#test/support/queue.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';
import { START } from '../relay-setting.ts';

/** Counts calls of a table, and those that had to wait for the answer of another one: the rounds. */
async function turn() {
  const count = { calls: 0, rounds: 0 };
  let done = 0;
  const table = tableAround(await testTable(), async (_, send) => {
    count.calls += 1;
    const round = done + 1;
    const answer = await send();
    done = Math.max(done, round);
    count.rounds = done;
    return answer;
  });
  const clock = movableClock(plus(START, 1_000_000));
  const services = { table, clock, objects: testObjects(), ...recordingQueues() };
  const context: RelayContext = relayContext(services, { memory: new RelayMemory(), log: () => {} }, 'sweep');
  const parts = new SweepParts(context.log, () => true);
  const outcome = await sweepOrganization(context, parts, newId<OrganizationId>(START));
  return { outcome, failures: parts.failures, ...count };
}

test('the visit of a quiet organization makes its independent reads at once', async () => {
  const { outcome, failures, calls, rounds } = await turn();
  expect([outcome, failures]).toEqual(['done', []]);
  expect(calls).toBeLessThanOrEqual(27);
  expect(rounds).toBeLessThanOrEqual(7);
});
