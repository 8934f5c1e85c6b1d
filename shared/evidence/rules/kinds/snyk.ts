import * as z from 'zod';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const Vulnerability = z.looseObject({
  id: z.string().nullish().describe('Id of the finding'),
  message: z.string().nullish().describe('Text of the finding'),
  locations: z
    .array(
      z.looseObject({
        uri: z.string().nullish().describe('Path of the file'),
        lines: z.unknown().optional().describe('Lines of the file'),
      }),
    )
    .nullish()
    .describe('Where the finding is'),
  priority_score: z.number().nullish().describe('Priority of the finding; a higher number is more urgent'),
});

const ScanResult = z.looseObject({
  high_count: z.number().min(0).describe('Number of findings of high severity'),
  medium_count: z.number().min(0).describe('Number of findings of medium severity'),
  low_count: z.number().min(0).describe('Number of findings of low severity'),
  high: z.array(Vulnerability).nullish().describe('Findings of high severity'),
  medium: z.array(Vulnerability).nullish().describe('Findings of medium severity'),
  low: z.array(Vulnerability).nullish().describe('Findings of low severity'),
});

const SnykReport = z
  .object({
    ...withAttachments,
    snyk_results: z
      .looseObject({
        schema_version: z.number().nullish().describe('Version of the format'),
        tool: z
          .looseObject({
            name: z.string().nullish().describe('Name of the tool'),
            version: z.string().nullish().describe('Version of the tool'),
          })
          .nullish()
          .describe('The tool that made the results'),
        results: z.array(ScanResult).nullable().describe('One entry for each scanned project'),
      })
      .describe('The results of the security scan'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'SnykAttestation', description: 'Results of a vulnerability scan. Compliant when nothing was found.' });

const hasFindings = (result: z.output<typeof ScanResult>) =>
  [result.high_count, result.medium_count, result.low_count].some((count) => count > 0) ||
  [result.high, result.medium, result.low].some((list) => list != null && list.length > 0);

/**
 * A vulnerability scan (rules/attestations.md#vulnerability-scan). A finding of any severity makes it non-compliant.
 */
export const snykKind = attestationKind({
  type: 'snyk',
  segments: ['snyk'],
  schema: SnykReport,
  verdict: ({ snyk_results }) => !(snyk_results.results ?? []).some(hasFindings),
  evidence: ({ snyk_results }) => ({ snyk_results: { ...snyk_results, results: snyk_results.results ?? [] } }),
  detail: (evidence) => ({ ...evidence, processed_snyk_results: evidence['snyk_results'] }),
});
