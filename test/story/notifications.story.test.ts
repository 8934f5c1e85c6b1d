import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { type Received, startReceiver, verified } from '#test/support/receiver.ts';
import { nodeStart, temporaryDir } from '#test/support/stack-process.ts';
import { type Stack, seedWithKey, stackApi } from './stack-api.ts';

interface ActionJson {
  is_failing: boolean;
  last_success_timestamp: number;
  last_failure_timestamp: number;
  targets: { type: string; last_success_at: number; last_failure_at: number }[];
}
interface DeliveryJson {
  id: string;
  state: string;
  attempts: { attempt: number; status: number | null; outcome: string }[];
}

const TIMEOUT = { timeout: 150_000 };
/** Few, so that no writer of the one trail loses every race on a busy machine. Stories of their own cover races. */
const WRITERS = 3;

const action = (stack: Stack) => stack.get<ActionJson>('/actions/1');

async function deliveries(stack: Stack): Promise<DeliveryJson[]> {
  const found: DeliveryJson[] = [];
  for (let cursor = ''; ; ) {
    const path = `/actions/1/deliveries?per_page=100${cursor}`;
    const page = await stack.get<{ deliveries: DeliveryJson[]; next_cursor: string | null }>(path);
    found.push(...page.deliveries);
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

async function attest(stack: Stack, trail: string, name: string): Promise<void> {
  const form = { attestation_name: name, is_compliant: true };
  const { status, text } = await stack.call('POST', `/attestations/web/trail/${trail}/generic`, { form });
  if (status !== 201) throw new Error(`${name}: ${status} ${text}`);
}

const ids = (requests: readonly Received[]) => new Set(requests.map(({ id }) => id));

it('sends one signed request per event; while the receiver fails, the action is failing, and retries keep the id', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const dataDir = temporaryDir();
  const process = await nodeStart(dataDir, '--seed', seedWithKey(), '--allow-local-targets');
  const file = await process.ready();
  const stack = stackApi(file);
  const targets = [
    { type: 'WEBHOOK', webhook: `${receiver.url}/hook` },
    { type: 'CHAT', webhook: `${receiver.url}/chat` },
    { type: 'EMAIL', emails: ['ann@example.com', 'bob@example.com'] },
  ];
  const triggers = ['ON_STARTED_TRAIL', 'ON_ATTESTATION'];
  const saved = await stack.call('PUT', '/actions/flows', { json: { name: 'tell', targets, triggers } });
  expect(saved).toEqual({ status: 200, text: '"OK"' });
  const { secret } = await stack.get<{ secret: string }>('/actions/1/signing-secret');
  expect(await action(stack)).toMatchObject({ is_failing: false, last_success_timestamp: 0 });
  const hooks = () => receiver.requests.filter(({ path }) => path === '/hook');

  const EVENTS = 60;
  await attest(stack, 'run', 'event-0');
  await inParallel(
    Array.from({ length: EVENTS - 2 }, (_, i) => i + 1),
    WRITERS,
    (i) => attest(stack, 'run', `event-${i}`),
  );
  await expect.poll(() => ids(hooks()).size, TIMEOUT).toBe(EVENTS);
  const payloads = hooks().map((request) => verified(request, secret));
  expect(hooks()).toHaveLength(EVENTS);
  expect(new Set(payloads.map(({ attestation }) => (attestation as { name: string } | undefined)?.name)).size).toBe(
    EVENTS,
  );
  await expect.poll(() => receiver.requests.filter(({ path }) => path === '/chat').length, TIMEOUT).toBe(EVENTS);
  expect(JSON.parse(receiver.requests.find(({ path }) => path === '/chat')?.body ?? '')).toHaveProperty('text');
  const { mail } = JSON.parse(readFileSync(`${dataDir}/stack.json`, 'utf8')) as { mail: string };
  await expect.poll(() => readdirSync(mail).filter((name) => name.endsWith('.eml')).length, TIMEOUT).toBe(EVENTS);
  await expect.poll(() => action(stack), TIMEOUT).toMatchObject({ is_failing: false });

  receiver.answer = ({ path }) => ({ status: path === '/hook' ? 503 : 200 });
  await attest(stack, 'run', 'meanwhile');
  await expect.poll(() => action(stack), TIMEOUT).toMatchObject({ is_failing: true });
  const failing = await action(stack);
  expect(failing.last_failure_timestamp).toBeGreaterThan(0);
  expect(failing.targets.map(({ type, last_failure_at }) => [type, last_failure_at > 0])).toEqual([
    ['WEBHOOK', true],
    ['CHAT', false],
    ['EMAIL', false],
  ]);
  const seen = (await deliveries(stack)).filter(({ attempts }) => attempts.some(({ outcome }) => outcome === 'failed'));
  expect(seen).toHaveLength(1);
  expect(seen[0]?.attempts[0]).toMatchObject({ attempt: 1, status: 503, outcome: 'failed' });

  receiver.answer = () => ({ status: 200 });
  await expect.poll(() => action(stack), TIMEOUT).toMatchObject({ is_failing: false });
  expect(ids(hooks()).size).toBe(EVENTS + 1);
  const all = await deliveries(stack);
  expect(all.filter(({ state }) => state !== 'delivered')).toEqual([]);
  expect(all).toHaveLength(3 * (EVENTS + 1));
  expect(all.find(({ id }) => id === seen[0]?.id)?.attempts.length).toBeGreaterThan(1);

  const before = hooks().length;
  const tested = await stack.call('POST', '/actions/1/test');
  expect(tested.status).toBe(200);
  await expect.poll(() => hooks().length, TIMEOUT).toBe(before + 1);
  expect(verified(hooks().at(-1) as Received, secret)).toMatchObject({ test: true });
  process.signalAll('SIGTERM');
  const { stdout, stderr } = await process.exit();
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm '))).toEqual([]);
  expect(stdout).not.toContain('"level":"ERROR"');
});
