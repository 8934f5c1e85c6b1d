import { parseArgs } from 'node:util';
import { UsageError } from '../case-files.ts';
import type { Ended } from '../command.ts';
import { type Result, runCases } from './cases.ts';

const USAGE = 'Usage: npm run conformance:purl -- FOLDER [--refusals]';

/** What the exit codes mean. */
const EXIT = { fine: 0, wrongAnswer: 1, badInput: 2 } as const;

/** Runs the command with the arguments that follow its name. */
export function runCommand(args: readonly string[]): Ended {
  try {
    const { values, positionals } = parsed(args);
    const [folder, ...others] = positionals;
    if (folder === undefined || folder === '') throw new UsageError(`Give the folder of the cases. ${USAGE}`);
    if (others.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}. ${USAGE}`);
    const results = runCases(folder);
    const code = results.every(({ isRight }) => isRight) ? EXIT.fine : EXIT.wrongAnswer;
    return { code, stdout: report(results, values.refusals ?? false), stderr: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: EXIT.badInput, stdout: [], stderr: [error.message] };
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { refusals: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${error.message} ${USAGE}`);
  }
}

/** The lines that the command prints: every wrong case, with `--refusals` every case that must fail and does, and the counts. */
function report(results: readonly Result[], showsRefusals: boolean): string[] {
  const wrong = results.filter(({ isRight }) => !isRight);
  const mustFail = results.filter((one) => one.mustFail);
  const refused = showsRefusals ? mustFail.filter(({ isRight }) => isRight) : [];
  const count = (name: string, { length }: readonly unknown[]) => `${name.padEnd(10)}  ${String(length).padStart(5)}`;
  return [
    ...refused.map(({ name, got }) => `refused: ${name}: ${got}`),
    ...wrong.flatMap(({ name, wanted, got }) => [`wrong: ${name}`, `  wanted: ${wanted}`, `  got:    ${got}`, '']),
    count('run', results),
    count(
      'right',
      results.filter(({ isRight }) => isRight),
    ),
    count('wrong', wrong),
    count('must fail', mustFail),
  ];
}
