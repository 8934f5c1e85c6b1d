import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkEvaluations, checkEvents, readVerified } from './check-events.ts';
import { checkNotices, checkReleases } from './check-releases.ts';
import { checkVerdicts } from './check-verdicts.ts';
import { checkEnvironments, checkEvidence } from './check-writes.ts';
import { prepareReleases, RELEASERS, releaser } from './releases.ts';
import { newAnswers, soakClient } from './soak-api.ts';
import { endChild, startChild, startStackIn, stopFaults } from './stack-child.ts';
import { openStoredData, type StoredData } from './stored-data.ts';
import { startTargets, TARGETS, type Targets } from './targets.ts';
import {
  type Client,
  EVALUATORS,
  environmentOf,
  evaluator,
  FLOW,
  type Ledger,
  QUIET_FLOW,
  READERS,
  REPORTERS,
  reader,
  reporter,
  retryUntilDone,
  WRITERS,
  writer,
} from './traffic.ts';

export interface SoakOptions {
  seconds: number;
  /** Runs each function from its bundle in up to this many processes. @default from the sources, in one process */
  containers?: number | undefined;
  /** File for the output of the stack. */
  log: string;
  /** Called with a sentence before each phase. */
  progress: (text: string) => void;
}

export interface SoakReport {
  /** One sentence for each thing that is wrong. */
  problems: string[];
  writes: { answered: number; all: number };
  reports: { answered: number; all: number };
  releases: { answered: number; all: number };
  evaluations: number;
  byStatus: Record<string, number>;
  faults: Record<string, number>;
}

const ORG = 'acme';
const MEMBERS = ['ann', 'bob', 'cyd', 'dan'] as const;
/** The checks stop waiting after the data has not changed for this long. */
const PATIENCE_MILLIS = 420_000;
/** Calls that a function's rights did not allow, in the report. */
const MOST_REFUSED = 5;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

/** Runs mixed traffic against a stack with injected faults, and then checks what is stored, delivered and logged. */
export async function soak({ seconds, containers, log, progress }: SoakOptions): Promise<SoakReport> {
  const keys = new Map(MEMBERS.map((user) => [user as string, `key-${randomBytes(24).toString('hex')}`]));
  const unknownKey = `key-${randomBytes(24).toString('hex')}`;
  const child = startChild(log);
  try {
    const { url, endpoints } = await start(child, keys, containers);
    const answers = newAnswers();
    const client = (number: number) => {
      const key = [...keys.values()][number % keys.size] ?? '';
      return soakClient(url, ORG, key, answers, [NOT_FOUND]);
    };
    const admin = client(0);
    progress('Making flows, environments and actions');
    await prepare(admin);
    const targets = await startTargets(admin);
    const issued = await issueKey(admin);
    // A signature is valid for five minutes, so each request is verified soon after it came.
    const unreadable = new Set<string>();
    const reading = setInterval(() => verifyAll(targets, unreadable), 1_000);
    try {
      const ledger: Ledger = { writes: [], reports: [], releases: [], evaluations: [] };
      const stored = await openStoredData(endpoints, ORG);
      const releasers = Array.from({ length: RELEASERS }, (_, i) => releaser(client(i), ledger, i));
      progress('Making the first releases');
      await Promise.all(releasers.map((one) => one.start(stored)));
      const wrong = soakClient(url, ORG, unknownKey, answers, [UNAUTHORIZED]);
      const account = soakClient(url, ORG, issued, answers, [NOT_FOUND]);
      const clients: Client[] = [
        ...Array.from({ length: WRITERS }, (_, i) => writer(i === 1 ? account : client(i), ledger, i)),
        ...Array.from({ length: REPORTERS }, (_, i) => reporter(client(i), ledger, i)),
        ...Array.from({ length: READERS }, (_, i) => reader(client(i), wrong)),
        ...Array.from({ length: EVALUATORS }, (_, i) => evaluator(client(i), ledger)),
        ...releasers.map((one) => one.run),
      ];
      progress(`${clients.length} clients for ${seconds} seconds`);
      await run(clients, seconds);
      const faults = await stopFaults(child);

      progress(`Checking ${ledger.writes.length} writes and ${ledger.reports.length} reports`);
      const problems = await Promise.all([
        checkTheChecker(admin, stored, ledger),
        checkEvidence(admin, stored, ledger).then(async (found) => {
          progress('Checking the deliveries');
          return [...found, ...(await checkEvents(admin, targets, ledger, PATIENCE_MILLIS))];
        }),
        checkEnvironments(stored, ledger),
        checkEvaluations(admin, ledger, PATIENCE_MILLIS),
        checkReleases(admin, stored, ledger, PATIENCE_MILLIS),
      ]);
      progress('Checking the verdicts of the environments');
      problems.push(await checkVerdicts(admin, stored, PATIENCE_MILLIS));
      problems.push(await checkNotices(admin, stored, targets, PATIENCE_MILLIS));
      await endChild(child);
      const secrets = [...keys.values(), unknownKey, issued, ...targets.secrets];
      return {
        problems: [...answers.unexpected, ...unreadable, ...problems.flat(), ...checkLog(log, secrets)],
        writes: { answered: ledger.writes.filter(({ answered }) => answered).length, all: ledger.writes.length },
        reports: { answered: ledger.reports.filter(({ answered }) => answered).length, all: ledger.reports.length },
        releases: { answered: ledger.releases.filter(({ answered }) => answered).length, all: ledger.releases.length },
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

/** Checks that the checker can fail: it must report a write that was never sent. */
async function checkTheChecker(admin: Admin, stored: StoredData, { writes }: Ledger): Promise<string[]> {
  const [write] = writes;
  if (!write) return ['nothing was written'];
  const never = { ...write, trail: 'never-begun', name: 'never-begun', answered: true };
  const found = await checkEvidence(admin, stored, { writes: [never] });
  const isReported = found.some((problem) =>
    problem.includes('never-begun: is gone, though writes to it were answered'),
  );
  return isReported ? [] : ['the checker does not report a write that was never sent'];
}

function verifyAll({ receiver, secrets }: Targets, unreadable: Set<string>): void {
  for (const request of receiver.requests) {
    const target = TARGETS.findIndex((name) => request.path === `/${name}`);
    try {
      readVerified(request, secrets[target] ?? '');
    } catch (error) {
      unreadable.add(`${request.path} ${request.id}: ${String(error)}`);
    }
  }
}

function start(child: ChildProcess, keys: ReadonlyMap<string, string>, containers: number | undefined) {
  const members = [...keys].map(([user, api_key]) => ({ user, api_key, role: user === 'ann' ? 'admin' : 'member' }));
  const seed = { organizations: [{ name: ORG, features: ['controls', 'evaluations'], members }] };
  return startStackIn(child, { seed, containers });
}

type Admin = ReturnType<typeof soakClient>;

async function prepare(admin: Admin): Promise<void> {
  const put = (path: string, json: unknown) =>
    retryUntilDone(async () => [200, 201].includes((await admin.call('PUT', path, { json })).status));
  for (const name of [FLOW, QUIET_FLOW]) await put('/flows', { name, template: [] });
  for (let i = 0; i < REPORTERS; i += 1) {
    await put('/environments', { name: environmentOf(i), type: 'server', description: '' });
  }
  await prepareReleases(admin);
}

/** Makes a service account over the API and returns a key of it. */
async function issueKey(admin: Admin): Promise<string> {
  const headers = (name: string) => ({ 'idempotency-key': name });
  const account = { name: 'builder', privilege: 'member' };
  await retryUntilDone(async () => {
    const { status } = await admin.call('POST', '/service-accounts', { json: account, headers: headers('account') });
    return status === 201;
  });
  let key = '';
  await retryUntilDone(async () => {
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

/**
 * @returns sentences about refused calls and about secrets in the log; a sentence gives the secret's place in the list, not the
 *   secret
 */
function checkLog(log: string, secrets: readonly string[]): string[] {
  const text = readFileSync(log, 'utf8');
  if (!text.includes('"message":"request"')) return ['the log holds no requests, so there is nothing to check'];
  const refused = new Set(text.match(/^User: .* is not authorized.*$/gm));
  return [
    ...[...refused].slice(0, MOST_REFUSED),
    ...secrets.flatMap((secret, i) => (secret !== '' && text.includes(secret) ? [`the log holds secret ${i}`] : [])),
  ];
}
