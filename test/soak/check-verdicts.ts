import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '#shared/base/time.ts';
import { readAttachedPolicies } from '#shared/environments/attached-policies.ts';
import { evaluateArtifacts } from '#shared/environments/evaluate.ts';
import { runningRows } from '#shared/environments/next-content.ts';
import { readAllowed } from '#shared/environments/records/allowed.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { readContent } from '#shared/environments/records/snapshots.ts';
import { decisionsOf } from '#shared/environments/rules/content.ts';
import { logicalState } from '#shared/environments/rules/logical.ts';
import { snapshotVerdict } from '#shared/policies/rules/verdicts.ts';
import { testName } from '#test/support/ids.ts';
import type { Stack } from '../story/stack-api.ts';
import { GROUP, WATCHED } from './releases.ts';
import type { StoredData } from './stored-data.ts';
import { environmentOf, isSuccess, REPORTERS, retry, sendReport } from './traffic.ts';

/** Checks that the verdict that each environment shows equals one that is computed from the evidence as it is now. */

/** What an environment says about what runs in it. */
interface Verdict {
  state: boolean | null;
  /** By fingerprint. `flows`: names of flow and trail, sorted. */
  artifacts: Record<string, { compliant: boolean | null; decisions: unknown; flows: string[] }>;
}

interface SnapshotJson {
  artifacts: {
    fingerprint: string;
    compliant: boolean | null;
    policy_decisions: unknown;
    flows: { flow_name: string; trail_name: string }[];
    annotation: { now: number };
  }[];
}
interface EnvironmentJson {
  name: string;
  state: boolean | null;
}

const POLL_MILLIS = 2_000;
/** Characters of a verdict in a sentence. */
const LONGEST_TEXT = 2_000;

/**
 * Compares the verdicts of all environments of the organization. Reports of what runs come again meanwhile, as reporters
 * send them every minute: a raised mark takes effect with the next report.
 *
 * @param patienceMillis how long a verdict may differ. A sweep raises a lost mark after minutes
 * @returns sentences about environments that are missing, and about verdicts that differ
 */
export async function checkVerdicts(
  stack: Pick<Stack, 'call' | 'get'>,
  stored: StoredData,
  patienceMillis: number,
): Promise<string[]> {
  const physical = [...Array.from({ length: REPORTERS }, (_, i) => environmentOf(i)), ...WATCHED];
  const listed = (await stack.get<EnvironmentJson[]>('/environments')).map(({ name }) => name).toSorted();
  const expected = [...physical, GROUP].toSorted();
  const missing = isDeepStrictEqual(listed, expected) ? [] : [`the environments are ${listed}, not ${expected}`];
  const until = performance.now() + patienceMillis;
  const differing = await Promise.all(physical.map((env) => untilEqual(env, until, () => compare(stack, stored, env))));
  const group = await untilEqual(GROUP, until, () => compareGroup(stack));
  return [...missing, ...differing.flat(), ...group, ...checkTheComparison()];
}

/** Repeats a comparison until it finds no difference. @returns the last difference at the end of the time */
async function untilEqual(env: string, until: number, compared: () => Promise<string | null>): Promise<string[]> {
  for (;;) {
    const difference = await compared();
    if (difference === null) return [];
    if (performance.now() > until) return [`${env}: ${difference}`];
    await sleep(POLL_MILLIS);
  }
}

async function compare(stack: Pick<Stack, 'call' | 'get'>, stored: StoredData, env: string): Promise<string | null> {
  const [shown, fresh] = await Promise.all([shownVerdict(stack, env), freshVerdict(stored, env)]);
  const running = Object.keys(fresh.artifacts);
  if (running.length === 0) return 'nothing runs there';
  if (!isSuccess(await retry(() => sendReport(stack, env, running)))) return 'the report was refused';
  return difference(shown, fresh);
}

/** @returns a sentence about the difference, or null */
const difference = (shown: Verdict, fresh: Verdict): string | null =>
  isDeepStrictEqual(shown, fresh)
    ? null
    : `the shown verdict is ${textOf(shown)}, and the present evidence gives ${textOf(fresh)}`;

const textOf = (verdict: Verdict): string => JSON.stringify(verdict).slice(0, LONGEST_TEXT);

async function shownVerdict(stack: Pick<Stack, 'get'>, env: string): Promise<Verdict> {
  const { state } = await stack.get<EnvironmentJson>(`/environments/${env}`);
  const { artifacts } = await stack.get<SnapshotJson>(`/snapshots/${env}/-1`);
  const running = artifacts.filter(({ annotation }) => annotation.now > 0);
  return {
    state,
    artifacts: Object.fromEntries(
      running.map(({ fingerprint, compliant, policy_decisions: decisions, flows }) => [
        fingerprint,
        { compliant, decisions, flows: flows.map((flow) => `${flow.flow_name}/${flow.trail_name}`).toSorted() },
      ]),
    ),
  };
}

/** Evaluates what runs, without anything that was stored about earlier evaluations. */
async function freshVerdict({ table, objects, org }: StoredData, env: string): Promise<Verdict> {
  const head = await findEnvironment(table, org, testName(env));
  const content = head && (await readContent(table, objects, org, head.id, head.index));
  if (!head || !content) return { state: null, artifacts: {} };
  const running = runningRows(content);
  const allowed = readAllowed(table, org, head, new Set(running.map(({ fingerprint }) => fingerprint)));
  const policies = readAttachedPolicies({ table, objects }, { id: org }, head.policies);
  const evaluated = await evaluateArtifacts(
    { table, objects },
    { id: org },
    running,
    policies,
    allowed,
    systemClock().now(),
  );
  const { state } = snapshotVerdict(
    evaluated.map(({ compliant }) => compliant),
    head.policies.length > 0,
  );
  return {
    state,
    artifacts: Object.fromEntries(
      evaluated.map(({ fingerprint, compliant, evaluations, flows }) => [
        fingerprint,
        {
          compliant,
          decisions: decisionsOf({ flows, evaluations }),
          flows: flows.map(({ name, trailName }) => `${name}/${trailName}`).toSorted(),
        },
      ]),
    ),
  };
}

/** Compares the state of the logical environment with the states of its members. */
async function compareGroup(stack: Pick<Stack, 'get'>): Promise<string | null> {
  const stateOf = async (env: string) => (await stack.get<EnvironmentJson>(`/environments/${env}`)).state;
  const states = await Promise.all(WATCHED.map(stateOf));
  const [shown, fresh] = [await stateOf(GROUP), logicalState(states)];
  return shown === fresh ? null : `the state is ${shown}, and the states of its members give ${fresh}`;
}

/** Checks that the comparison can fail. */
function checkTheComparison(): string[] {
  const artifact = { compliant: true, decisions: [], flows: [] };
  const right: Verdict = { state: true, artifacts: { a: artifact } };
  const wrong: Verdict[] = [
    { ...right, state: false },
    { ...right, artifacts: { a: { ...artifact, compliant: false } } },
    { ...right, artifacts: {} },
  ];
  const isWorking = difference(right, right) === null && wrong.every((one) => difference(one, right) !== null);
  return isWorking ? [] : ['the comparison of verdicts does not find differences'];
}
