import { endProcess } from '../folder-command.ts';
import { runCommand } from './command.ts';

/**
 * `npm run conformance:purl -- FOLDER`: reads the package URLs of a folder of cases in the layout of the purl specification's test suite
 * and prints those that were read wrongly. docs/testing.md#package-urls-of-others describes the command.
 */

endProcess(runCommand(process.argv.slice(2)));
