/** What the suite says of a scenario: how many of its checks passed and failed. A scenario may end before its first check. */
interface ScenarioResult {
  name: string;
  passed: number;
  failed: number;
}

/** What stands behind the door: the own tools, or those that the suite asks for beside them. */
export type Behind = 'own tools' | 'test tools';

type Reasons = readonly (readonly [pattern: RegExp, why: string])[];

/** Scenarios that ask for what this door does not do, whatever is behind it. */
const NOT_DONE: Reasons = [
  [/^tools-call-with-(logging|progress)$/, 'reads messages before the answer, and this door answers once'],
  [
    /^(tools-call-sampling|tools-call-elicitation|elicitation-)/,
    'is asked back during a call, and this door answers once',
  ],
  [/^resources-(un)?subscribe$/, 'subscribes to changes, and this door opens no streams'],
  [/^server-sse-/, 'reads streams, and this door opens none'],
  [/^logging-/, 'sets the level of log messages, and this door sends none'],
];

/** Scenarios that ask for tools, resources or prompts that only a server of test tools has. */
const OF_TEST_TOOLS: Reasons = [
  [/^tools-call-/, 'calls a tool that only a server of test tools has'],
  [/^json-schema-2020-12$/, 'looks at the schema of a tool that only a server of test tools has'],
  [/^resources-(read|templates-read)/, 'reads a resource that only a server of test resources has'],
  [/^prompts-get-/, 'gets a prompt that only a server of test prompts has'],
  [/^completion-/, 'asks to complete an argument of a prompt that only a server of test prompts has'],
];

const HEADING = '=== SUMMARY ===';

/** Reads the summary at the end of the suite's output: one line for each scenario. Without its heading, the suite has summed up nothing. */
export function readSummary(output: string): ScenarioResult[] {
  const start = output.indexOf(HEADING);
  if (start < 0) return [];
  return output
    .slice(start)
    .split('\n')
    .flatMap((line) => {
      const [, name, passed, failed] = /^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, passed: Number(passed), failed: Number(failed) }];
    });
}

/**
 * Judges a run of the suite.
 *
 * @param exit exit code of the suite; null if a signal ended it
 * @returns the lines to print, and the code of the command: 1 if a scenario failed that this door should pass, if none ran, or if the
 *   suite did not end as its summary says
 */
export function verdictOf(
  results: readonly ScenarioResult[],
  exit: number | null,
  behind: Behind,
): { lines: string[]; code: number } {
  const reasons = behind === 'test tools' ? NOT_DONE : [...NOT_DONE, ...OF_TEST_TOOLS];
  const judged = results.map(({ name, passed, failed }) => {
    if (passed > 0 && failed === 0) return { outcome: 'passed', line: `passed      ${name}` };
    const why = reasons.find(([pattern]) => pattern.test(name))?.[1];
    if (why !== undefined) return { outcome: 'not asked', line: `not asked   ${name}: ${why}` };
    return { outcome: 'failed', line: `FAILED      ${name}` };
  });
  const count = (outcome: string) => judged.filter((one) => one.outcome === outcome).length;
  const summary = `${count('passed')} passed, ${count('not asked')} not asked, ${count('failed')} failed`;
  // The suite counts as failed what nobody asks of this door.
  const ended = results.some(({ failed }) => failed > 0) ? 1 : 0;
  const broke = exit === ended ? [] : [`The suite ended with ${exit ?? 'a signal'}, and its summary means ${ended}`];
  return {
    lines: [...judged.map(({ line }) => line), summary, ...broke],
    code: count('failed') > 0 || count('passed') === 0 || broke.length > 0 ? 1 : 0,
  };
}
