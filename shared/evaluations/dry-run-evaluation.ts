import type { Micros } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Explanation, PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { buildInput } from './context.ts';
import { pinTrails } from './pin-trails.ts';
import type { Proof } from './records/evaluations.ts';
import type { PolicyToRun } from './request-evaluation.ts';
import { runPolicy } from './run-policy.ts';
import type { EvaluatingServices } from './services.ts';

interface DryRun {
  /** The instant as of which every trail was read. */
  recorded: Micros;
  outcome: PolicyOutcome;
  /** Null if the policy was not evaluated. */
  proof: Proof | null;
  explanation?: Explanation | undefined;
}

/**
 * Evaluates a policy at once and stores nothing (rules/evaluations.md#dry-run-of-an-evaluation).
 *
 * @param host address of the service, for the links in the input
 * @throws ServiceError `not-found` for an unknown trail
 */
export async function dryRunEvaluation(
  services: EvaluatingServices,
  org: Organization,
  host: string,
  { trails, at, files, params }: PolicyToRun,
  options: { explain: boolean },
): Promise<DryRun> {
  const { pins, recorded } = await pinTrails(services, org, trails, at);
  const policy = JSON.stringify(files);
  const context = await buildInput(services, org.id, pins, { host, org: org.name }, { policy, recorded });
  if ('problem' in context) {
    return { recorded, outcome: { outcome: 'error', kind: 'context_error', message: context.problem }, proof: null };
  }
  const texts = { policy, params, input: context.input };
  return { recorded, ...(await runPolicy(services, { recorded }, texts, options)) };
}
