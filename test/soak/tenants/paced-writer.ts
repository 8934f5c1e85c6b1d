import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../../story/ledger.ts';
import type { Stack } from '../../story/stack-api.ts';
import { FLOW } from '../traffic.ts';

/** One write of a tenant. Times are in milliseconds of the process clock. */
export interface TenantWrite {
  /** Name of the attestation, unique in its organization. */
  name: string;
  sentAt: number;
  answeredAt: number;
  status: number;
}

/** Attestations of one trail. A trail is written one after another, so a trail has few of them. */
const PER_TRAIL = 10;

/**
 * Attests at a fixed pace until the end, whether earlier writes were answered or not: a caller that waits for answers would slow down
 * with the service, and hide how slow it is.
 *
 * @param perSecond writes in a second
 * @param open most writes without an answer; further ones are left out
 */
export async function writeAtPace(
  stack: Pick<Stack, 'call'>,
  label: string,
  { perSecond, open, until }: { perSecond: number; open: number; until: number },
): Promise<TenantWrite[]> {
  const writes: TenantWrite[] = [];
  const running = new Set<Promise<void>>();
  const start = performance.now() + (Math.random() * 1000) / perSecond;
  for (let n = 0; ; n += 1) {
    const due = start + (n * 1000) / perSecond;
    if (due >= until) break;
    await sleep(Math.max(0, due - performance.now()));
    if (running.size >= open) continue;
    const work = write(stack, label, n).then((done) => {
      writes.push(done);
      running.delete(work);
    });
    running.add(work);
  }
  await Promise.all(running);
  return writes;
}

async function write(stack: Pick<Stack, 'call'>, label: string, n: number): Promise<TenantWrite> {
  const name = `${label}-${n}`;
  const trail = `${label}-trail-${Math.floor(n / PER_TRAIL)}`;
  const key = randomBytes(16).toString('hex');
  const sentAt = performance.now();
  const record = { trail, kind: 'attestation', name, userData: { n }, key, answered: false } as const;
  const { status } = await post(stack, FLOW, record);
  return { name, sentAt, answeredAt: performance.now(), status };
}
