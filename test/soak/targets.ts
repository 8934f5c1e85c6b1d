import { randomInt } from 'node:crypto';
import { freePort } from '#infra/local/ports.ts';
import type { Stack } from '../story/stack-api.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { WATCHED } from './releases.ts';
import { FLOW, QUIET_FLOW, retryUntilDone } from './traffic.ts';

/**
 * Targets on this machine, in the order of the numbers of their actions: one that sometimes fails, one that is slow, one without
 * a server, and one that gets the notifications about the environments of releases.
 */
export const TARGETS = ['faltering', 'slow', 'dead', 'watched'] as const;
export type TargetName = (typeof TARGETS)[number];
/** The number of the action that sends to a target. */
export const targetNumber = (name: TargetName): number => TARGETS.indexOf(name) + 1;

export interface Targets {
  receiver: Receiver;
  /** Signing secrets of the actions, which must never be logged. */
  secrets: string[];
}

const TRIGGERS = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];
const SLOW_MILLIS = 2_000;

const ENVIRONMENT_TRIGGERS = ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT', 'ON_COMPLIANT_ENV', 'ON_NON_COMPLIANT_ENV'];

/** Starts the targets and saves an action for each. The flows and environments must exist. */
export async function startTargets(stack: Stack): Promise<Targets> {
  const receiver = await startReceiver();
  receiver.answer = ({ path }) => {
    if (path === '/slow') return { status: 200, millis: SLOW_MILLIS };
    return randomInt(20) === 0 ? { status: 500 } : { status: 200, millis: randomInt(30) };
  };
  const dead = await freePort();
  const ofFlows = (flows: string[]) => ({ path: '/actions/flows', fields: { triggers: TRIGGERS, flows } });
  const actions: Record<TargetName, { path: string; fields: object }> = {
    faltering: ofFlows([FLOW, QUIET_FLOW]),
    slow: ofFlows([QUIET_FLOW]),
    dead: ofFlows([QUIET_FLOW]),
    watched: {
      path: '/organizations/environments_notifications',
      fields: { triggers: ENVIRONMENT_TRIGGERS, environments: WATCHED },
    },
  };
  const secrets: string[] = [];
  for (const name of TARGETS) {
    const { path, fields } = actions[name];
    const webhook = name === 'dead' ? `http://127.0.0.1:${dead}/dead` : `${receiver.url}/${name}`;
    const json = { name, targets: [{ type: 'WEBHOOK', webhook }], ...fields };
    await retryUntilDone(async () => (await stack.call('PUT', path, { json })).status === 200);
    await retryUntilDone(async () => {
      const { status, text } = await stack.call('GET', `/actions/${targetNumber(name)}/signing-secret`);
      if (status !== 200) return false;
      secrets.push((JSON.parse(text) as { secret: string }).secret);
      return true;
    });
  }
  return { receiver, secrets };
}
