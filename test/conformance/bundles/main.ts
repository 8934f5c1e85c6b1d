import { runCommand } from './command.ts';

/**
 * `npm run conformance:bundles -- FOLDER`: verifies the bundles of a folder of cases in the layout of Sigstore's conformance suite and
 * prints those that were decided wrongly. docs/testing.md#bundles-of-others describes the command.
 */

const { code, stdout, stderr } = runCommand(process.argv.slice(2));
if (stdout.length > 0) console.log(stdout.join('\n'));
for (const sentence of stderr) console.error(sentence);
process.exitCode = code;
