import { runCommand } from './command.ts';

/**
 * `npm run conformance:purl -- FOLDER`: reads the package URLs of a folder of cases in the layout of the purl specification's test suite
 * and prints those that were read wrongly. docs/testing.md#package-urls-of-others describes the command.
 */

const { code, stdout, stderr } = runCommand(process.argv.slice(2));
if (stdout.length > 0) console.log(stdout.join('\n'));
for (const sentence of stderr) console.error(sentence);
process.exitCode = code;
