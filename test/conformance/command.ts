import { parseArgs } from 'node:util';
import { UsageError } from './case-files.ts';
import { readKnown, runFolder } from './conformance.ts';
import { report } from './report.ts';

const USAGE = 'Usage: npm run conformance -- FOLDER [--known FILE]';

/** What the exit codes mean. */
const EXIT = { fine: 0, wrongAnswer: 1, badInput: 2 } as const;

/** What the command prints and the code it exits with. */
export interface Ended {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** Runs the command with the arguments that follow its name. */
export function runCommand(args: readonly string[]): Ended {
  try {
    const { folder, known } = optionsOf(args);
    const run = runFolder(folder, known === undefined ? new Map() : readKnown(known));
    const isWrong = run.stale.length > 0 || run.results.some(({ outcome }) => outcome.status === 'failed');
    const code = isWrong ? EXIT.wrongAnswer : EXIT.fine;
    return {
      code: run.unreadable.length > 0 ? EXIT.badInput : code,
      stdout: run.results.length > 0 ? report(run) : [],
      stderr: run.unreadable,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: EXIT.badInput, stdout: [], stderr: [error.message] };
  }
}

function optionsOf(args: readonly string[]): { readonly folder: string; readonly known: string | undefined } {
  const { values, positionals } = parsed(args);
  const [folder, ...others] = positionals;
  if (folder === undefined || folder === '') throw new UsageError(`Give the folder of the cases. ${USAGE}`);
  if (others.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}. ${USAGE}`);
  return { folder, known: values.known };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { known: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${error.message} ${USAGE}`);
  }
}
