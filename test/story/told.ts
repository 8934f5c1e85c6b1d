import { expect, onTestFinished } from 'vitest';
import { type Received, startReceiver, verified } from '#test/support/receiver.ts';
import type { Write } from './ledger.ts';
import type { Stack } from './stack-api.ts';

const TRIGGERS = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];
const TOLD_MILLIS = 180_000;

/** A target on this machine that outlives the stack, and what it must have been told. */
export interface Listener {
  /** Saves an action that tells the target of everything. */
  listen(stack: Stack): Promise<void>;
  /** Waits until every event of these writes was told, each signed and under one id. */
  inspect(written: readonly { flow: string; write: Write }[]): Promise<void>;
}

export async function startListener(): Promise<Listener> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const idsOf = new Map<string, Set<string>>();
  const unreadable: unknown[] = [];
  return {
    async listen(stack) {
      const targets = [{ type: 'WEBHOOK', webhook: receiver.url }];
      const json = { name: 'tell', targets, triggers: TRIGGERS };
      expect(await stack.call('PUT', '/actions/flows', { json })).toEqual({ status: 200, text: '"OK"' });
      const { secret } = await stack.get<{ secret: string }>('/actions/1/signing-secret');
      // Signatures hold for five minutes: each is looked at as it comes.
      receiver.answer = (request) => {
        try {
          const event = toldEvent(request, secret);
          idsOf.set(event, (idsOf.get(event) ?? new Set()).add(request.id));
        } catch (error) {
          unreadable.push(error);
        }
        return { status: 200 };
      };
    },
    async inspect(written) {
      const events = written.map(({ flow, write }) => eventOf(flow, write));
      const untold = () => events.filter((event) => !idsOf.has(event));
      await expect.poll(untold, { timeout: TOLD_MILLIS, interval: 250 }).toEqual([]);
      expect([...idsOf].filter(([, ids]) => ids.size !== 1).map(([event]) => event)).toEqual([]);
      expect(unreadable).toEqual([]);
    },
  };
}

/** What tells the event of one write from all others. */
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

function toldEvent(request: Received, secret: string): string {
  const { flow, trail, artifact, attestation } = verified(request, secret) as unknown as Payload;
  if (artifact) return `${flow}/${trail} artifact ${artifact.fingerprint}`;
  return attestation ? `${flow}/${trail} attestation ${attestation.name}` : `${flow}/${trail} begun`;
}
