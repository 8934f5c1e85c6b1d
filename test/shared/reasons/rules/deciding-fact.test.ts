import { expect, it } from 'vitest';
import { decidingFact } from '#shared/reasons/rules/deciding-fact.ts';

const suite = (failures: number, errors: number, total: number | null) => ({ failures, errors, total });
const scan = (high_count: number, medium_count: number, low_count: number) => ({ high_count, medium_count, low_count });

it.each([
  ['junit', { junit_results: [suite(1, 0, 200), suite(0, 0, 16)] }, '1 of 216 tests failed'],
  ['junit', { junit_results: [suite(0, 2, null)] }, '2 tests failed'],
  ['junit', { junit_results: [] }, 'no test suite'],
  ['snyk', { snyk_results: { results: [scan(1, 2, 0), scan(1, 0, 4)] } }, '2 high findings and 6 of lower severity'],
  ['snyk', { snyk_results: { results: [scan(0, 0, 1)] } }, '1 low finding'],
  ['snyk', { snyk_results: { results: [scan(0, 0, 0)] } }, null],
  ['sonar', { sonar_results: { qualityGate: { status: 'ERROR' } } }, 'quality gate ERROR'],
  ['sonar', { sonar_results: {} }, 'no quality gate'],
  ['pull_request', { pull_requests: [] }, 'no pull request'],
  ['jira', { issue_tracker_results: [{ issue_id: 'A-1', issue_exists: false }] }, 'A-1 not found'],
  ['jira', { issue_tracker_results: [] }, 'no issue'],
  ['generic', {}, null],
  ['junit', { junit_results: 'of another form' }, null],
])('%s with %j was decided by %j', (type, evidence, fact) => {
  expect(decidingFact(type, evidence)).toBe(fact);
});
