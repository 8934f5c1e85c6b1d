import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { post, type Write } from '../story/ledger.ts';
import { type Answer, newFingerprint, type Stack } from '../story/stack-api.ts';

/** The clients of the soak, which run at the same time, and the ledger of what they sent. */

export const WRITERS = 14;
export const REPORTERS = 6;
export const READERS = 10;
export const EVALUATORS = 2;

/** A report of an environment in which one artifact starts. */
export interface Report {
  env: string;
  /** The artifact that starts. */
  fingerprint: string;
  answered: boolean;
}

/** A write with its sender. An idempotency key belongs to one sender (rules/requests.md#idempotency-key). */
export interface SentWrite extends Write {
  flow: string;
  sender: Stack;
}

/** A write to the release flow. It is sent again with the same idempotency key if it was not answered. */
export interface ReleaseWrite {
  kind: 'trail' | 'artifact' | 'attestation' | 'evaluation';
  trail: string;
  answered: boolean;
  send(): Promise<Answer>;
}

/** What the clients sent. */
export interface Ledger {
  writes: SentWrite[];
  reports: Report[];
  /** Writes to the flow whose artifacts run in environments with a policy. */
  releases: ReleaseWrite[];
  /** Ids of the evaluations that were answered with 201. */
  evaluations: string[];
}

export const FLOW = 'soaked';
/** A flow with few events. Only its events go to the slow and the dead target. */
export const QUIET_FLOW = 'quiet';
const SHARED_ROUNDS = 4;
const LARGE_BYTES = 6_000;
export const LONGEST_PAUSE_MILLIS = 500;
const TRIES = 4;

export const environmentOf = (reporter: number): string => `env-${reporter}`;

const isBusy = ({ status }: Answer) => status === 503 || status === 409;
export const isSuccess = ({ status }: Answer) => status === 200 || status === 201;

/** Retries a request that was answered with 503 or 409, as clients do; returns the last answer after {@link TRIES}. */
export async function retry(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send();
    if (!isBusy(answer) || attempt === TRIES) return answer;
    await sleep(randomInt(LONGEST_PAUSE_MILLIS));
  }
}

/** More often than the clients: nothing runs without what is made before the traffic. */
const MOST_TRIES = 200;

/** Repeats an attempt until it returns true. @throws Error after {@link MOST_TRIES} attempts */
export async function retryUntilDone(attempt: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < MOST_TRIES; i += 1) if (await attempt()) return;
  throw new Error(`Not done after ${MOST_TRIES} attempts`);
}

/** Runs one client until the soak is over. @param isRunning false after the end of the soak */
export type Client = (isRunning: () => boolean) => Promise<void>;

const pause = () => sleep(randomInt(LONGEST_PAUSE_MILLIS));

/** Begins trails of its own, attests, reports artifacts, and writes to a trail that all writers share. */
export const writer =
  (stack: Stack, ledger: Ledger, number: number): Client =>
  async (isRunning) => {
    const write = async (flow: string, entry: Omit<Write, 'key' | 'answered'>) => {
      const sent: SentWrite = {
        ...entry,
        flow,
        sender: stack,
        key: randomBytes(16).toString('hex'),
        answered: false,
      };
      ledger.writes.push(sent);
      sent.answered = isSuccess(await retry(() => post(stack, flow, sent)));
      await pause();
      return sent.answered;
    };
    for (let round = 1; isRunning(); round += 1) {
      const trail = `trail-${number}-${round}`;
      const fingerprint = newFingerprint();
      const large = { text: randomBytes(LARGE_BYTES).toString('base64') };
      const shared = `shared-${Math.ceil(round / SHARED_ROUNDS)}`;
      // Without an answer the rest of the round is skipped: the next write could create what this write should create.
      if (!(await write(FLOW, { trail, kind: 'trail', name: trail, userData: { begun: trail } }))) continue;
      await write(FLOW, { trail, kind: 'attestation', name: 'small', userData: { n: round } });
      if (!(await write(FLOW, { trail, kind: 'artifact', name: 'built', fingerprint, userData: {} }))) continue;
      await write(FLOW, { trail, kind: 'attestation', name: 'large', userData: large, fingerprint });
      const name = `shared-${number}-${round}`;
      await write(FLOW, { trail: shared, kind: 'attestation', name, userData: { n: round } });
      if (number === 0) await write(QUIET_FLOW, { trail, kind: 'trail', name: trail, userData: {} });
    }
  };

/** Reports a new artifact to an environment, and then the same report again. */
export const reporter =
  (stack: Stack, ledger: Ledger, number: number): Client =>
  async (isRunning) => {
    const env = environmentOf(number);
    while (isRunning()) {
      ledger.reports.push(await reportOf(stack, env, [newFingerprint()]));
    }
  };

/**
 * Reports what runs, and then the same again: if the first report was stored, the second one changes nothing.
 *
 * @param running fingerprints; the first one starts with this report
 */
export async function reportOf(stack: Stack, env: string, running: readonly string[]): Promise<Report> {
  const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
  const first = await retry(() => sendReport(stack, env, running, headers));
  await pause();
  const second = await retry(() => sendReport(stack, env, running));
  await pause();
  return { env, fingerprint: running[0] ?? '', answered: isSuccess(first) || isSuccess(second) };
}

/** Reports that artifacts run in an environment. @param running fingerprints */
export const sendReport = (
  stack: Pick<Stack, 'call'>,
  env: string,
  running: readonly string[],
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const artifacts = running.map((fingerprint) => ({
    digests: { service: fingerprint },
    creationTimestamp: 1_776_000_000,
  }));
  return stack.call('PUT', `/environments/${env}/report/server`, { json: { artifacts }, headers });
};

const READS = [
  '/flows',
  `/flows/${FLOW}`,
  '/trails?page=1&per_page=20',
  `/trails?flow=${FLOW}&page=2&per_page=5`,
  `/trails/${FLOW}/shared-1`,
  `/trails/${FLOW}/shared-1/moments`,
  '/artifacts?page=1&per_page=20',
  '/attestations?page=1&per_page=10',
  '/builds?page=1&per_page=5',
  '/environments',
  `/environments/${environmentOf(0)}`,
  `/environments/${environmentOf(1)}/events`,
  `/snapshots/${environmentOf(0)}`,
  `/snapshots/${environmentOf(0)}/-1`,
  '/actions',
  '/actions/1/deliveries?per_page=20',
  '/evaluations',
  '/policies',
  '/controls',
  '/environments/watched-0',
  '/snapshots/all-watched',
  '/trails/released',
  '/controls/SC-1',
];

/** Reads random resources, one time in twenty with a wrong key. */
export const reader =
  (stack: Stack, unauthorized: Stack): Client =>
  async (isRunning) => {
    while (isRunning()) {
      const path = READS[randomInt(READS.length)] ?? '/flows';
      await (randomInt(20) === 0 ? unauthorized : stack).call('GET', path);
      await pause();
    }
  };

const POLICY = 'package policy\n\nallow := count(input.trails) == 1\n';

/** Requests evaluations of a trail that is being written at the same time. */
export const evaluator =
  (stack: Stack, ledger: Ledger): Client =>
  async (isRunning) => {
    for (let n = 1; isRunning(); n += 1) {
      const json = {
        context: { trails: [{ flow: FLOW, trail: 'shared-1' }] },
        policy: { files: { 'policy.rego': POLICY } },
        params: { n },
      };
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const answer = await retry(() => stack.call('POST', '/evaluations', { json, headers }));
      if (answer.status === 201) ledger.evaluations.push((JSON.parse(answer.text) as { id: string }).id);
      await sleep(2 * LONGEST_PAUSE_MILLIS);
    }
  };
