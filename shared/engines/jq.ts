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
 * Takes from programs what reaches beyond their document (semantics §4 step 6): definitions nearer to a program hide
 * those of the engine. One line, so that line numbers in messages are the program's own.
 */
const PRELUDE = [
  '{} as $ENV |',
  'def env: {};',
  'def debug: .;',
  'def debug($message): .;',
  'def stderr: .;',
  ...UNAVAILABLE.map((name) => `def ${name}: error("${name.replace(/\(.*/, '')} is not available");`),
].join(' ');

/** After this every program is inside no bracket that it could close, and none of it is run. */
const COMPILED_ONLY = `${PRELUDE} empty | `;

/**
 * Compiles each program without running it.
 * @returns for each the compiler's message, or null
 */
export const checkPrograms = (jq: JqInstance, programs: readonly string[]): (string | null)[] =>
  programs.map((program) => {
    // The engine takes the text up to this character for the whole.
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
 * Runs programs that passed {@link checkPrograms} on one document: all in one run, or one after another where that
 * fails as a whole.
 */
export function runPrograms(jq: JqInstance, programs: readonly string[], json: string): RuleOutcome[] {
  const together = attempt(jq, programs, json);
  if (Array.isArray(together)) return together;
  return programs.map((program) => {
    const alone = attempt(jq, [program], json);
    return Array.isArray(alone) && alone[0] ? alone[0] : { ok: false, error: Array.isArray(alone) ? 'failed' : alone };
  });
}

/** @returns the outcomes, or why there are none */
function attempt(jq: JqInstance, programs: readonly string[], json: string): RuleOutcome[] | string {
  try {
    const entries = readEntries(jq.run(json, `${PRELUDE} [${programs.map(isolated).join(',')}]`));
    return entries?.length === programs.length ? entries : 'did not give one result for one document';
  } catch (error) {
    if (error instanceof JqExit) return messageOf(error);
    throw error;
  }
}

/**
 * One program as an array element that always has exactly one value. Two line ends, since a comment at the program's
 * end may itself end in a backslash, which draws the next line into it.
 */
const isolated = (program: string): string => `(try {outputs: [(${program}\n\n)]} catch {error: .})`;

type Entry = { outputs: unknown[] } | { error: unknown };

function readEntries(printed: string): RuleOutcome[] | undefined {
  const lines = printed.split('\n').filter((line) => line !== '');
  const [line] = lines;
  if (line === undefined || lines.length > 1) return undefined;
  return (JSON.parse(line) as Entry[]).map((entry) => {
    if ('error' in entry) return { ok: false, error: shorten(textOf(entry.error)) };
    if (line.length > MAX_OUTPUT_LENGTH && JSON.stringify(entry.outputs).length > MAX_OUTPUT_LENGTH) {
      return { ok: false, error: `gave more than ${MAX_OUTPUT_LENGTH} characters of output` };
    }
    return { ok: true, outputs: entry.outputs };
  });
}

const textOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));

/** The first error that jq printed, without what only a reader at a terminal could use. */
function messageOf(exit: JqExit): string {
  const line = /^jq: (?:parse )?error(?: \(at [^)]*\))?: (.*)$/m.exec(exit.message)?.[1] ?? exit.message;
  return shorten(
    line.replace(' (Unix shell quoting issues?)', '').replace('<top-level>, ', '').replace(/:$/, '').trim(),
  );
}
