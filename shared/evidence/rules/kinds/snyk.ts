import * as z from 'zod';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const Vulnerability = z.looseObject({
  id: z.string().nullish(),
  message: z.string().nullish(),
  locations: z.array(z.looseObject({ uri: z.string().nullish(), lines: z.unknown().optional() })).nullish(),
  priority_score: z.number().nullish(),
});

const ScanResult = z.looseObject({
  high_count: z.number().min(0),
  medium_count: z.number().min(0),
  low_count: z.number().min(0),
  high: z.array(Vulnerability).nullish(),
  medium: z.array(Vulnerability).nullish(),
  low: z.array(Vulnerability).nullish(),
});

const SnykReport = z
  .object({
    ...withAttachments,
    snyk_results: z.looseObject({
      schema_version: z.number().nullish(),
      tool: z.looseObject({ name: z.string().nullish(), version: z.string().nullish() }).nullish(),
      results: z.array(ScanResult).nullable(),
    }),
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
