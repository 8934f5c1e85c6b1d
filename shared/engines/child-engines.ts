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
  /** For one call, without the time that it waits for others or for the child's start. */
  timeoutMillis?: number;
  /** For the child's heap, and separately for the jq engine. */
  memoryMb?: number;
  /** The child's program; by default the sources (a deployed function has a package of it: packaged-child.ts). */
  child?: { entry: string; readable: readonly string[]; jqPath: string };
}

/** The child's program as it lies in the sources. */
const sources = () => ({
  entry: fileURLToPath(new URL('./child.ts', import.meta.url)),
  readable: [fileURLToPath(new URL('../..', import.meta.url))],
  jqPath: createRequire(import.meta.url).resolve('jq-web'),
});

/**
 * Engines in a child process that the first call starts (docs/decisions/0003). Programs are isolated from each other in
 * one respect only: what one of them breaks the limits with is the outcome of all that were run with it.
 */
export function childEngines(options: ChildEnginesOptions = {}): Engines & { close(): Promise<void> } {
  const limits = {
    timeoutMillis: options.timeoutMillis ?? TIMEOUT_MILLIS,
    memoryMb: options.memoryMb ?? MEMORY_MB,
  };
  const { jqPath, ...child } = options.child ?? sources();
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
      const text = schemaText(schema);
      if ('problem' in text) return text.problem;
      const outcome = await engine.run({ kind: 'checkSchema', schema: text.schema });
      return 'value' in outcome ? outcome.value : breachText(outcome.breach, limits);
    },

    async validate(schema, json) {
      const text = schemaText(schema);
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

/** The schema as JSON text. Printing is recursive, so the depth is looked at first. */
function schemaText(schema: unknown): { schema: string } | { problem: string } {
  if (isDeeper(schema, MAX_DEPTH)) return { problem: `the schema is nested deeper than ${MAX_DEPTH} levels` };
  const text = JSON.stringify(schema) ?? 'null';
  return text.length > MAX_SCHEMA_LENGTH ? { problem: 'the schema is larger than 1 MB' } : { schema: text };
}

/** Walks level by level, without recursion. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
