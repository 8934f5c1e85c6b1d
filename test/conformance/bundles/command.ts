import { parseArgs } from 'node:util';
import { UsageError } from '../case-files.ts';
import type { Ended } from '../command.ts';
import { type Result, runCases } from './cases.ts';

const USAGE = 'Usage: npm run conformance:bundles -- FOLDER [--identity SUBJECT --issuer ISSUER] [--refusals]';

/** What the exit codes mean. */
const EXIT = { fine: 0, wrongAnswer: 1, badInput: 2 } as const;

/** Runs the command with the arguments that follow its name. */
export function runCommand(args: readonly string[]): Ended {
  try {
    const { values, positionals } = parsed(args);
    const [folder, ...others] = positionals;
    if (folder === undefined || folder === '') throw new UsageError(`Give the folder of the cases. ${USAGE}`);
    if (others.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}. ${USAGE}`);
    const results = runCases(folder, { identity: values.identity, issuer: values.issuer });
    const code = results.every(isRight) ? EXIT.fine : EXIT.wrongAnswer;
    return { code, stdout: report(results, values.refusals ?? false), stderr: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: EXIT.badInput, stdout: [], stderr: [error.message] };
  }
}

function parsed(args: readonly string[]) {
  const options = { identity: { type: 'string' }, issuer: { type: 'string' }, refusals: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${error.message} ${USAGE}`);
  }
}

const isRight = ({ mustFail, refusal }: Result): boolean => mustFail === (refusal !== undefined);

/** The lines that the command prints: every wrong case, with `--refusals` every refused one, and the counts. */
function report(results: readonly Result[], showsRefusals: boolean): string[] {
  const wrong = results.filter((one) => !isRight(one));
  const refused = showsRefusals ? results.filter(({ refusal }) => refusal !== undefined) : [];
  const count = (name: string, { length }: readonly unknown[]) => `${name.padEnd(10)}  ${String(length).padStart(5)}`;
  return [
    ...refused.map(({ name, refusal }) => `refused: ${name}: ${refusal}`),
    ...wrong.flatMap(({ name, refusal }) => [
      `wrong: ${name}`,
      `  wanted: ${refusal === undefined ? 'a refusal' : 'a verified bundle'}`,
      `  got:    ${refusal ?? 'a verified bundle'}`,
      '',
    ]),
    count('run', results),
    count('right', results.filter(isRight)),
    count('wrong', wrong),
    count(
      'must fail',
      results.filter(({ mustFail }) => mustFail),
    ),
  ];
}
