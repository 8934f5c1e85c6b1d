import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { post, type Write } from '../story/ledger.ts';
import { type Answer, newFingerprint, type Stack } from '../story/stack-api.ts';

/** Thirty-two clients at once, and what they know was answered. */

export const WRITERS = 14;
export const REPORTERS = 6;
export const READERS = 10;
export const ASKERS = 2;

/** A report of what runs in an environment: one artifact that no other report names. */
export interface Report {
  env: string;
  fingerprint: string;
  answered: boolean;
}

/** A write with who sent it: a key to say that a request is the same is one of its sender's alone (design §3). */
export interface SentWrite extends Write {
  flow: string;
  sender: Stack;
}

/** Evaluations by their ids. */
export interface Ledger {
  writes: SentWrite[];
  reports: Report[];
  evaluations: string[];
}

export const FLOW = 'soaked';
/** Few events are told to slow and dead targets: those of this flow. */
export const QUIET_FLOW = 'quiet';
const SHARED_ROUNDS = 4;
const LARGE_BYTES = 6_000;
const LONGEST_PAUSE = 500;
const TRIES = 4;

export const environmentOf = (reporter: number): string => `env-${reporter}`;

const busy = ({ status }: Answer) => status === 503 || status === 409;
const succeeded = ({ status }: Answer) => status === 200 || status === 201;

/** Tries again what was not had because of a fault, as clients do, and gives up after a while. */
async function tried(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send();
    if (!busy(answer) || attempt === TRIES) return answer;
    await sleep(randomInt(LONGEST_PAUSE));
  }
}

/** One client from its beginning to the end of the soak. */
export type Client = (goesOn: () => boolean) => Promise<void>;

const pause = () => sleep(randomInt(LONGEST_PAUSE));

/** Begins trails of its own, gives evidence, reports artifacts, and meets other writers on a trail that they share. */
export const writer =
  (stack: Stack, ledger: Ledger, number: number): Client =>
  async (goesOn) => {
    const write = async (flow: string, entry: Omit<Write, 'key' | 'answered'>) => {
      const noted: SentWrite = {
        ...entry,
        flow,
        sender: stack,
        key: randomBytes(16).toString('hex'),
        answered: false,
      };
      ledger.writes.push(noted);
      noted.answered = succeeded(await tried(() => post(stack, flow, noted)));
      await pause();
      return noted.answered;
    };
    for (let round = 1; goesOn(); round += 1) {
      const trail = `trail-${number}-${round}`;
      const fingerprint = newFingerprint();
      const large = { text: randomBytes(LARGE_BYTES).toString('base64') };
      const shared = `shared-${Math.ceil(round / SHARED_ROUNDS)}`;
      // What was not had is left alone: the next write would stand where it should.
      if (!(await write(FLOW, { trail, kind: 'trail', name: trail, userData: { begun: trail } }))) continue;
      await write(FLOW, { trail, kind: 'attestation', name: 'small', userData: { n: round } });
      if (!(await write(FLOW, { trail, kind: 'artifact', name: 'built', fingerprint, userData: {} }))) continue;
      await write(FLOW, { trail, kind: 'attestation', name: 'large', userData: large, fingerprint });
      const name = `shared-${number}-${round}`;
      await write(FLOW, { trail: shared, kind: 'attestation', name, userData: { n: round } });
      if (number === 0) await write(QUIET_FLOW, { trail, kind: 'trail', name: trail, userData: {} });
    }
  };

/** Reports something new to an environment, then the same again. */
export const reporter =
  (stack: Stack, ledger: Ledger, number: number): Client =>
  async (goesOn) => {
    const env = environmentOf(number);
    while (goesOn()) {
      const noted: Report = { env, fingerprint: newFingerprint(), answered: false };
      ledger.reports.push(noted);
      const artifacts = [{ digests: { service: noted.fingerprint }, creationTimestamp: 1_776_000_000 }];
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const send = () => stack.call('PUT', `/environments/${env}/report/server`, { json: { artifacts }, headers });
      noted.answered = succeeded(await tried(send));
      await pause();
      // Unchanged where the first was had, and the report itself where not.
      if (
        succeeded(await tried(() => stack.call('PUT', `/environments/${env}/report/server`, { json: { artifacts } })))
      ) {
        noted.answered = true;
      }
      await pause();
    }
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
];

/** Reads here and there, with a wrong key now and then. */
export const reader =
  (stack: Stack, stranger: Stack): Client =>
  async (goesOn) => {
    while (goesOn()) {
      const path = READS[randomInt(READS.length)] ?? '/flows';
      await (randomInt(20) === 0 ? stranger : stack).call('GET', path);
      await pause();
    }
  };

const POLICY = 'package policy\n\nallow := count(input.trails) == 1\n';

/** Asks for evaluations of a trail that is written meanwhile. */
export const asker =
  (stack: Stack, ledger: Ledger): Client =>
  async (goesOn) => {
    for (let n = 1; goesOn(); n += 1) {
      const json = {
        context: { trails: [{ flow: FLOW, trail: 'shared-1' }] },
        policy: { files: { 'policy.rego': POLICY } },
        params: { n },
      };
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const answer = await tried(() => stack.call('POST', '/evaluations', { json, headers }));
      if (answer.status === 201) ledger.evaluations.push((JSON.parse(answer.text) as { id: string }).id);
      await sleep(2 * LONGEST_PAUSE);
    }
  };
