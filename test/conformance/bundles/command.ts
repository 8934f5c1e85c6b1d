import { endedWith, folderCommand } from '../folder-command.ts';
import { runCases } from './cases.ts';

/** Runs the command with the arguments that follow its name. With `--refusals` it prints every refused case. */
export const runCommand = folderCommand(
  'Usage: npm run conformance:bundles -- FOLDER [--identity SUBJECT --issuer ISSUER] [--refusals]',
  { identity: { type: 'string' }, issuer: { type: 'string' }, refusals: { type: 'boolean' } },
  (folder, { identity, issuer, refusals = false }) => {
    const results = runCases(folder, { identity, issuer });
    return endedWith(results, refusals ? results.filter(({ isRefused }) => isRefused) : []);
  },
);
