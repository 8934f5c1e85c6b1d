import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StageLimits } from '#shared/callers/request-limits.ts';
import { quantile } from '../../bench/timing.ts';
import { callsOf, type Stack } from '../../story/stack-api.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { endChild, startChild, startStackIn } from '../stack-child.ts';
import { FLOW, isSuccess } from '../traffic.ts';
import { type TenantWrite, writeAtPace } from './paced-writer.ts';

export interface TenantsOptions {
  /** Organizations that write at a low pace. */
  organizations: number;
  /** Organizations that write ten times as much as all others together, each. */
  flood: number;
  /** Writes in a second of each quiet organization. @default 0.2 */
  pace?: number | undefined;
  /** Length of each of the two phases. They begin after a third phase of a quarter of this length. */
  seconds: number;
  /** Limits of each organization and key. @default none */
  limits?: StageLimits | undefined;
  containers?: number | undefined;
  log: string;
  progress: (text: string) => void;
}

/** Milliseconds from a request to its answer, and to its notification at the target. */
interface Times {
  answer: { p50: number; p99: number };
  notification: { p50: number; p99: number };
  writes: number;
}

export interface TenantsReport {
  /** Sentences about answered writes that are not stored or not notified. */
  problems: string[];
  /** Times of the other organizations. */
  quiet: { without: Times; during: Times };
  /** Answers of the organizations that flood, by status. */
  flooders: Record<string, number>;
  answered: number;
}

/** Writes in a second of one quiet organization. */
const QUIET_PACE = 0.2;
const FLOOD_FACTOR = 10;
const WARM_SHARE = 4;
/** A client has a pool of connections, and a request without one waits in the client. */
const MOST_OPEN = 64;
const PER_PAGE = 100;
/** The checks stop waiting after nothing has arrived for this long. */
const PATIENCE_MILLIS = 60_000;
/** How often, and after which pause, the checks read a page again that was refused. */
const MOST_TRIES = 20;
const PAUSE_MILLIS = 1_000;

interface Tenant {
  name: string;
  stack: Pick<Stack, 'call' | 'get'>;
  writes: TenantWrite[];
}

/**
 * Runs two phases of the same quiet traffic of many organizations: alone, and while others flood the service. Then checks that each
 * answered write is stored and was notified, those of the flood too.
 */
export async function soakTenants(options: TenantsOptions): Promise<TenantsReport> {
  const { organizations, flood, seconds, limits, containers, log, progress, pace: quietPace = QUIET_PACE } = options;
  const names = [...labels('tenant', organizations), ...labels('flooder', flood)];
  const keys = new Map(names.map((name) => [name, `key-${randomBytes(24).toString('hex')}`]));
  const child = startChild(log);
  const receiver = await startReceiver();
  try {
    const { url } = await startStackIn(child, { seed: seedOf(keys), limits, containers, isCalm: true });
    const arrivals = arrivalsAt(receiver);
    const tenants = [...keys].map(([name, key]): Tenant => ({ name, stack: callsOf(url, name, key), writes: [] }));
    progress(`Making ${tenants.length} organizations`);
    for (const tenant of tenants) await prepare(tenant, receiver.url);
    const quiet = tenants.slice(0, organizations);
    const flooders = tenants.slice(organizations);
    const phase = async (label: string, pace: number, of: readonly Tenant[], lasting = seconds) => {
      const until = performance.now() + lasting * 1_000;
      const pacing = { perSecond: pace, open: MOST_OPEN, until };
      const done = await Promise.all(of.map(({ stack }) => writeAtPace(stack, label, pacing)));
      for (const [i, tenant] of of.entries()) tenant.writes.push(...(done[i] ?? []));
    };
    const floodPace = quietPace * organizations * FLOOD_FACTOR;
    // A flood starts further containers, and a machine needs seconds for each. Both phases begin after that.
    progress('Starting what both phases need');
    await Promise.all([
      phase('warm', quietPace, quiet, seconds / WARM_SHARE),
      phase('warm', floodPace, flooders, seconds / WARM_SHARE),
    ]);
    const problems = await untilNotified(tenants, arrivals);
    for (const tenant of tenants) tenant.writes.length = 0;
    progress(`${organizations} organizations for ${seconds} seconds, without a flood`);
    await phase('before', quietPace, quiet);
    progress(`The same, with ${flood} organizations that write ${FLOOD_FACTOR} times as much as all of them`);
    await Promise.all([phase('during', quietPace, quiet), phase('flood', floodPace, flooders)]);
    progress('Checking that nothing was lost');
    problems.push(...(await untilNotified(tenants, arrivals)), ...(await missingInLists(tenants)));
    const timesOf = (label: string) => timesOfWrites(quiet, label, arrivals);
    return {
      problems,
      quiet: { without: timesOf('before'), during: timesOf('during') },
      flooders: countBy(flooders.flatMap(({ writes }) => writes.map(({ status }) => `${status}`))),
      answered: tenants.flatMap(({ writes }) => writes).filter(isAnswered).length,
    };
  } finally {
    await endChild(child);
    await receiver.stop();
  }
}

const isAnswered = ({ status }: TenantWrite) => isSuccess({ status, text: '' });

const labels = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

const seedOf = (keys: ReadonlyMap<string, string>) => ({
  organizations: [...keys].map(([name, api_key]) => ({
    name,
    members: [{ user: `admin-of-${name}`, api_key, role: 'admin' }],
  })),
});

async function prepare({ name, stack }: Tenant, target: string): Promise<void> {
  const put = async (path: string, json: unknown) => {
    const answer = await stack.call('PUT', path, { json });
    if (!isSuccess(answer)) throw new Error(`PUT ${path} of ${name}: ${answer.status} ${answer.text}`);
  };
  await put('/flows', { name: FLOW, template: [] });
  await put('/actions/flows', {
    name: 'watched',
    targets: [{ type: 'WEBHOOK', webhook: `${target}/${name}` }],
    triggers: ['ON_ATTESTATION'],
    flows: [FLOW],
  });
}

/** The time of the first notification about each attestation, by `/organization attestation`. */
type Arrivals = ReadonlyMap<string, number>;

const keyOf = (organization: string, attestation: string) => `/${organization} ${attestation}`;

function arrivalsAt(receiver: Receiver): Arrivals {
  const arrivals = new Map<string, number>();
  receiver.answer = ({ path, body }) => {
    const [, attestation] = /"((?:warm|before|during|flood)-\d+)"/.exec(body) ?? [];
    const key = `${path} ${attestation}`;
    if (!arrivals.has(key)) arrivals.set(key, performance.now());
    return { status: 200 };
  };
  return arrivals;
}

/** Waits for the notifications of all answered writes. @returns sentences about those that did not come */
async function untilNotified(tenants: readonly Tenant[], arrivals: Arrivals): Promise<string[]> {
  const missing = () =>
    tenants.flatMap(({ name, writes }) =>
      writes
        .filter((write) => isAnswered(write) && !arrivals.has(keyOf(name, write.name)))
        .map((write) => keyOf(name, write.name)),
    );
  for (
    let [size, since] = [-1, performance.now()];
    missing().length > 0 && performance.now() - since < PATIENCE_MILLIS;
  ) {
    if (arrivals.size !== size) [size, since] = [arrivals.size, performance.now()];
    await sleep(500);
  }
  return missing().map((key) => `${key}: no notification came`);
}

/** Reads a page of attestations. An organization that flooded is still limited for a moment, so it is asked again. */
async function readPage(
  { call }: Pick<Stack, 'call'>,
  path: string,
): Promise<{ data: { attestation_name: string }[] }> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await call('GET', path);
    // Tests of the list check the form of its pages.
    if (status === 200) return JSON.parse(text) as { data: { attestation_name: string }[] };
    if (status !== 429 || tries === MOST_TRIES) throw new Error(`GET ${path}: ${status} ${text}`);
    await sleep(PAUSE_MILLIS);
  }
}

/** @returns sentences about answered writes that the lists of their organizations do not show */
async function missingInLists(tenants: readonly Tenant[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, stack, writes } of tenants) {
    const listed = new Set<string>();
    for (let page = 1; ; page += 1) {
      const path = `/attestations?page=${page}&per_page=${PER_PAGE}`;
      const { data } = await readPage(stack, path);
      for (const { attestation_name: attestation } of data) listed.add(attestation);
      if (data.length < PER_PAGE) break;
    }
    const gone = writes.filter((write) => isAnswered(write) && !listed.has(write.name));
    problems.push(...gone.map((write) => `${keyOf(name, write.name)}: is not in the list`));
  }
  return problems;
}

function timesOfWrites(tenants: readonly Tenant[], label: string, arrivals: Arrivals): Times {
  const answers: number[] = [];
  const notifications: number[] = [];
  for (const { name, writes } of tenants) {
    for (const write of writes.filter((one) => isAnswered(one) && one.name.startsWith(`${label}-`))) {
      answers.push(write.answeredAt - write.sentAt);
      const arrived = arrivals.get(keyOf(name, write.name));
      if (arrived !== undefined) notifications.push(arrived - write.sentAt);
    }
  }
  const of = (values: readonly number[]) => ({
    p50: Math.round(quantile(values, 0.5)),
    p99: Math.round(quantile(values, 0.99)),
  });
  return { answer: of(answers), notification: of(notifications), writes: answers.length };
}

const countBy = (words: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};
