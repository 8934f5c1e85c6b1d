import { setTimeout as sleep } from 'node:timers/promises';
import { evaluateMessages } from '#functions/evaluator/work.ts';
import { relay } from '#functions/relay/relay.ts';
import { startStack } from '#infra/local/stack.ts';
import type { Log } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { benchEngines, printEngines } from './engines.ts';
import { HOSTILE, longPolicy, STAGES } from './evaluation-policies.ts';

/**
 * `npm run bench:evaluations -- [attestations]`: first compares the engine with the client's (engines.ts), then measures how long evaluations take from their request to their end, with
 * nothing else in the queue. Prints the figures. Ends with 1 if an evaluation took too long or had a wrong outcome.
 */

const TRAILS = 10;
const ATTESTATIONS = 500;
const ROUNDS = 3;
/** One in this many attestations has user data that is stored in the bucket. */
const LARGE_EVERY = 50;
const LARGE_CHARACTERS = 12_000;
const KEY = 'key-of-the-bench';
const ORG = 'bench';
const POLL_MILLIS = 10;

/** The longest that an evaluation of a normal and of a hostile policy may take. */
const MOST_SECONDS = 5;
const MOST_HOSTILE_SECONDS = 15;
const HOSTILE_KINDS = ['policy_timeout', 'policy_invalid'];

const NORMAL = 'package policy\n\nallow if input.trail.name == "trail-0"\n';

interface Evaluation {
  id: string;
  status: string;
  requested_at: number;
  result: { allow: boolean; violations: string[] } | null;
  error: { kind: string; message: string } | null;
}

/** How one evaluation ended, and after how many seconds from its `requested_at`. */
interface Ended {
  name: string;
  seconds: number;
  outcome: string;
  isAsExpected: boolean;
}

const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

/** Starts a stack in memory, fills trails, and evaluates normal and hostile policies. */
export async function benchEvaluations(attestations: number): Promise<Ended[]> {
  const stack = await startStack({
    port: 0,
    seed: async (services) => {
      const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
      await applySeed(services, { organizations: [{ name: ORG, features: ['evaluations'], members }] });
    },
    relay: (services) => (event) => relay(event, services),
    evaluator: (services) => (event) => evaluateMessages(event, services, { log: onlyErrors }),
    log: onlyErrors,
  });
  try {
    const calls = callsOf(stack.url, ORG, KEY);
    await fill(calls, attestations);
    console.error(`${TRAILS} trails of ${attestations} attestations are stored`);
    // The stream keeps the order of writes: after this evaluation, the relay is done with all earlier writes.
    await evaluateNormal(calls);
    const all: Ended[] = [];
    const report = (ended: Ended) => {
      console.error(
        `${ended.isAsExpected ? ' ' : '!'} ${ended.seconds.toFixed(2).padStart(6)} s  ${ended.name}: ${ended.outcome}`,
      );
      all.push(ended);
    };
    for (let round = 1; round <= ROUNDS; round += 1) report(await evaluateLong(calls, attestations));
    for (const [name, lines] of Object.entries(HOSTILE)) {
      report(await evaluateHostile(calls, name, `package policy\n\n${lines}\n`));
      report(await evaluateNormal(calls));
    }
    return all;
  } finally {
    await stack.stop();
  }
}

type Calls = ReturnType<typeof callsOf>;

/** @throws Error if the answer is not 201 */
async function post<T>({ call }: Calls, path: string, json: unknown): Promise<T> {
  const { status, text } = await call('POST', path, { json });
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}

const trailName = (n: number): string => `trail-${n}`;

/** Fills all trails in parallel. The attestations of a trail are written in sequence, because they would conflict. */
async function fill(calls: Calls, attestations: number): Promise<void> {
  await inParallel(Array.from({ length: TRAILS }).keys(), TRAILS, async (n) => {
    for (let i = 0; i < attestations; i += 1) {
      const text = i % LARGE_EVERY === 0 ? randomText(LARGE_CHARACTERS) : `build ${i} of ${trailName(n)}`;
      const userData = {
        stage: `stage-${(i % STAGES) + 1}`,
        seconds: i % 60,
        text,
        tags: ['nightly', `shard-${i % 7}`],
      };
      const common = { attestation_name: `check-${i}`, user_data: userData };
      const kind = i % 2 === 0 ? 'generic' : 'junit';
      const path = `/attestations/web/trail/${trailName(n)}/${kind}`;
      await post(calls, path, kind === 'generic' ? common : { ...common, junit_results: [suite(i)] });
    }
  });
}

const suite = (i: number) => ({
  name: `suite-${i}`,
  total: 40 + (i % 9),
  failures: 0,
  errors: 0,
  skipped: i % 3,
  duration: 1.5,
  timestamp: 1_790_000_000 + i,
});

const randomText = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');

/** Requests an evaluation and polls it. @returns the finished evaluation and the seconds that it took */
async function evaluate(calls: Calls, trails: readonly number[], policy: string) {
  const request = {
    context: { trails: trails.map((n) => ({ flow: 'web', trail: trailName(n) })) },
    policy: { files: { 'policy.rego': policy } },
    params: { most_seconds: 60 },
  };
  let evaluation = await post<Evaluation>(calls, '/evaluations', request);
  while (evaluation.status === 'pending') {
    await sleep(POLL_MILLIS);
    evaluation = await calls.get<Evaluation>(`/evaluations/${evaluation.id}`);
  }
  return { ...evaluation, seconds: Date.now() / 1000 - evaluation.requested_at };
}

const outcomeOf = ({ result, error }: Pick<Evaluation, 'result' | 'error'>): string =>
  error ? `${error.kind}: ${error.message.slice(0, 100)}` : `allow ${result?.allow}`;

async function evaluateLong(calls: Calls, attestations: number): Promise<Ended> {
  const policy = longPolicy();
  const all = Array.from({ length: TRAILS }, (_, n) => n);
  const found = await evaluate(calls, all, policy);
  const lines = policy.split('\n').length - 1;
  return {
    name: `${TRAILS} trails of ${attestations} attestations, ${lines} lines`,
    seconds: found.seconds,
    outcome: outcomeOf(found),
    isAsExpected: found.result?.allow === true && found.seconds <= MOST_SECONDS,
  };
}

async function evaluateHostile(calls: Calls, name: string, policy: string): Promise<Ended> {
  const found = await evaluate(calls, [0], policy);
  const isAsExpected = HOSTILE_KINDS.includes(found.error?.kind ?? '') && found.seconds <= MOST_HOSTILE_SECONDS;
  return { name, seconds: found.seconds, outcome: outcomeOf(found), isAsExpected };
}

async function evaluateNormal(calls: Calls): Promise<Ended> {
  const found = await evaluate(calls, [0], NORMAL);
  const isAsExpected = found.result?.allow === true && found.seconds <= MOST_SECONDS;
  return { name: '  a normal policy after it', seconds: found.seconds, outcome: outcomeOf(found), isAsExpected };
}

if (import.meta.main) {
  printEngines(await benchEngines());
  const ended = await benchEvaluations(Number(process.argv[2] ?? ATTESTATIONS));
  console.log(JSON.stringify(ended, null, 2));
  process.exitCode = ended.every(({ isAsExpected }) => isAsExpected) ? 0 : 1;
}
