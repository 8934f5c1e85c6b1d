import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import * as z from 'zod';
import { ROOT } from './tool.ts';

export interface Count {
  passed: number;
  failed: number;
}

export interface FileTime {
  /** Path from the project's folder. */
  name: string;
  millis: number;
}

/** The part of the test runner's report that is read. */
const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.unknown()),
    }),
  ),
});

/** Counts tests. A file that cannot be loaded has none and counts as one that failed; so does a run without a test. */
export function readReport(path: string, code: number): Count & { files: FileTime[] } {
  if (!existsSync(path)) return { passed: 0, failed: 1, files: [] };
  const { numPassedTests, numFailedTests, testResults } = Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = numFailedTests + broken;
  const unexplained = failed === 0 && (code !== 0 || numPassedTests === 0);
  return {
    passed: numPassedTests,
    failed: unexplained ? 1 : failed,
    files: testResults.map(({ name, startTime, endTime }) => ({
      name: relative(ROOT, name),
      millis: endTime - startTime,
    })),
  };
}
