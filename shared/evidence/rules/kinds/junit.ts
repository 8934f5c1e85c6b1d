import * as z from 'zod';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const TestSuite = z.looseObject({
  name: z.string().nullish().describe('Name of the test suite'),
  failures: z.number().min(0).describe('Number of failed tests'),
  errors: z.number().min(0).describe('Number of tests that ended with an error'),
  skipped: z.number().nullish().describe('Number of skipped tests'),
  total: z.number().nullish().describe('Number of tests'),
  duration: z.number().nullish().describe('Duration in seconds'),
  timestamp: z.union([z.number(), z.string()]).nullish().describe('Time in seconds since the epoch'),
});

const JunitReport = z
  .object({
    ...withAttachments,
    junit_results: z.array(TestSuite).nullable().describe('One entry for each test suite'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'JunitAttestation', description: 'Test suites. Compliant when there is one and none failed.' });

/** Test results (rules/attestations.md#test-results). A run without suites is non-compliant. */
export const junitKind = attestationKind({
  type: 'junit',
  segments: ['junit'],
  schema: JunitReport,
  verdict: ({ junit_results }) => {
    const suites = junit_results ?? [];
    return suites.length > 0 && suites.every((suite) => suite.failures === 0 && suite.errors === 0);
  },
  evidence: ({ junit_results }) => ({ junit_results: junit_results ?? [] }),
});
