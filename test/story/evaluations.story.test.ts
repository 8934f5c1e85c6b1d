import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nodeStart, startDatabaseOfTest, temporaryDir } from '#test/support/stack-process.ts';
import { organizationApi, type Stack, seedWithKey, stackApi } from './stack-api.ts';

type Calls = Pick<Stack, 'call' | 'get'>;

const END_MILLIS = 150_000;
/** A message whose worker failed comes again after this time. An evaluation below takes less time. */
const VISIBILITY_MILLIS = '10000';

interface EvaluationJson {
  id: string;
  status: string;
  recorded_at: number;
  result: { allow: boolean; violations: string[] } | null;
  error: { kind: string; message: string } | null;
  decision_attestation_id: string | null;
  proof: Record<string, string> | null;
}

const read = (stack: Calls, id: string) => stack.get<EvaluationJson>(`/evaluations/${id}`);

async function begin(stack: Calls, trail: string): Promise<void> {
  const { status, text } = await stack.call('PUT', '/trails/web', { form: { name: trail } });
  if (status !== 200 && status !== 201) throw new Error(`${trail}: ${status} ${text}`);
}

async function attest(stack: Calls, trail: string, json: object): Promise<void> {
  const { status, text } = await stack.call('POST', `/attestations/web/trail/${trail}/generic`, { json });
  if (status !== 201) throw new Error(`${trail}: ${status} ${text}`);
}

/** Asks for an evaluation of trails of the flow `web`. */
async function request(
  stack: Calls,
  trails: readonly string[],
  policy: string,
  more: object = {},
): Promise<EvaluationJson> {
  const context = { trails: trails.map((trail) => ({ flow: 'web', trail })) };
  const json = { context, policy: { files: { 'policy.rego': policy } }, params: {}, ...more };
  const { status, text } = await stack.call('POST', '/evaluations', { json });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as EvaluationJson;
}

/** Waits until an evaluation has ended and, if `isDecided`, until its decision is recorded. */
async function ended(stack: Calls, id: string, isDecided = false): Promise<EvaluationJson> {
  let found: EvaluationJson | undefined;
  const isOver = async () => {
    found = await read(stack, id);
    return found.status !== 'pending' && (!isDecided || found.decision_attestation_id !== null);
  };
  await expect.poll(isOver, { timeout: END_MILLIS, interval: 50 }).toBe(true);
  if (!found) throw new Error(`Evaluation ${id} was never read`);
  return found;
}

const ATTESTED = `package policy

default allow := false

allow if count(violations) == 0

violations contains msg if {
	some name, entry in input.trail.compliance_status.attestations_statuses
	not entry.is_compliant
	msg := sprintf("%s of round %d", [name, entry.user_data.round])
}
`;

it('evaluates a trail in its state at an earlier instant, and a replay gives the same result', {
  timeout: 240_000,
}, async () => {
  const stack = await organizationApi();
  const evaluated = async (more: object = {}) => ended(stack, (await request(stack, ['run'], ATTESTED, more)).id);
  await attest(stack, 'run', { attestation_name: 'tests', is_compliant: false, user_data: { round: 1 } });
  const before = await evaluated();
  const denied = { allow: false, violations: ['tests of round 1'] };
  expect(before).toMatchObject({ status: 'completed', result: denied });

  await attest(stack, 'run', { attestation_name: 'tests', is_compliant: true, user_data: { round: 2 } });
  await attest(stack, 'run', { attestation_name: 'lint', is_compliant: true, user_data: { round: 2 } });
  const now = await evaluated();
  const then = await evaluated({ recorded_at: before.recorded_at });
  expect(now.result).toEqual({ allow: true, violations: [] });
  expect(then).toMatchObject({ status: 'completed', recorded_at: before.recorded_at, result: denied });
  // The input of the same instant has the same hash; the input of another instant has another hash.
  expect(then.proof).toEqual(before.proof);
  expect(now.proof?.['input_sha256']).not.toBe(before.proof?.['input_sha256']);

  for (const { id, result, proof } of [before, now, then]) {
    const { status, text } = await stack.call('POST', `/evaluations/${id}/replay`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { id, replayed_at: expect.any(Number), identical: true, result, error: null, proof },
    ]);
  }
  const early = await evaluated({ recorded_at: before.recorded_at - 3600 });
  expect(early).toMatchObject({ status: 'failed', result: null, error: { kind: 'context_error' } });
});

/** A policy that needs seconds to evaluate. */
const SLOW = `package policy

default allow := false

allow if count([1 | some a in numbers.range(1, 3000); some b in numbers.range(1, 1000); a * b < 0]) == 0
`;

/** When the server is killed: milliseconds after the answer, or as soon as the verdict can be read. */
const KILLS = [0, 300, 900, 'completed'] as const;

it('completes an evaluation once and records one decision, although the server is killed meanwhile', {
  timeout: 600_000,
}, async () => {
  const dataDir = temporaryDir();
  const seed = seedWithKey();
  const flags = ['--database', await startDatabaseOfTest(), '--visibility-ms', VISIBILITY_MILLIS];
  const start = () => nodeStart(dataDir, '--seed', seed, ...flags);
  const asked: { id: string; trail: string }[] = [];
  const found: string[] = [];
  for (const kill of KILLS) {
    const process = await start();
    const stack = stackApi(await process.ready());
    const last = asked.at(-1);
    if (last) found.push((await read(stack, last.id)).status);

    const trail = `killed-${kill}`;
    await begin(stack, trail);
    const decision = { control: 'C-1', flow: 'web', trail };
    const { id } = await request(stack, [trail], SLOW, { decision });
    asked.push({ id, trail });
    if (kill === 'completed') await ended(stack, id);
    else await sleep(kill);
    stack.kill();
    await process.exit();
  }
  // At least one kill must have come during an evaluation.
  expect(found).toContain('pending');

  const process = await start();
  const stack = stackApi(await process.ready());
  const decided: string[] = [];
  for (const { id, trail } of asked) {
    const evaluation = await ended(stack, id, true);
    expect(evaluation).toMatchObject({ status: 'completed', result: { allow: true, violations: [] }, error: null });
    const { events } = await stack.get<{ events: { attestation_id?: string }[] }>(`/trails/web/${trail}`);
    const attested = events.flatMap(({ attestation_id: attestation }) => attestation ?? []);
    expect(attested, trail).toEqual([evaluation.decision_attestation_id]);
    decided.push(...attested);
  }
  const { data } = await stack.get<{ data: { attestation_id: string }[] }>('/attestations?attestation_type=decision');
  expect(data.map(({ attestation_id }) => attestation_id).toSorted()).toEqual(decided.toSorted());
  const { total_count } = await stack.get<{ total_count: number }>('/evaluations?per_page=1');
  expect(total_count).toBe(KILLS.length);
});
