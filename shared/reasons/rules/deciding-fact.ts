import * as z from 'zod';

/** What the evidence of a kind holds, as far as it decides the verdict (rules/attestations.md#kinds). */
const Tests = z.object({
  junit_results: z.array(z.looseObject({ failures: z.number(), errors: z.number(), total: z.number().nullish() })),
});
const Scan = z.object({
  snyk_results: z.looseObject({
    results: z.array(z.looseObject({ high_count: z.number(), medium_count: z.number(), low_count: z.number() })),
  }),
});
const Analysis = z.object({
  sonar_results: z.looseObject({ qualityGate: z.looseObject({ status: z.string().nullish() }).nullish() }),
});
const PullRequests = z.object({ pull_requests: z.array(z.unknown()) });
const Issues = z.object({
  issue_tracker_results: z.array(z.looseObject({ issue_id: z.string().nullish(), issue_exists: z.boolean() })),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * Says what in the evidence of an attestation that is not compliant decided: `1 of 216 tests failed`.
 *
 * @returns null if the reporter stated the verdict, or if the evidence has another form
 */
export function decidingFact(type: string, evidence: Readonly<Record<string, unknown>>): string | null {
  switch (type) {
    case 'junit':
      return factOf(Tests, evidence, ({ junit_results: suites }) => {
        if (suites.length === 0) return 'no test suite';
        const failed = sum(suites.map(({ failures, errors }) => failures + errors));
        const total = sum(suites.map(({ total: all }) => all ?? 0));
        return total >= failed && total > 0
          ? `${failed} of ${count(total, 'test')} failed`
          : `${count(failed, 'test')} failed`;
      });
    case 'snyk':
      return factOf(Scan, evidence, ({ snyk_results: { results } }) => findingsText(results));
    case 'sonar':
      return factOf(Analysis, evidence, ({ sonar_results: { qualityGate: gate } }) =>
        gate?.status == null ? 'no quality gate' : `quality gate ${gate.status}`,
      );
    case 'pull_request':
      return factOf(PullRequests, evidence, ({ pull_requests: found }) =>
        found.length === 0 ? 'no pull request' : null,
      );
    case 'jira':
      return factOf(Issues, evidence, ({ issue_tracker_results: issues }) => {
        const absent = issues
          .filter(({ issue_exists: exists }) => !exists)
          .map(({ issue_id: id }) => id ?? 'one issue');
        return issues.length === 0
          ? 'no issue'
          : absent.length === 0
            ? null
            : `${absent.slice(0, 3).join(', ')} not found`;
      });
    default:
      return null;
  }
}

function factOf<T>(schema: z.ZodType<T>, evidence: unknown, textOf: (evidence: T) => string | null): string | null {
  const read = schema.safeParse(evidence);
  return read.success ? textOf(read.data) : null;
}

function findingsText(results: z.output<typeof Scan>['snyk_results']['results']): string | null {
  const counts = [
    ['high', sum(results.map(({ high_count: n }) => n))],
    ['medium', sum(results.map(({ medium_count: n }) => n))],
    ['low', sum(results.map(({ low_count: n }) => n))],
  ] as const;
  const [worst, ...others] = counts.filter(([, n]) => n > 0);
  if (!worst) return null;
  const rest = sum(others.map(([, n]) => n));
  return `${count(worst[1], `${worst[0]} finding`)}${rest === 0 ? '' : ` and ${rest} of lower severity`}`;
}
