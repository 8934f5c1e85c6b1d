import * as z from 'zod';
import { EnvironmentId, FlowId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { StoredMicros, toSeconds } from '#shared/base/time.ts';

/** What a package of evidence is about, by ids and by the names at the start (rules/exports.md#packages). */
export const PackageScope = z.discriminatedUnion('type', [
  z.object({ type: z.literal('artifact'), flow: FlowId, flowName: AnyFlowName, fingerprint: StoredFingerprint }),
  z.object({ type: z.literal('trail'), flow: FlowId, flowName: AnyFlowName, trail: AnyTrailName }),
  z.object({
    type: z.literal('snapshot'),
    environment: EnvironmentId,
    environmentName: AnyEnvironmentName,
    index: z.number(),
  }),
  z.object({ type: z.literal('evaluation'), evaluation: z.string() }),
  z.object({
    type: z.literal('period'),
    environment: EnvironmentId,
    environmentName: AnyEnvironmentName,
    from: StoredMicros,
    to: StoredMicros,
  }),
]);
export type PackageScope = z.infer<typeof PackageScope>;

/** Names what a package is about, for readers: `snapshot 12 of environment prod`. */
export function scopeText(scope: PackageScope): string {
  switch (scope.type) {
    case 'artifact':
      return `artifact ${scope.fingerprint} of flow ${scope.flowName}`;
    case 'trail':
      return `trail ${scope.trail} of flow ${scope.flowName}`;
    case 'snapshot':
      return `snapshot ${scope.index} of environment ${scope.environmentName}`;
    case 'evaluation':
      return `evaluation ${scope.evaluation}`;
    case 'period':
      return `environment ${scope.environmentName} from ${isoText(scope.from)} to ${isoText(scope.to)}`;
  }
}

const isoText = (at: z.infer<typeof StoredMicros>): string => new Date(toSeconds(at) * 1000).toISOString();
