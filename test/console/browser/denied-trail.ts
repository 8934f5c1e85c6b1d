import { expect, vi } from 'vitest';
import { callsOf } from '#test/story/stack-api.ts';
import type { Place } from './hostile-organization.ts';
import { START_MILLIS } from './tab.ts';

/** The flow and the trail whose decision a policy program denied. */
export const GATED = 'gated';
export const DENIED_TRAIL = 'release-43';
/** The line of the program that stops the rule. */
export const STOPPED = /two people must review \(policy\.rego, line 7\)/;

const PROGRAM = `package policy

import rego.v1

default allow := false

allow if count(violations) == 0

violations contains "two people must review"
`;

/** Adds a trail that failed because a policy program denied it, and waits for the decision. */
export async function addDeniedTrail({ url, org, key }: Place): Promise<void> {
  const { call, get } = callsOf(url, org, key);
  const send = async (path: string, json: unknown) => {
    const { status, text } = await call('POST', path, { json });
    expect(status, `${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text) as { id: string };
  };
  await call('PUT', '/flows', { json: { name: GATED } });
  await call('PUT', `/trails/${GATED}`, { form: { name: DENIED_TRAIL } });
  await send('/controls', { identifier: 'FOUR-EYES', name: 'Two people' });
  const { id } = await send('/evaluations', {
    context: { trails: [{ flow: GATED, trail: DENIED_TRAIL }] },
    policy: { files: { 'policy.rego': PROGRAM } },
    decision: { control: 'FOUR-EYES', name: 'eyes', flow: GATED, trail: DENIED_TRAIL },
  });
  await vi.waitFor(
    async () => {
      const { decision_attestation_id: decision } = await get<{ decision_attestation_id: string | null }>(
        `/evaluations/${id}`,
      );
      expect(decision).not.toBeNull();
    },
    { timeout: START_MILLIS, interval: 200 },
  );
}
