import { runCommand } from './command.ts';
import { endProcess } from './folder-command.ts';

/**
 * `npm run conformance -- FOLDER [--known FILE]`: runs the policy engine on a folder of cases in the format of OPA's
 * test suite and prints the differences. docs/evaluations.md describes the command.
 */

endProcess(runCommand(process.argv.slice(2)));
