import { endedWith, folderCommand } from '../folder-command.ts';
import { runCases } from './cases.ts';

/** Runs the command with the arguments that follow its name. With `--refusals` it prints every case that must fail and does. */
export const runCommand = folderCommand(
  'Usage: npm run conformance:purl -- FOLDER [--refusals]',
  { refusals: { type: 'boolean' } },
  (folder, { refusals = false }) => {
    const results = runCases(folder);
    return endedWith(results, refusals ? results.filter(({ mustFail, isRight }) => mustFail && isRight) : []);
  },
);
