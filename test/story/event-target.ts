import { expect, onTestFinished } from 'vitest';
import { type Received, startReceiver, verified } from '#test/support/receiver.ts';
import type { Write } from './ledger.ts';
import type { Stack } from './stack-api.ts';

const TRIGGERS = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];
const DELIVERED_MILLIS = 180_000;

/** A target of notifications on this machine. It outlives the stack and records the events that it receives. */
export interface EventTarget {
  /** Saves an action that sends every event to the target. */
  subscribe(stack: Stack): Promise<void>;
  /** Waits until every event of these writes was received. Each event must be signed and have one id. */
  inspect(written: readonly { flow: string; write: Write }[]): Promise<void>;
}

export async function startEventTarget(): Promise<EventTarget> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const idsOf = new Map<string, Set<string>>();
  const unreadable: unknown[] = [];
  return {
    async subscribe(stack) {
      const targets = [{ type: 'WEBHOOK', webhook: receiver.url }];
      const json = { name: 'tell', targets, triggers: TRIGGERS };
      expect(await stack.call('PUT', '/actions/flows', { json })).toEqual({ status: 200, text: '"OK"' });
      const { secret } = await stack.get<{ secret: string }>('/actions/1/signing-secret');
      // A signature is valid for five minutes, so it is checked when the request arrives.
      receiver.answer = (request) => {
        try {
          const event = receivedEvent(request, secret);
          idsOf.set(event, (idsOf.get(event) ?? new Set()).add(request.id));
        } catch (error) {
          unreadable.push(error);
        }
        return { status: 200 };
      };
    },
    async inspect(written) {
      const events = written.map(({ flow, write }) => eventOf(flow, write));
      const missing = () => events.filter((event) => !idsOf.has(event));
      await expect.poll(missing, { timeout: DELIVERED_MILLIS, interval: 100 }).toEqual([]);
      expect([...idsOf].filter(([, ids]) => ids.size !== 1).map(([event]) => event)).toEqual([]);
      expect(unreadable).toEqual([]);
    },
  };
}

/** Returns a text that identifies the event of one write. */
function eventOf(flow: string, { kind, trail, name, fingerprint }: Write): string {
  if (kind === 'trail') return `${flow}/${trail} begun`;
  return kind === 'artifact' ? `${flow}/${trail} artifact ${fingerprint}` : `${flow}/${trail} attestation ${name}`;
}

interface Payload {
  flow: string;
  trail: string;
  artifact?: { fingerprint: string };
  attestation?: { name: string };
}

function receivedEvent(request: Received, secret: string): string {
  const { flow, trail, artifact, attestation } = verified(request, secret) as unknown as Payload;
  if (artifact) return `${flow}/${trail} artifact ${artifact.fingerprint}`;
  return attestation ? `${flow}/${trail} attestation ${attestation.name}` : `${flow}/${trail} begun`;
}
