/** What the suite says of a scenario. */
interface ScenarioResult {
  name: string;
  passed: boolean;
}

/** Scenarios that ask for tools, prompts or resources that only a server of test tools has, or for what this door does not do. */
const NOT_ASKED: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^tools-call-/, 'calls a tool that only a server of test tools has'],
  [/^json-schema-2020-12$/, 'looks at the schema of a tool that only a server of test tools has'],
  [/^resources-(read|templates-read)/, 'reads a resource that only a server of test resources has'],
  [/^prompts-get-/, 'gets a prompt that only a server of test prompts has'],
  [/^elicitation-/, 'calls a tool that asks the person back, and no tool here does'],
  [/^resources-(un)?subscribe$/, 'subscribes to changes, and this door opens no streams'],
  [/^server-sse-/, 'reads streams, and this door opens none'],
  [/^logging-/, 'sets the level of log messages, and this door sends none'],
  [/^completion-/, 'asks to complete an argument, which this door does not offer'],
];

/** Reads the summary at the end of the suite's output: one line for each scenario. */
export const readSummary = (output: string): ScenarioResult[] =>
  output
    .slice(Math.max(0, output.indexOf('=== SUMMARY ===')))
    .split('\n')
    .flatMap((line) => {
      const [, mark, name] = /^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, passed: mark === '✓' }];
    });

/** @returns the lines to print, and the code of the command: 1 if a scenario failed that this door should pass, or if none ran */
export function verdictOf(results: readonly ScenarioResult[]): { lines: string[]; code: number } {
  const judged = results.map(({ name, passed }) => {
    const why = NOT_ASKED.find(([pattern]) => pattern.test(name))?.[1];
    return { name, passed, why };
  });
  const failed = judged.filter(({ passed, why }) => !passed && why === undefined);
  const lines = judged.map(({ name, passed, why }) =>
    passed ? `passed      ${name}` : why === undefined ? `FAILED      ${name}` : `not asked   ${name}: ${why}`,
  );
  const passed = judged.filter((one) => one.passed).length;
  const summary = `${passed} passed, ${judged.length - passed - failed.length} not asked, ${failed.length} failed`;
  return { lines: [...lines, summary], code: failed.length > 0 || passed === 0 ? 1 : 0 };
}
