import { setTimeout as sleep } from 'node:timers/promises';
import type { Write } from '../story/ledger.ts';
import type { Stack } from '../story/stack-api.ts';
import { type Received, verified } from '../support/receiver.ts';
import type { Targets } from './targets.ts';
import { type Ledger, QUIET_FLOW } from './traffic.ts';

/** Finds every event told, or in the books as given up or still to be tried; and every evaluation done. */

interface DeliveryJson {
  id: string;
  event: { id: string; type: string };
  state: 'pending' | 'delivered' | 'dead' | 'discarded';
  next_attempt_at: number;
  attempts: { outcome: string }[];
}

const LOOK_MILLIS = 1_000;
const PER_PAGE = 50;

/**
 * Waits until the targets that answer were told of every write, as long as something still comes: behind storms the relay
 * is minutes late.
 * @returns what is missing, told twice under two ids, or told without a delivery in the books
 */
export async function checkEvents(
  stack: Stack,
  { names, receiver, secrets }: Targets,
  { writes }: Ledger,
  patienceMillis: number,
): Promise<string[]> {
  const quiet = writes.filter(({ flow }) => flow === QUIET_FLOW);
  const owed = { faltering: writes, slow: quiet, dead: quiet };
  const problems: string[] = [];
  for (const [i, name] of names.entries()) {
    const most = eventsOf(owed[name]);
    const found = await settled(stack, i + 1, { name, most }, patienceMillis);
    const events = new Set(found.map(({ event }) => event.id));
    if (events.size !== found.length) problems.push(`${name}: ${found.length} deliveries of ${events.size} events`);
    if (events.size !== most) problems.push(`${name}: ${events.size} events in the books, ${most} in the ledger`);
    problems.push(...found.flatMap((delivery) => problemOf(name, delivery)));
    const told = idsAt(receiver.requests, `/${name}`);
    const untold = found.filter(({ id, state }) => state === 'delivered' && !told.has(id));
    if (untold.length > 0) problems.push(`${name}: ${untold.length} delivered in the books were never received`);
    const strangers = [...told].filter((id) => !found.some((delivery) => delivery.id === id));
    if (strangers.length > 0)
      problems.push(`${name}: ${strangers.length} received under ids that are not in the books`);
    const missing = missingEvents(receiver.requests, `/${name}`, secrets[i] ?? '', owed[name]);
    if (name !== 'dead' && missing.length > 0)
      problems.push(`${name}: was not told of ${missing.slice(0, 3).join(', ')}`);
  }
  return problems;
}

/** Every write is an event, and a trail that somebody's first write began is one more. */
function eventsOf(writes: readonly Write[]): number {
  const begun = new Set(writes.filter(({ kind }) => kind === 'trail').map(({ trail }) => trail));
  const implied = new Set(writes.map(({ trail }) => trail).filter((trail) => !begun.has(trail)));
  return writes.length + implied.size;
}

function problemOf(name: string, { id, state, next_attempt_at }: DeliveryJson): string[] {
  if (state === 'delivered' || state === 'dead') return [];
  const tried = name === 'dead' && state === 'pending' && next_attempt_at > 0;
  return tried ? [] : [`${name}: delivery ${id} is ${state}`];
}

const idsAt = (requests: readonly Received[], path: string): Set<string> =>
  new Set(requests.filter((request) => request.path === path).map(({ id }) => id));

interface Payload {
  trail: string;
  artifact?: { fingerprint: string };
  attestation?: { name: string };
}

/** What no request with a sound signature told of. Signatures were made long ago: only what they cover is compared. */
function missingEvents(
  requests: readonly Received[],
  path: string,
  secret: string,
  writes: readonly Write[],
): string[] {
  const told = new Set<string>();
  for (const request of requests.filter((one) => one.path === path)) {
    const { trail, artifact, attestation } = readSoon(request, secret);
    told.add(artifact ? `artifact ${artifact.fingerprint}` : attestation ? `${trail} ${attestation.name}` : trail);
  }
  return writes
    .map(({ kind, trail, name, fingerprint }) => {
      if (kind === 'trail') return trail;
      return kind === 'artifact' ? `artifact ${fingerprint}` : `${trail} ${name}`;
    })
    .filter((event) => !told.has(event));
}

const readings = new WeakMap<Received, Payload>();

/** Signatures hold for five minutes: each request is read as it comes, and kept. */
export function readSoon(request: Received, secret: string): Payload {
  const known = readings.get(request);
  if (known) return known;
  const payload = verified(request, secret) as unknown as Payload;
  readings.set(request, payload);
  return payload;
}

/**
 * All deliveries of an action once there are as many as there were events and nothing is pending any more, of a dead
 * target as they are; what there is once nothing has changed for so long.
 */
async function settled(
  stack: Stack,
  action: number,
  { name, most }: { name: string; most: number },
  patienceMillis: number,
): Promise<DeliveryJson[]> {
  let before = '';
  let changedAt = performance.now();
  for (;;) {
    const found = await deliveries(stack, action);
    const pending = name === 'dead' ? 0 : found.filter(({ state }) => state === 'pending').length;
    const now = `${found.length} ${pending}`;
    // Looked at once more when all are there: one too many would be a problem, too.
    if (now === before && found.length >= most && pending === 0) return found;
    if (now !== before) changedAt = performance.now();
    if (performance.now() - changedAt > patienceMillis) return found;
    before = now;
    await sleep(LOOK_MILLIS);
  }
}

async function deliveries(stack: Stack, action: number): Promise<DeliveryJson[]> {
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

/** @returns evaluations that were answered and are not done */
export async function checkEvaluations(
  stack: Stack,
  { evaluations }: Ledger,
  patienceMillis: number,
): Promise<string[]> {
  const deadline = performance.now() + patienceMillis;
  const problems: string[] = [];
  for (const id of evaluations) {
    for (;;) {
      const { status, result } = await stack.get<{ status: string; result: unknown }>(`/evaluations/${id}`);
      const sound = status === 'completed' && result !== null;
      if (!sound && status === 'pending' && performance.now() < deadline) {
        await sleep(LOOK_MILLIS);
        continue;
      }
      if (!sound) problems.push(`evaluation ${id} is ${status}`);
      break;
    }
  }
  const listed = new Set((await listedEvaluations(stack)).map(({ id }) => id));
  return [...problems, ...evaluations.filter((id) => !listed.has(id)).map((id) => `evaluation ${id} is not listed`)];
}

async function listedEvaluations(stack: Stack): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { evaluations } = await stack.get<{ evaluations: { id: string }[] }>(
      `/evaluations?page=${page}&per_page=${PER_PAGE}`,
    );
    found.push(...evaluations);
    if (evaluations.length < PER_PAGE) return found;
  }
}
