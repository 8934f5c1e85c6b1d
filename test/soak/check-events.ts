import { setTimeout as sleep } from 'node:timers/promises';
import type { Write } from '../story/ledger.ts';
import type { Stack } from '../story/stack-api.ts';
import { type Received, verified } from '../support/receiver.ts';
import { type TargetName, type Targets, targetNumber } from './targets.ts';
import { type Ledger, QUIET_FLOW } from './traffic.ts';

/**
 * Checks that every event of the ledger has one delivery, that every delivery was received or may still be pending or
 * dead, and that every evaluation is completed.
 */

interface DeliveryJson {
  id: string;
  event: { id: string; type: string };
  state: 'pending' | 'delivered' | 'dead' | 'discarded';
  next_attempt_at: number;
  attempts: { outcome: string }[];
}

const POLL_MILLIS = 1_000;
const PER_PAGE = 50;

/**
 * Waits until the deliveries of every write are done, and compares deliveries, received requests and the ledger. After
 * bursts of faults the relay is minutes late, so the wait goes on while the deliveries still change.
 *
 * @param patienceMillis how long the deliveries may stay unchanged before the wait ends
 * @returns sentences about events that are missing, have several deliveries, or were received without a delivery
 */
export async function checkEvents(
  stack: Stack,
  { receiver, secrets }: Targets,
  { writes }: Ledger,
  patienceMillis: number,
): Promise<string[]> {
  const quiet = writes.filter(({ flow }) => flow === QUIET_FLOW);
  const expected = { faltering: writes, slow: quiet, dead: quiet };
  const problems: string[] = [];
  for (const name of ['faltering', 'slow', 'dead'] as const) {
    const most = countEvents(expected[name]);
    const found = await waitForDeliveries(stack, targetNumber(name), { name, most }, patienceMillis);
    problems.push(...compareDeliveries(name, found, most, receiver.requests));
    const secret = secrets[targetNumber(name) - 1] ?? '';
    const missing = missingEvents(receiver.requests, `/${name}`, secret, expected[name]);
    if (name !== 'dead' && missing.length > 0)
      problems.push(`${name}: did not receive ${missing.slice(0, 3).join(', ')}`);
  }
  return problems;
}

/**
 * Compares the deliveries of a target with the number of its events and with what it received.
 *
 * @param most number of events, each of which must have one delivery
 */
export function compareDeliveries(
  name: TargetName,
  found: readonly DeliveryJson[],
  most: number,
  requests: readonly Received[],
): string[] {
  const problems = found.flatMap((delivery) => problemOf(name, delivery));
  const events = new Set(found.map(({ event }) => event.id));
  if (events.size !== found.length) problems.push(`${name}: ${found.length} deliveries of ${events.size} events`);
  if (events.size !== most) problems.push(`${name}: ${events.size} events with deliveries, ${most} happened`);
  const received = idsAt(requests, `/${name}`);
  const lost = found.filter(({ id, state }) => state === 'delivered' && !received.has(id));
  if (lost.length > 0) problems.push(`${name}: ${lost.length} deliveries are 'delivered' and were never received`);
  const unknown = [...received].filter((id) => !found.some((delivery) => delivery.id === id));
  if (unknown.length > 0) problems.push(`${name}: ${unknown.length} ids were received that no delivery has`);
  return problems;
}

/** Counts the events of writes: one per write, and one more per trail that began with another write than its own. */
function countEvents(writes: readonly Write[]): number {
  const begun = new Set(writes.filter(({ kind }) => kind === 'trail').map(({ trail }) => trail));
  const implied = new Set(writes.map(({ trail }) => trail).filter((trail) => !begun.has(trail)));
  return writes.length + implied.size;
}

function problemOf(name: string, { id, state, next_attempt_at }: DeliveryJson): string[] {
  if (state === 'delivered' || state === 'dead') return [];
  const isScheduled = name === 'dead' && state === 'pending' && next_attempt_at > 0;
  return isScheduled ? [] : [`${name}: delivery ${id} is ${state}`];
}

const idsAt = (requests: readonly Received[], path: string): Set<string> =>
  new Set(requests.filter((request) => request.path === path).map(({ id }) => id));

interface Payload {
  trail: string;
  artifact?: { fingerprint: string };
  attestation?: { name: string };
}

/** Returns the events of the writes that no request with a valid signature described. */
function missingEvents(
  requests: readonly Received[],
  path: string,
  secret: string,
  writes: readonly Write[],
): string[] {
  const received = new Set<string>();
  for (const request of requests.filter((candidate) => candidate.path === path)) {
    const { trail, artifact, attestation } = readVerified(request, secret);
    received.add(artifact ? `artifact ${artifact.fingerprint}` : attestation ? `${trail} ${attestation.name}` : trail);
  }
  return writes
    .map(({ kind, trail, name, fingerprint }) => {
      if (kind === 'trail') return trail;
      return kind === 'artifact' ? `artifact ${fingerprint}` : `${trail} ${name}`;
    })
    .filter((event) => !received.has(event));
}

const payloads = new WeakMap<Received, Payload>();

/**
 * Verifies the signature of a request and returns its payload. Later calls return the remembered payload: a signature
 * is valid for five minutes only, and the checks run after the soak.
 *
 * @throws Error if the signature is not valid
 */
export function readVerified(request: Received, secret: string): Payload {
  const known = payloads.get(request);
  if (known) return known;
  const payload = verified(request, secret) as unknown as Payload;
  payloads.set(request, payload);
  return payload;
}

/**
 * Waits until an action has a delivery for each event and none is pending; deliveries to the target `dead` may stay
 * pending. Gives up after nothing has changed for `patienceMillis`.
 *
 * @returns the deliveries at the end of the wait
 */
export async function waitForDeliveries(
  stack: Stack,
  action: number,
  { name, most }: { name: string; most: number },
  patienceMillis: number,
): Promise<DeliveryJson[]> {
  let before = '';
  let changedAt = performance.now();
  for (;;) {
    const found = await listDeliveries(stack, action);
    const pending = name === 'dead' ? 0 : found.filter(({ state }) => state === 'pending').length;
    const now = `${found.length} ${pending}`;
    // Polled once more after all have arrived: a delivery too many would be a problem, too.
    if (now === before && found.length >= most && pending === 0) return found;
    if (now !== before) changedAt = performance.now();
    if (performance.now() - changedAt > patienceMillis) return found;
    before = now;
    await sleep(POLL_MILLIS);
  }
}

async function listDeliveries(stack: Stack, action: number): Promise<DeliveryJson[]> {
  const found: DeliveryJson[] = [];
  for (let cursor = ''; ; ) {
    const page = await stack.get<{ deliveries: DeliveryJson[]; next_cursor: string | null }>(
      `/actions/${action}/deliveries?per_page=100${cursor}`,
    );
    found.push(...page.deliveries);
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** @returns sentences about requested evaluations that are not completed or not listed */
export async function checkEvaluations(
  stack: Stack,
  { evaluations }: Pick<Ledger, 'evaluations'>,
  patienceMillis: number,
): Promise<string[]> {
  const deadline = performance.now() + patienceMillis;
  const problems: string[] = [];
  for (const id of evaluations) {
    for (;;) {
      const { status, result } = await stack.get<{ status: string; result: unknown }>(`/evaluations/${id}`);
      const isDone = status === 'completed' && result !== null;
      if (!isDone && status === 'pending' && performance.now() < deadline) {
        await sleep(POLL_MILLIS);
        continue;
      }
      if (!isDone) problems.push(`evaluation ${id} is ${status}`);
      break;
    }
  }
  const listed = new Set((await listEvaluations(stack)).map(({ id }) => id));
  return [...problems, ...evaluations.filter((id) => !listed.has(id)).map((id) => `evaluation ${id} is not listed`)];
}

async function listEvaluations(stack: Stack): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { evaluations } = await stack.get<{ evaluations: { id: string }[] }>(
      `/evaluations?page=${page}&per_page=${PER_PAGE}`,
    );
    found.push(...evaluations);
    if (evaluations.length < PER_PAGE) return found;
  }
}
