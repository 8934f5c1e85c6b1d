import type { RuleOutcome } from '#shared/base/rule-outcome.ts';
import { JqExit, type JqInstance } from './jq-instance.ts';
import { MAX_OUTPUT_LENGTH, shorten } from './limits.ts';

const UNAVAILABLE = [
  'input',
  'inputs',
  'input_filename',
  'input_line_number',
  'halt',
  'halt_error',
  'halt_error($status)',
  'get_search_list',
  'modulemeta',
];

/**
 * Definitions that stand before each program. They hide the engine's definitions of the same names, so that a program
 * sees nothing but its document (rules/attestations.md#jq-rules). They are one line, so that the line numbers in
 * messages are those of the program.
 */
const PRELUDE = [
  '{} as $ENV |',
  'def env: {};',
  'def debug: .;',
  'def debug($message): .;',
  'def stderr: .;',
  ...UNAVAILABLE.map((name) => `def ${name}: error("${name.replace(/\(.*/, '')} is not available");`),
].join(' ');

/** Prefix for compiling only: `empty |` runs nothing, and there is no open bracket that the program could close. */
const COMPILED_ONLY = `${PRELUDE} empty | `;

/**
 * Compiles each program without running it.
 * @returns for each program the compiler's message, or null if it compiles
 */
export const checkPrograms = (jq: JqInstance, programs: readonly string[]): (string | null)[] =>
  programs.map((program) => {
    // The engine ignores everything from this character on.
    if (program.includes('\0')) return 'a program cannot contain the character U+0000';
    try {
      jq.run('null', COMPILED_ONLY + program);
      return null;
    } catch (error) {
      if (error instanceof JqExit) return messageOf(error);
      throw error;
    }
  });

/**
 * Runs programs that passed {@link checkPrograms} on one document. All programs run together. If that run fails as a
 * whole, the programs run one by one.
 */
export function runPrograms(jq: JqInstance, programs: readonly string[], json: string): RuleOutcome[] {
  const together = attempt(jq, programs, json);
  if (Array.isArray(together)) return together;
  return programs.map((program) => {
    const alone = attempt(jq, [program], json);
    return Array.isArray(alone) && alone[0] ? alone[0] : { ok: false, error: Array.isArray(alone) ? 'failed' : alone };
  });
}

/** @returns the outcome of each program, or the reason why the whole run failed */
function attempt(jq: JqInstance, programs: readonly string[], json: string): RuleOutcome[] | string {
  try {
    const entries = parseEntries(jq.run(json, `${PRELUDE} [${programs.map(isolated).join(',')}]`));
    return entries?.length === programs.length ? entries : 'did not give one result for one document';
  } catch (error) {
    if (error instanceof JqExit) return messageOf(error);
    throw error;
  }
}

/**
 * Wraps a program so that it is an array element with exactly one value. Two line ends follow the program: a comment at
 * its end may end with a backslash, and then the comment includes the next line.
 */
const isolated = (program: string): string => `(try {outputs: [(${program}\n\n)]} catch {error: .})`;

type Entry = { outputs: unknown[] } | { error: unknown };

function parseEntries(printed: string): RuleOutcome[] | undefined {
  const lines = printed.split('\n').filter((line) => line !== '');
  const [line] = lines;
  if (line === undefined || lines.length > 1) return undefined;
  // The program that printed the line is built above.
  return (JSON.parse(line) as Entry[]).map((entry) => {
    if ('error' in entry) return { ok: false, error: shorten(textOf(entry.error)) };
    if (line.length > MAX_OUTPUT_LENGTH && JSON.stringify(entry.outputs).length > MAX_OUTPUT_LENGTH) {
      return { ok: false, error: `gave more than ${MAX_OUTPUT_LENGTH} characters of output` };
    }
    return { ok: true, outputs: entry.outputs };
  });
}

const textOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));

/** Returns the first error that jq printed, without hints that only help at a terminal. */
function messageOf(exit: JqExit): string {
  const line = /^jq: (?:parse )?error(?: \(at [^)]*\))?: (.*)$/m.exec(exit.message)?.[1] ?? exit.message;
  return shorten(
    line.replace(' (Unix shell quoting issues?)', '').replace('<top-level>, ', '').replace(/:$/, '').trim(),
  );
}
