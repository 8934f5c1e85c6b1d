import * as z from 'zod';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const TestSuite = z.looseObject({
  name: z.string().nullish(),
  failures: z.number().min(0),
  errors: z.number().min(0),
  skipped: z.number().nullish(),
  total: z.number().nullish(),
  duration: z.number().nullish(),
  timestamp: z.union([z.number(), z.string()]).nullish(),
});

const JunitReport = z
  .object({ ...withAttachments, junit_results: z.array(TestSuite).nullable() })
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
