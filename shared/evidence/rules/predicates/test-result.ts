import * as z from 'zod';
import { checked, listed, listOf, shown, text } from './fields.ts';

const TestResult = z.object({
  result: z.enum(['PASSED', 'WARNED', 'FAILED']),
  url: text,
  passedTests: listOf(z.string()),
  warnedTests: listOf(z.string()),
  failedTests: listOf(z.string()),
});

/** Summarizes the result of tests. @throws PredicateUnreadable */
export function readTestResult(predicate: unknown) {
  const { result, url, passedTests, warnedTests, failedTests } = checked(TestResult, predicate);
  return {
    result,
    url: shown(url),
    passed_count: passedTests?.length ?? 0,
    warned_count: warnedTests?.length ?? 0,
    failed_count: failedTests?.length ?? 0,
    failed_tests: listed(failedTests, shown),
  };
}
