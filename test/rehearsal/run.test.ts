import { describe, expect, test } from 'vitest';
import { isNewEnough } from './python.ts';
import { endAll, RehearsalError, run, start } from './run.ts';

const { signal } = new AbortController();
const node = (program: string) => [process.execPath, ['-e', program]] as const;

describe('a program', () => {
  test('gives its output', async () => {
    await expect(run(...node('console.log(1)'), signal)).resolves.toBe('1\n');
  });

  test('that fails is an error with the end of its output', async () => {
    const failing = run(...node('console.error("no room"); process.exit(3)'), signal);
    await expect(failing).rejects.toThrow(RehearsalError);
    await expect(failing).rejects.toThrow(/failed:\nno room$/);
  });

  test('ends with all that it started', async () => {
    const child = start(...node('setInterval(() => {}, 1000)'));
    await endAll();
    expect(child.signalCode).toBe('SIGTERM');
    await endAll();
  });

  test('is not started after a signal', async () => {
    const stopped = AbortSignal.abort(new RehearsalError('Stopped by SIGINT.'));
    await expect(run(...node(''), stopped)).rejects.toThrow('Stopped by SIGINT.');
  });
});

test.each([
  ['Python 3.10.0', true],
  ['Python 3.13.1', true],
  ['Python 4.0.0', true],
  ['Python 3.9.18', false],
  ['Python 2.7.18', false],
  ['', false],
])('the emulator runs with %j: %s', (answer, expected) => {
  expect(isNewEnough(answer)).toBe(expected);
});
