import * as z from 'zod';
import { cutMembers } from '#shared/base/json-text.ts';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { fromSeconds, type Micros } from '#shared/base/time.ts';
import { invalidField, isDictionary, WITH_INVALID_ITEMS, withInput } from '#shared/base/validation.ts';
import type { PolicyToRun } from '#shared/evaluations/request-evaluation.ts';
import {
  AttestationName,
  ControlIdentifier,
  Fingerprint,
  FlowName,
  TrailName,
} from '#shared/evidence/rules/shared-fields.ts';

/** Maximum of trails in one evaluation (rules/evaluations.md#limits-of-evaluations). */
const MOST_TRAILS = 100;
/** Maximum size of all policy files together, in bytes (rules/evaluations.md#request). */
const POLICY_LIMIT = 5 * 1024 * 1024;
const MOST_FILES = 1_000;
const LONGEST_PATH = 1_024;

const PolicyFiles = z
  .record(z.string().min(1).max(LONGEST_PATH), z.string())
  .superRefine((files, { addIssue }) => {
    const texts = Object.values<unknown>(files);
    if (texts.length === 0 || texts.length > MOST_FILES) {
      const message = withInput(`A policy has 1 to ${MOST_FILES} files`, texts.length);
      return void addIssue({ code: 'custom', message, input: files });
    }
    const bytes = texts.reduce<number>(
      (sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0),
      0,
    );
    if (bytes <= POLICY_LIMIT) return;
    const message = withInput(`The files of a policy may have at most ${POLICY_LIMIT} bytes together`, bytes);
    addIssue({ code: 'custom', message, input: files });
  }, WITH_INVALID_ITEMS.map)
  .meta({
    minProperties: 1,
    maxProperties: MOST_FILES,
    description: 'Relative path → text: Rego modules, at least one of them with the package `policy`, and data files',
  });

/** The body of a request for an evaluation (rules/evaluations.md#request). */
export const EvaluationRequest = z
  .object({
    context: z
      .object({
        trails: z
          .array(
            z.object({
              flow: AnyFlowName.describe('Name of the flow'),
              trail: AnyTrailName.describe('Name of the trail'),
            }),
          )
          .min(1)
          .max(MOST_TRAILS)
          .describe('The trails that are evaluated'),
      })
      .describe('What is evaluated'),
    policy: z.object({ files: PolicyFiles }).describe('The policy program'),
    params: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Seen by the policy as `data.params`' }),
    decision: z
      .object({
        control: ControlIdentifier.describe('Identifier of the control that the decision is about'),
        name: AttestationName.nullish().meta({ description: 'Name of the attestation; default `<control>-decision`' }),
        flow: FlowName.describe('Name of the flow into which the decision is reported'),
        trail: TrailName.describe('Name of the trail into which the decision is reported'),
        fingerprint: Fingerprint.nullish().describe('SHA-256 of the artifact that the decision is about'),
      })
      .nullish()
      .meta({ description: 'Records the outcome as a decision; needs the feature `controls` too' }),
    recorded_at: z.number().min(0).nullish().meta({
      description: 'Seconds since the epoch, not in the future: trails are read as of this instant. Default: now',
    }),
  })
  .meta({ id: 'EvaluationRequest' });
export type EvaluationRequest = z.output<typeof EvaluationRequest>;

/** @throws ServiceError 400 on `recorded_at` for an instant in the future */
export function refuseFuture(sent: unknown, now: Micros): void {
  const seconds = isDictionary(sent) ? sent['recorded_at'] : undefined;
  if (typeof seconds !== 'number' || fromSeconds(seconds) <= now) return;
  throw invalidField('recorded_at', 'Input should not be in the future', seconds);
}

export const policyToRun = (body: EvaluationRequest, bodyText: string): PolicyToRun => ({
  trails: body.context.trails,
  at: body.recorded_at == null ? null : fromSeconds(body.recorded_at),
  files: body.policy.files,
  params: paramsText(body.params, bodyText),
});

/** Cuts the text of `params` out of the body, so that large numbers keep their digits. `{}` means none (rules/evaluations.md#parameters). */
const paramsText = (params: EvaluationRequest['params'], bodyText: string): string | null =>
  params == null || Object.keys(params).length === 0 ? null : (cutMembers(bodyText, ['params'])['params'] ?? null);
