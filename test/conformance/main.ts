import { runCommand } from './command.ts';

/**
 * `npm run conformance -- FOLDER [--known FILE]`: runs the policy engine on a folder of cases in the format of OPA's
 * test suite and prints the differences. docs/evaluations.md describes the command.
 */

const { code, stdout, stderr } = runCommand(process.argv.slice(2));
if (stdout.length > 0) console.log(stdout.join('\n'));
for (const sentence of stderr) console.error(sentence);
process.exitCode = code;
