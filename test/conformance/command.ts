import { readKnown, runFolder } from './conformance.ts';
import { EXIT, folderCommand } from './folder-command.ts';
import { report } from './report.ts';

/** Runs the command with the arguments that follow its name. */
export const runCommand = folderCommand(
  'Usage: npm run conformance -- FOLDER [--known FILE]',
  { known: { type: 'string' } },
  (folder, { known }) => {
    const run = runFolder(folder, known === undefined ? new Map() : readKnown(known));
    const isWrong = run.stale.length > 0 || run.results.some(({ outcome }) => outcome.status === 'failed');
    const code = isWrong ? EXIT.wrongAnswer : EXIT.fine;
    return {
      code: run.unreadable.length > 0 ? EXIT.badInput : code,
      stdout: run.results.length > 0 ? report(run) : [],
      stderr: run.unreadable,
    };
  },
);
