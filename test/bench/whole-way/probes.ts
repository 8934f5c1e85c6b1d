import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '#shared/environments/records/environment-events.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { testName } from '#test/support/ids.ts';
import { FLOW } from '../organizations/facts.ts';
import { attest, environmentOf, ORG, report, type WholeClient } from './client.ts';

/** Waits for effects. Each function returns the milliseconds that it waited. */

const POLL_MILLIS = 20;
const PATIENCE_MILLIS = 60_000;
let probes = 0;

/** Attests the artifact that runs in an environment, and waits until the environment has its mark. */
export async function probeMark(client: WholeClient, environment: number): Promise<number> {
  const before = await headOf(client, environment);
  probes += 1;
  await attest(client, environment, `probe-${probes}`, probes);
  return untilTrue(async () => (await headOf(client, environment)).mark > before.mark);
}

/** Reports a change of an environment, and waits until the events of the environment show the change. */
export async function probeEvents(client: WholeClient, environment: number): Promise<number> {
  probes += 1;
  await report(client, environment, `probe ${probes}`);
  const { id, events } = await headOf(client, environment);
  return untilTrue(
    async () => (await readEvents(client.table, client.org, id, { from: events, to: events })).length > 0,
  );
}

/** Waits until the list of the attestations of a trail shows one that was just made. */
export const untilListed = (client: WholeClient, trail: string, name: string): Promise<number> =>
  untilTrue(async () => {
    const answer = await client.get(`/attestations/${ORG}?flow=${FLOW}&trail=${trail}&page=1&per_page=20`);
    return (await answer.text()).includes(`"${name}"`);
  });

async function headOf({ table, org }: WholeClient, environment: number): Promise<EnvironmentHead> {
  const head = await findEnvironment(table, org, testName(environmentOf(environment)));
  if (!head) throw new Error(`There is no environment ${environmentOf(environment)}`);
  return head;
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE_MILLIS) {
    if (await isTrue()) return performance.now() - started;
    await sleep(POLL_MILLIS);
  }
  throw new Error(`An effect did not come within ${PATIENCE_MILLIS} ms`);
}
