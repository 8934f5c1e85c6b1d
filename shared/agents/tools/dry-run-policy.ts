import { dryRunPolicy as dryRun } from '#shared/environments/snapshots/dry-run-policy.ts';
import { readGivenPolicy } from '#shared/policies/rules/given-policy.ts';
import { PolicyName } from '#shared/policies/rules/policy-name.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { quote } from '../rules/quote.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { environmentCitations, environmentName, policyText } from './fields.ts';

/** Tries a policy on what runs in an environment (rules/agents.md#tools). */
export const dryRunPolicy = tool({
  name: 'dry_run_policy',
  title: 'What would a policy change?',
  description:
    'Evaluates what runs in an environment under the text of an environment policy that is not stored, beside the attached ones: which verdicts would change, and why. Nothing is stored. Takes YAML, version 1.',
  input: {
    environment: environmentName,
    name: PolicyName.describe('Name of the policy. Its attached version, if any, is left out'),
    policy: policyText.describe('Text of the policy, in YAML'),
  },
  access: 'member',
  run: async ({ services, org, host }, { environment, name, policy }) => {
    const trial = { name, environment, ...readGivenPolicy(policy) };
    const { head, artifacts } = await dryRun(services, org, trial, 'environment');
    const changed = artifacts.filter(({ current, tried }) => current !== tried);
    return {
      verdict: `Of ${artifacts.length} running artifacts, ${changed.length} would get another verdict in ${quote(environment)}, by snapshot ${head.index}.`,
      facts: {
        environment: quote(environment),
        snapshot: head.index,
        running: artifacts.length,
        compliant: artifacts.filter(({ tried }) => tried).length,
        changed: changed.length,
      },
      rows: changed.map(({ name: artifact, fingerprint, current, tried, flows, result }) => {
        const why = reasonsOf([decisionOf(result, flows)]);
        const reason = why.length === 0 ? '' : `: ${quote(why.join('; '), 400)}`;
        return {
          sentence: `${quote(artifact)} is ${stateWord(current)} now and would be ${stateWord(tried)}${reason}`,
          facts: { artifact: quote(artifact), fingerprint, compliant_now: current, would_be_compliant: tried },
        };
      }),
      ask: 'Try the policy on the page of the environment.',
      citations: environmentCitations({ host, org }, environment),
    };
  },
});
