import { endProcess } from '../folder-command.ts';
import { runCommand } from './command.ts';

/**
 * `npm run conformance:bundles -- FOLDER`: verifies the bundles of a folder of cases in the layout of Sigstore's conformance suite and
 * prints those that were decided wrongly. docs/testing.md#bundles-of-others describes the command.
 */

endProcess(runCommand(process.argv.slice(2)));
