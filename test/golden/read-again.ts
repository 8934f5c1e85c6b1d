import { createHash } from 'node:crypto';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { micros } from '#shared/base/time.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { databaseAddress } from '#test/support/table.ts';
import { normalized, type OwnTraces } from './answers.ts';
import { CALLERS, type Caller, type Golden, type GoldenAnswer, type ReadRequest } from './golden-file.ts';
import { goldenServices } from './golden-services.ts';
import { writeStored } from './stored-data.ts';

/** Groups without records. Their files need the build of the console and of the reference. */
const WITHOUT_RECORDS = ['reference', 'console'];
export const readableGroups = groups.filter(({ name }) => !WITHOUT_RECORDS.includes(name));

/** Asks requests in the same order. @returns today's answers, without what differs between any two runs */
export type AskAgain = (requests: readonly ReadRequest[]) => Promise<GoldenAnswer[]>;

/** Loads a golden table into a new table and a new bucket, and lets the callers ask there. */
export async function loaded({ about, ...stored }: Omit<Golden, 'answers'>): Promise<AskAgain> {
  const { s3, ...services } = await goldenServices(micros(about.readAt));
  const api = await testApi(readableGroups, { ...services, witness: { logs: about.witnessed } });
  await writeStored({ database: databaseAddress(), table: services.table.name, s3 }, stored);
  const issued = await Promise.all(
    CALLERS.map(async (caller) => [caller, await keyOf(api, about.callers[caller])] as const),
  );
  const keys = new Map<Caller, { id: string; key: string }>(issued);
  const traces = { keys: [...keys.values()].map(({ id }) => id) };
  return async (requests) => {
    const answers: GoldenAnswer[] = [];
    // One after another: the clock moves with each request.
    for (const request of requests) {
      const key = keys.get(request.caller)?.key;
      const answer = await api.call('GET', request.path, { query: request.query, ...(key !== undefined && { key }) });
      answers.push({ ...request, ...goldenAnswer(answer, traces) });
    }
    return answers;
  };
}

async function keyOf({ services }: TestApi, user: string): Promise<{ id: string; key: string }> {
  const command = { command: 'issue-key', user, description: 'Reads a golden table' };
  const { ok, message, id, key } = (await runOperator(services, command)) as Record<string, unknown>;
  if (ok !== true) throw new Error(String(message));
  return { id: String(id), key: String(key) };
}

function goldenAnswer(answer: TestAnswer, traces: OwnTraces): Pick<GoldenAnswer, 'status' | 'type' | 'body'> {
  const { status, headers, text, bytes, json } = answer;
  const type = headers['content-type'] ?? '';
  const location = headers['location'];
  const body = json ?? location ?? (isText(type) ? text : digestOf(bytes));
  return { status, type, body: normalized(body, traces) as GoldenAnswer['body'] };
}

const isText = (type: string): boolean => /^text\/|json/.test(type);
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Requests of operations that today's code has. Code of an older release has no answer to newer ones. */
export function known(requests: readonly GoldenAnswer[]): GoldenAnswer[] {
  const operations = new Set(readableGroups.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation)));
  return requests.filter(({ operation }) => operations.has(operation));
}
