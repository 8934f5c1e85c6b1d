import { globSync, statSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the commands that run a folder of cases have in common: arguments, files, exit codes and the report about decided cases. */

/** An input of a command that it cannot work with. The message is a sentence for the person who called it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the exit codes mean. */
export const EXIT = { fine: 0, wrongAnswer: 1, badInput: 2 } as const;

/** What a command prints and the code it exits with. */
export interface Ended {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>>;

/**
 * Makes a command of one folder and options.
 *
 * @param usage follows every sentence about arguments
 * @param run runs the folder. A UsageError of it ends the command with 2
 * @returns the command; it takes the arguments that follow its name
 */
export const folderCommand =
  <const O extends Options>(
    usage: string,
    options: O,
    run: (folder: string, values: Parsed<O>['values']) => Ended,
  ): ((args: readonly string[]) => Ended) =>
  (args) => {
    try {
      const { values, positionals } = parsed(args, usage, options);
      const [folder, ...others] = positionals;
      if (folder === undefined || folder === '') throw new UsageError(`Give the folder of the cases. ${usage}`);
      if (others.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}. ${usage}`);
      return run(folder, values);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { code: EXIT.badInput, stdout: [], stderr: [error.message] };
    }
  };

function parsed<const O extends Options>(args: readonly string[], usage: string, options: O): Parsed<O> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${error.message} ${usage}`);
  }
}

/** Prints what a command of this process ended with, and leaves its code to the process. */
export function endProcess({ code, stdout, stderr }: Ended): void {
  if (stdout.length > 0) console.log(stdout.join('\n'));
  for (const sentence of stderr) console.error(sentence);
  process.exitCode = code;
}

/**
 * Returns the files of a folder and the folders below it, in the order of their paths.
 *
 * @throws UsageError if the folder is missing or is a file
 */
export function filesOf(folder: string, pattern: string): string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`The folder ${folder} does not exist.`);
  if (!found.isDirectory()) throw new UsageError(`${folder} is a file. Give the folder that holds the cases.`);
  return globSync(pattern, { cwd: folder }).toSorted();
}

/** A case that was decided: it is right, or must fail and was refused, or else is wrong. */
export interface Decided {
  readonly name: string;
  readonly mustFail: boolean;
  readonly wanted: string;
  readonly got: string;
  readonly isRight: boolean;
}

/** How a command ends that decided cases: with every refused one that `refused` names, every wrong one, and the counts. */
export function endedWith(results: readonly Decided[], refused: readonly Pick<Decided, 'name' | 'got'>[]): Ended {
  const right = results.filter(({ isRight }) => isRight);
  const wrong = results.filter(({ isRight }) => !isRight);
  const count = (name: string, { length }: readonly unknown[]) => `${name.padEnd(10)}  ${String(length).padStart(5)}`;
  const stdout = [
    ...refused.map(({ name, got }) => `refused: ${name}: ${got}`),
    ...wrong.flatMap(({ name, wanted, got }) => [`wrong: ${name}`, `  wanted: ${wanted}`, `  got:    ${got}`, '']),
    count('run', results),
    count('right', right),
    count('wrong', wrong),
    count(
      'must fail',
      results.filter(({ mustFail }) => mustFail),
    ),
  ];
  return { code: wrong.length === 0 ? EXIT.fine : EXIT.wrongAnswer, stdout, stderr: [] };
}
