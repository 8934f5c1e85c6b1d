import { invalid } from '#shared/base/errors.ts';
import { withInput } from '#shared/base/validation.ts';
import type { VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import type { PolicyContent } from '#shared/policies/rules/policy.ts';
import { type FlowFacts, flowChecks, type PolicyWork, policyWork } from '#shared/policies/rules/work.ts';

/**
 * The most checks of one evaluation (rules/environments.md#large-reports). Measured: an evaluation of so many checks
 * stays below the time and the memory of a function (decisions/0166-checks-of-an-evaluation.md).
 */
export const MOST_CHECKS = 5_000_000;

interface Work {
  artifacts: number;
  /** Pairs of an artifact and a flow that has it. An artifact that no flow has counts as one. */
  places: number;
  rules: number;
  checks: number;
}

/** Called with how much work is about to begin. @throws ServiceError if it is too much */
export type CountChecks = (work: Work) => void;

const FEWER_ARTIFACTS =
  'Divide the artifacts between several environments, detach policies, or give the policies fewer rules';

/**
 * Returns a function that refuses an evaluation of too many checks. It is called before the work begins.
 * @param field the field of the request that the error names
 * @param remedy what the caller can do
 */
export function checkLimit(field: string, remedy = FEWER_ARTIFACTS): CountChecks {
  return ({ artifacts, places, rules, checks }) => {
    const total = Math.ceil(checks);
    if (total <= MOST_CHECKS) return;
    const text =
      `Evaluating ${artifacts} artifacts in ${places} flows by ${rules} rules takes ${total} checks, with their ` +
      `expressions and the attestations that they read. At most ${MOST_CHECKS} checks are possible. ${remedy}`;
    throw invalid({ [field]: withInput(text, total) });
  };
}

/**
 * Adds up the work of an evaluation.
 * @param artifacts per artifact, what it brings to the work in each of its flows; empty if no flow has it
 */
export function workOf(policies: PolicyWork, artifacts: readonly { name: string; flows: readonly FlowFacts[] }[]) {
  const facts = artifacts.flatMap(({ name, flows }) =>
    flows.length > 0 ? flows : [{ longestText: name.length, attestations: 0 }],
  );
  return {
    artifacts: artifacts.length,
    places: facts.length,
    rules: policies.rules,
    checks: facts.reduce((total, one) => total + flowChecks(policies, one), 0),
  };
}

/**
 * Refuses an assert that takes too many checks.
 * @param field the parameter of the query with which a caller asks for less
 * @param policies as often as each of them evaluates the artifact
 * @throws ServiceError `invalid`
 */
export function limitAssert(
  field: string,
  name: string,
  policies: readonly { content: PolicyContent }[],
  { verdicts, decisions }: { verdicts: readonly VerdictInFlow[]; decisions: readonly unknown[] },
): void {
  const flows = verdicts.map((verdict) => readFacts({ name }, verdict, decisions.length));
  const work = workOf(policyWork(policies.map(({ content }) => content)), [{ name, flows }]);
  checkLimit(`query.${field}`, 'Ask for fewer environments or policies in one request')(work);
}

export const unreadFacts = ({ name }: { name: string }): FlowFacts => ({ longestText: name.length, attestations: 0 });

/** @param decisions number of decisions on controls for the artifact */
export const readFacts = (
  { name }: { name: string },
  { flow, entries }: Pick<VerdictInFlow, 'flow' | 'entries'>,
  decisions: number,
): FlowFacts => ({
  longestText: Math.max(name.length, flow.name.length, ...Object.values(flow.tags).map((value) => value.length)),
  attestations: entries.length + decisions,
});
