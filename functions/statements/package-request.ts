import * as z from 'zod';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { earliestOf, fromSeconds, type Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import type { WantedEvidence } from '#shared/exports/packages/start-package.ts';

const FLOW = { flow: AnyFlowName.describe('Name of the flow') };
const ENVIRONMENT = { environment: AnyEnvironmentName.describe('Name of the environment') };
const seconds = z.number().min(0);

/** What a package of evidence is asked for (rules/exports.md#start-of-a-package). */
export const PackageRequest = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('artifact').meta({ description: 'Evidence of an artifact: its trails of the flow' }),
        ...FLOW,
        fingerprint: Fingerprint.describe('SHA-256 of the artifact as 64 hex digits'),
      })
      .meta({ id: 'PackageOfArtifact' }),
    z
      .object({
        type: z.literal('trail').meta({ description: 'Evidence of a trail' }),
        ...FLOW,
        trail: AnyTrailName.describe('Name of the trail'),
      })
      .meta({ id: 'PackageOfTrail' }),
    z
      .object({
        type: z.literal('snapshot').meta({ description: 'Evidence of a snapshot and of the artifacts in it' }),
        ...ENVIRONMENT,
        index: z.int().min(1).meta({ description: 'Number of the snapshot, from 1 on' }),
      })
      .meta({ id: 'PackageOfSnapshot' }),
    z
      .object({
        type: z.literal('evaluation').meta({ description: 'Evidence of an evaluation and of the trails that it read' }),
        evaluation: z.string().meta({ description: 'Id of the evaluation' }),
      })
      .meta({ id: 'PackageOfEvaluation' }),
    z
      .object({
        type: z.literal('period').meta({ description: 'Evidence of what ran in an environment during a period' }),
        ...ENVIRONMENT,
        start_ts: seconds.meta({ description: 'Begin of the period in seconds since the epoch' }),
        end_ts: seconds.meta({
          description: 'End of the period in seconds since the epoch; an instant in the future is now',
        }),
      })
      .meta({ id: 'PackageOfPeriod' }),
  ])
  .meta({ id: 'PackageRequest' });
type PackageRequest = z.infer<typeof PackageRequest>;

/** @throws ServiceError if a period is reversed, or begins in the future */
export function wantedEvidence(body: PackageRequest, now: Micros): WantedEvidence {
  if (body.type !== 'period') return body;
  const { type, environment, start_ts: start, end_ts: end } = body;
  const from = fromSeconds(start);
  const to = earliestOf(now, fromSeconds(end));
  if (from > to) {
    throw invalidField('start_ts', 'Input should be less than or equal to end_ts and not in the future', start);
  }
  return { type, environment, from, to };
}
