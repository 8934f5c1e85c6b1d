import { describe, expect, test } from 'vitest';
import { Report } from './report.ts';
import { RehearsalError } from './run.ts';

function aReport() {
  const lines: string[] = [];
  const stop = new AbortController();
  const report = new Report(stop.signal, (line) => lines.push(line.replace(/\(\d+\.\d s\)/, '(time)')));
  return { report, lines, stop };
}

const nothing = async () => [];

describe('a report', () => {
  test('prints each step with its result, counts, and fails if a step failed', async () => {
    const { report, lines } = aReport();
    report.part('Part');
    expect(await report.step('one', nothing)).toBe(true);
    expect(await report.step('two', async () => ['it is red'])).toBe(false);
    expect(report.end()).toBe(1);
    expect(lines).toEqual([
      '\nPart',
      'passed  one (time)',
      'FAILED  two (time)',
      '        it is red',
      '\n1 passed, 1 failed',
    ]);
  });

  test('ends with 0 if nothing failed', async () => {
    const { report } = aReport();
    await report.step('one', nothing);
    expect(report.end()).toBe(0);
  });

  test('takes an error of a step for a problem, and one between steps for a failed step', async () => {
    const { report, lines } = aReport();
    const fail = async () => {
      throw new Error('no answer');
    };
    expect(await report.step('one', fail)).toBe(false);
    expect(await report.guard(fail)).toBe(false);
    expect(await report.guard(async () => true)).toBe(true);
    expect(report.end()).toBe(1);
    expect(lines).toContain('\n0 passed, 2 failed');
  });

  test('ends at a signal and if the rehearsal cannot go on', async () => {
    const { report, stop } = aReport();
    const missing = async () => {
      throw new RehearsalError('no Python');
    };
    await expect(report.step('one', missing)).rejects.toThrow('no Python');
    stop.abort(new RehearsalError('Stopped by SIGINT.'));
    await expect(report.step('two', nothing)).rejects.toThrow('Stopped by SIGINT.');
  });
});
