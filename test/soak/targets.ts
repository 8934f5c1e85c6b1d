import { randomInt } from 'node:crypto';
import { freePort } from '#infra/local/ports.ts';
import type { Stack } from '../story/stack-api.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { FLOW, QUIET_FLOW } from './traffic.ts';

/** Targets on this machine: one that sometimes fails, one that is slow, and one without a server. */
export interface Targets {
  /** In the order of the numbers of their actions. */
  names: ['faltering', 'slow', 'dead'];
  receiver: Receiver;
  /** Signing secrets of the actions, which must never be logged. */
  secrets: string[];
}

const TRIGGERS = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];
const SLOW_MILLIS = 2_000;

/** Starts the targets and saves an action for each. The flows must exist. */
export async function startTargets(stack: Stack): Promise<Targets> {
  const receiver = await startReceiver();
  receiver.answer = ({ path }) => {
    if (path === '/slow') return { status: 200, millis: SLOW_MILLIS };
    return randomInt(20) === 0 ? { status: 500 } : { status: 200, millis: randomInt(30) };
  };
  const dead = await freePort();
  const targets: [string, string, string[]][] = [
    ['faltering', `${receiver.url}/faltering`, [FLOW, QUIET_FLOW]],
    ['slow', `${receiver.url}/slow`, [QUIET_FLOW]],
    ['dead', `http://127.0.0.1:${dead}/dead`, [QUIET_FLOW]],
  ];
  const secrets: string[] = [];
  for (const [i, [name, webhook, flows]] of targets.entries()) {
    const json = { name, targets: [{ type: 'WEBHOOK', webhook }], triggers: TRIGGERS, flows };
    await retryUntilDone(async () => (await stack.call('PUT', '/actions/flows', { json })).status === 200);
    await retryUntilDone(async () => {
      const { status, text } = await stack.call('GET', `/actions/${i + 1}/signing-secret`);
      if (status !== 200) return false;
      secrets.push((JSON.parse(text) as { secret: string }).secret);
      return true;
    });
  }
  return { names: ['faltering', 'slow', 'dead'], receiver, secrets };
}

const TRIES = 50;

/** Repeats an attempt until it returns true. @throws Error after {@link TRIES} attempts */
export async function retryUntilDone(attempt: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < TRIES; i += 1) if (await attempt()) return;
  throw new Error(`Not done after ${TRIES} attempts`);
}
