import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '#shared/environments/records/environment-events.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { attest, environmentOf, type LagApi, report } from './lag-writers.ts';

/** Writes whose effects `npm run bench:lag` waits for. Each probe has an environment of its own, and no other writer. */

const POLL_MILLIS = 20;
const PATIENCE_MILLIS = 60_000;
let probes = 0;

/** Attests the artifact that runs in an environment. @returns milliseconds until the environment has its mark */
export async function probeMark(api: LagApi, environment: number): Promise<number> {
  const before = await headOf(api, environment);
  probes += 1;
  await attest(api, environment, `probe-${probes}`, probes);
  return untilTrue(async () => (await headOf(api, environment)).mark > before.mark);
}

/** Reports a change of an environment. @returns milliseconds until the list of its events shows the change */
export async function probeList(api: LagApi, environment: number): Promise<number> {
  probes += 1;
  await report(api, environment, `probe ${probes}`);
  const { id, events } = await headOf(api, environment);
  const org = await api.org();
  return untilTrue(async () => (await readEvents(api.table, org, id, { from: events, to: events })).length > 0);
}

async function headOf(api: LagApi, environment: number): Promise<EnvironmentHead> {
  const head = await findEnvironment(api.table, await api.org(), environmentOf(environment));
  if (!head) throw new Error(`There is no environment ${environmentOf(environment)}`);
  return head;
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE_MILLIS) {
    if (await isTrue()) return performance.now() - started;
    await sleep(POLL_MILLIS);
  }
  throw new Error(`A probe saw no effect within ${PATIENCE_MILLIS} ms`);
}
