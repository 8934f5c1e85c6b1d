import * as z from 'zod';
import { isDictionary } from '#shared/base/validation.ts';
import { checked, countWords, listed, listOf, shown, text } from './fields.ts';

const LEVELS = ['error', 'warning', 'note', 'none'] as const;

const Rule = z.object({ id: text, defaultConfiguration: z.object({ level: text }).nullish() });
const Result = z.object({ ruleId: text, ruleIndex: z.int().nullish(), level: text, kind: text });

const Run = z.object({
  tool: z.object({
    driver: z.object({ name: z.string(), version: text, semanticVersion: text, rules: listOf(Rule) }),
  }),
  results: listOf(Result),
});

const Sarif = z.object({ version: z.literal('2.1.0'), runs: z.array(Run) });

/** Summarizes a SARIF log. Witness puts the log into a member `report`. @throws PredicateUnreadable */
export function readSarif(predicate: unknown) {
  const log =
    isDictionary(predicate) && 'report' in predicate && !('runs' in predicate) ? predicate['report'] : predicate;
  const { version, runs } = checked(Sarif, log);
  const levels = runs.flatMap(levelsOf);
  return {
    version,
    tools: listed(runs, ({ tool: { driver } }) => ({
      name: shown(driver.name),
      version: shown(driver.semanticVersion ?? driver.version),
    })),
    result_count: levels.length,
    levels: countWords(LEVELS, 'warning', levels),
  };
}

function levelsOf({ tool, results }: z.output<typeof Run>): string[] {
  const rules = tool.driver.rules ?? [];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return (results ?? []).map((one) =>
    levelOf(one, typeof one.ruleIndex === 'number' && one.ruleIndex >= 0 ? rules[one.ruleIndex] : byId.get(one.ruleId)),
  );
}

/** The level of a result: its own, none for a result that is no failure, that of its rule, or warning. */
function levelOf({ level, kind }: z.output<typeof Result>, rule: z.output<typeof Rule> | undefined): string {
  if (level) return level;
  if (kind && kind !== 'fail') return 'none';
  return rule?.defaultConfiguration?.level ?? 'warning';
}
