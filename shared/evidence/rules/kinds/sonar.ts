import * as z from 'zod';
import { HttpUrlOrEmpty } from '../addresses.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const Condition = z.looseObject({
  metric: z.string().nullish(),
  errorThreshold: z.string().nullish(),
  operator: z.string().nullish(),
  value: z.string().nullish(),
  status: z.string().nullish(),
});

const SonarReport = z
  .object({
    ...withAttachments,
    sonar_results: z.looseObject({
      serverUrl: HttpUrlOrEmpty.nullish(),
      taskId: z.string().nullish(),
      status: z.string().nullish(),
      analysedAt: z.string().nullish(),
      revision: z.string().nullish(),
      project: z
        .looseObject({ key: z.string().nullish(), name: z.string().nullish(), url: HttpUrlOrEmpty.nullish() })
        .nullish(),
      branch: z.looseObject({ name: z.string().nullish(), type: z.string().nullish() }).nullish(),
      pullRequest: z.unknown().optional(),
      qualityGate: z.looseObject({ status: z.string().nullish(), conditions: z.array(Condition).nullish() }).nullish(),
    }),
  })
  .check(namesNeedCommit)
  .meta({ id: 'SonarAttestation', description: 'A code analysis. Compliant when its quality gate is OK.' });

/** A code analysis (rules/attestations.md#code-analysis). Without a quality gate it is non-compliant. */
export const sonarKind = attestationKind({
  type: 'sonar',
  segments: ['sonar'],
  schema: SonarReport,
  verdict: ({ sonar_results }) => sonar_results.qualityGate?.status === 'OK',
  evidence: ({ sonar_results }) => ({ sonar_results }),
});
