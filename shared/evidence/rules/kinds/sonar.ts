import * as z from 'zod';
import { HttpUrlOrEmpty } from '../addresses.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const Condition = z.looseObject({
  metric: z.string().nullish().describe('The measured property'),
  errorThreshold: z.string().nullish().describe('The value at which the condition fails'),
  operator: z.string().nullish().describe('How value and threshold are compared'),
  value: z.string().nullish().describe('The measured value'),
  status: z.string().nullish().describe('Outcome of the condition'),
});

const SonarReport = z
  .object({
    ...withAttachments,
    sonar_results: z
      .looseObject({
        serverUrl: HttpUrlOrEmpty.nullish().describe('Address of the analysis server'),
        taskId: z.string().nullish().describe('Id of the analysis task'),
        status: z.string().nullish().describe('State of the analysis task'),
        analysedAt: z.string().nullish().describe('When the code was analysed'),
        revision: z.string().nullish().describe('The commit that was analysed'),
        project: z
          .looseObject({
            key: z.string().nullish().describe('Key of the project'),
            name: z.string().nullish().describe('Name of the project'),
            url: HttpUrlOrEmpty.nullish().describe('The address'),
          })
          .nullish()
          .describe('The project that was analysed'),
        branch: z
          .looseObject({
            name: z.string().nullish().describe('Name of the branch'),
            type: z.string().nullish().describe('Type of the branch'),
          })
          .nullish()
          .describe('The branch that was analysed'),
        pullRequest: z.unknown().optional().describe('The pull request that was analysed'),
        qualityGate: z
          .looseObject({
            status: z.string().nullish().describe('Outcome of the quality gate'),
            conditions: z.array(Condition).nullish().describe('The conditions of the quality gate'),
          })
          .nullish()
          .describe('The quality gate that decides the verdict'),
      })
      .describe('The results of the code analysis'),
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
