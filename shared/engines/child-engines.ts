import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { JsonTextError, MAX_DEPTH, scanJson } from '#shared/base/json-text.ts';
import type { RuleOutcome } from '#shared/base/rule-outcome.ts';
import { EngineProcess } from './child-process.ts';
import type { Engines } from './engines.ts';
import {
  breachText,
  MAX_PROGRAM_LENGTH,
  MAX_PROGRAMS,
  MAX_SCHEMA_LENGTH,
  MEMORY_MB,
  TIMEOUT_MILLIS,
} from './limits.ts';
import type { Answers, Request } from './messages.ts';

export interface ChildEnginesOptions {
  /** Time limit of one call. The time in the queue and the start of the child do not count. */
  timeoutMillis?: number;
  /** Memory limit, applied to the child's heap and separately to the jq engine. */
  memoryMb?: number;
  /** Files of the child's program. Default: the sources. A deployed function uses a package (packaged-child.ts). */
  child?: { entry: string; readable: readonly string[]; jqPath: string };
}

/** The child's program in the sources. */
const sourceFiles = () => ({
  entry: fileURLToPath(new URL('./child.ts', import.meta.url)),
  readable: [fileURLToPath(new URL('../..', import.meta.url))],
  jqPath: createRequire(import.meta.url).resolve('jq-web'),
});

/**
 * Returns engines that run in a child process (rules/attestations.md#engine-limits). The first call starts the process.
 *
 * The programs of one call run together. If one of them exceeds a limit, all programs of that call have this breach as
 * their outcome. Apart from that, no program affects another.
 */
export function childEngines(options: ChildEnginesOptions = {}): Engines & { close(): Promise<void> } {
  const limits = {
    timeoutMillis: options.timeoutMillis ?? TIMEOUT_MILLIS,
    memoryMb: options.memoryMb ?? MEMORY_MB,
  };
  const { jqPath, ...child } = options.child ?? sourceFiles();
  const args = [jqPath, String(limits.timeoutMillis), String(limits.memoryMb)];
  const engine = new EngineProcess<Request, Answers>({ ...child, args, ...limits });
  return {
    async checkJq(programs) {
      const problems = programs.map((program, i) => sizeProblem(program, i));
      const small = programs.filter((_, i) => problems[i] === null);
      if (small.length === 0) return problems;
      const outcome = await engine.run({ kind: 'checkJq', programs: small });
      const found = 'value' in outcome ? outcome.value : small.map(() => breachText(outcome.breach, limits));
      const results = found.values();
      return problems.map((problem) => problem ?? results.next().value ?? null);
    },

    async runJq(programs, json) {
      const all = (error: string): RuleOutcome[] => programs.map(() => ({ ok: false, error }));
      if (programs.length === 0) return [];
      const problem = programs.map(sizeProblem).find((text) => text !== null) ?? depthProblem(json);
      if (problem !== null) return all(problem);
      const outcome = await engine.run({ kind: 'runJq', programs, json });
      return 'value' in outcome ? outcome.value : all(breachText(outcome.breach, limits));
    },

    async checkSchema(schema) {
      const text = printSchema(schema);
      if ('problem' in text) return text.problem;
      const outcome = await engine.run({ kind: 'checkSchema', schema: text.schema });
      return 'value' in outcome ? outcome.value : breachText(outcome.breach, limits);
    },

    async validate(schema, json) {
      const text = printSchema(schema);
      if ('problem' in text) return text.problem;
      const problem = depthProblem(json);
      if (problem !== null) return problem;
      const outcome = await engine.run({ kind: 'validate', schema: text.schema, json });
      return 'value' in outcome ? outcome.value : `the validation ${breachText(outcome.breach, limits)}`;
    },

    close: () => engine.close(),
  };
}

function sizeProblem(program: string, index: number): string | null {
  if (index >= MAX_PROGRAMS) return `more than ${MAX_PROGRAMS} rules`;
  return program.length > MAX_PROGRAM_LENGTH ? `longer than ${MAX_PROGRAM_LENGTH} characters` : null;
}

function depthProblem(json: string): string | null {
  try {
    scanJson(json);
    return null;
  } catch (error) {
    if (error instanceof JsonTextError) return error.message;
    throw error;
  }
}

/** Prints the schema as JSON text. `JSON.stringify` is recursive, so the depth is checked first. */
function printSchema(schema: unknown): { schema: string } | { problem: string } {
  if (isDeeper(schema, MAX_DEPTH)) return { problem: `the schema is nested deeper than ${MAX_DEPTH} levels` };
  const text = JSON.stringify(schema) ?? 'null';
  return text.length > MAX_SCHEMA_LENGTH ? { problem: 'the schema is larger than 1 MB' } : { schema: text };
}

/** Walks the value level by level: recursion could overflow the stack of this process. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
