import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkEvaluations, checkEvents, readSoon } from './check-events.ts';
import { type Books, checkEnvironments, checkEvidence, openBooks } from './check-writes.ts';
import type { FromStack, ToStack } from './messages.ts';
import { newAnswers, soakClient } from './soak-api.ts';
import { startTargets, type Targets, until } from './targets.ts';
import {
  ASKERS,
  asker,
  type Client,
  environmentOf,
  FLOW,
  type Ledger,
  QUIET_FLOW,
  READERS,
  REPORTERS,
  reader,
  reporter,
  WRITERS,
  writer,
} from './traffic.ts';

export interface SoakOptions {
  seconds: number;
  /** Where everything that the stack says is written to. */
  log: string;
  /** Told what the soak is about to do. */
  tell: (text: string) => void;
}

export interface Soaked {
  /** What should not be, as sentences. */
  problems: string[];
  writes: { answered: number; all: number };
  reports: { answered: number; all: number };
  evaluations: number;
  byStatus: Record<string, number>;
  faults: Record<string, number>;
}

const STACK = fileURLToPath(new URL('stack-process.ts', import.meta.url));
const ORG = 'acme';
const MEMBERS = ['ann', 'bob', 'cyd', 'dan'] as const;
/** What is owed to targets is given up once nothing has come for so long, in milliseconds. */
const PATIENCE = 420_000;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

/** Mixed traffic against a stack with faults in it, and the checker's findings afterwards. */
export async function soak({ seconds, log, tell }: SoakOptions): Promise<Soaked> {
  const keys = new Map(MEMBERS.map((user) => [user as string, `key-${randomBytes(24).toString('hex')}`]));
  const stranger = `key-${randomBytes(24).toString('hex')}`;
  const child = startChild(log);
  try {
    const { url, endpoints } = await ready(child, keys);
    const answers = newAnswers();
    const client = (number: number) => {
      const key = [...keys.values()][number % keys.size] ?? '';
      return soakClient(url, ORG, key, answers, [NOT_FOUND]);
    };
    const admin = client(0);
    tell('Making flows, environments and actions');
    await prepare(admin);
    const targets = await startTargets(admin);
    const issued = await issueKey(admin);
    // Signatures hold for five minutes: each request is read soon after it came.
    const unreadable = new Set<string>();
    const reading = setInterval(() => readAll(targets, unreadable), 1_000);
    try {
      const ledger: Ledger = { writes: [], reports: [], evaluations: [] };
      const wrong = soakClient(url, ORG, stranger, answers, [UNAUTHORIZED]);
      const account = soakClient(url, ORG, issued, answers, [NOT_FOUND]);
      const clients: Client[] = [
        ...Array.from({ length: WRITERS }, (_, i) => writer(i === 1 ? account : client(i), ledger, i)),
        ...Array.from({ length: REPORTERS }, (_, i) => reporter(client(i), ledger, i)),
        ...Array.from({ length: READERS }, (_, i) => reader(client(i), wrong)),
        ...Array.from({ length: ASKERS }, (_, i) => asker(client(i), ledger)),
      ];
      tell(`${clients.length} clients for ${seconds} seconds`);
      await run(clients, seconds);
      const faults = await clear(child);

      tell(`Checking ${ledger.writes.length} writes and ${ledger.reports.length} reports`);
      const books = await openBooks(endpoints, ORG);
      const problems = await Promise.all([
        blindness(admin, books, ledger),
        checkEvidence(admin, books, ledger).then(async (found) => {
          tell('Checking what targets were told');
          return [...found, ...(await checkEvents(admin, targets, ledger, PATIENCE))];
        }),
        checkEnvironments(books, ledger),
        checkEvaluations(admin, ledger, PATIENCE),
      ]);
      await endChild(child);
      const secrets = [...keys.values(), stranger, issued, ...targets.secrets];
      return {
        problems: [...answers.strange, ...unreadable, ...problems.flat(), ...logged(log, secrets)],
        writes: { answered: ledger.writes.filter(({ answered }) => answered).length, all: ledger.writes.length },
        reports: { answered: ledger.reports.filter(({ answered }) => answered).length, all: ledger.reports.length },
        evaluations: ledger.evaluations.length,
        byStatus: answers.byStatus,
        faults,
      };
    } finally {
      clearInterval(reading);
      await targets.receiver.stop();
    }
  } finally {
    await endChild(child);
  }
}

/** A checker that finds nothing must be one that would: a write that was never sent has to be missed. */
async function blindness(admin: Admin, books: Books, { writes }: Ledger): Promise<string[]> {
  const [one] = writes;
  if (!one) return ['nothing was written'];
  const never = { ...one, trail: 'never-begun', name: 'never-begun', answered: true };
  const found = await checkEvidence(admin, books, { writes: [never], reports: [], evaluations: [] });
  const missed = found.some((problem) => problem.includes('never-begun: is gone, though writes to it were answered'));
  return missed ? [] : ['the checker does not miss what was never written'];
}

function readAll({ names, receiver, secrets }: Targets, unreadable: Set<string>): void {
  for (const request of receiver.requests) {
    const target = names.findIndex((name) => request.path === `/${name}`);
    try {
      readSoon(request, secrets[target] ?? '');
    } catch (error) {
      unreadable.add(`${request.path} ${request.id}: ${String(error)}`);
    }
  }
}

function startChild(log: string): ChildProcess {
  const file = openSync(log, 'w');
  try {
    return fork(STACK, { stdio: ['ignore', file, file, 'ipc'] });
  } finally {
    closeSync(file);
  }
}

/** The next message of a kind. @throws Error when the stack ends instead */
async function message<K extends FromStack['kind']>(child: ChildProcess, kind: K) {
  const heard = new Promise<Extract<FromStack, { kind: K }>>((resolve) => {
    child.on('message', (one: FromStack) => {
      if (one.kind === kind) resolve(one as Extract<FromStack, { kind: K }>);
    });
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error('The stack ended; its log says why');
  });
  return Promise.race([heard, gone]);
}

function ready(child: ChildProcess, keys: ReadonlyMap<string, string>) {
  const members = [...keys].map(([user, api_key]) => ({ user, api_key, role: user === 'ann' ? 'admin' : 'member' }));
  const seed = { organizations: [{ name: ORG, features: ['controls', 'evaluations'], members }] };
  const answer = message(child, 'ready');
  child.send({ kind: 'start', seed } satisfies ToStack);
  return answer;
}

async function clear(child: ChildProcess): Promise<Record<string, number>> {
  const answer = message(child, 'cleared');
  child.send({ kind: 'clear' } satisfies ToStack);
  return (await answer).counts;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exited;
}

type Admin = ReturnType<typeof soakClient>;

async function prepare(admin: Admin): Promise<void> {
  const put = (path: string, json: unknown) =>
    until(async () => [200, 201].includes((await admin.call('PUT', path, { json })).status));
  for (const name of [FLOW, QUIET_FLOW]) await put('/flows', { name, template: [] });
  for (let i = 0; i < REPORTERS; i += 1) {
    await put('/environments', { name: environmentOf(i), type: 'server', description: '' });
  }
}

/** The key of a service account, made by the service itself. */
async function issueKey(admin: Admin): Promise<string> {
  const headers = (name: string) => ({ 'idempotency-key': name });
  const account = { name: 'builder', privilege: 'member' };
  await until(async () => {
    const { status } = await admin.call('POST', '/service-accounts', { json: account, headers: headers('account') });
    return status === 201;
  });
  let key = '';
  await until(async () => {
    const json = { description: 'soak' };
    const { status, text } = await admin.call('POST', '/service-accounts/builder/api-keys', { json });
    if (status === 201) key = (JSON.parse(text) as { key: string }).key;
    return status === 201;
  });
  return key;
}

async function run(clients: readonly Client[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  await Promise.all(clients.map((client) => client(() => performance.now() < end)));
}

/** Secrets that the log holds, by their place in the list: the report does not hold them either. */
function logged(log: string, secrets: readonly string[]): string[] {
  const text = readFileSync(log, 'utf8');
  if (!text.includes('"message":"request"')) return ['the log holds no requests: nothing was looked at'];
  return secrets.flatMap((secret, i) => (secret !== '' && text.includes(secret) ? [`the log holds secret ${i}`] : []));
}
