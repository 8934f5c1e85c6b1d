import type { EvaluationExplained, RuleExplained } from '../operations.ts';

/** The name of a rule as its author wrote it, within the package `policy`. */
export const ruleName = ({ rule, is_default: isDefault }: Pick<RuleExplained, 'rule' | 'is_default'>): string =>
  `${isDefault ? 'default ' : ''}${rule.replace(/^data\.(policy\.)?/, '')}`;

/** The rule that decided, and why. */
export function explanationSentence({ rules, identical }: Pick<EvaluationExplained, 'rules' | 'identical'>): string {
  const tried = rules.filter(({ rule, is_default: isDefault }) => rule === 'data.policy.allow' && !isDefault);
  const held = tried.find(({ solutions }) => solutions > 0);
  const stopped = tried.find((rule) => rule.stopped !== null);
  const others = identical ? '' : ' This run came to another outcome than the stored one.';
  if (held)
    return `The rule allow in line ${held.line} of ${held.file} is ${held.value}${valuesText(held.values)}.${others}`;
  if (stopped?.stopped) {
    const { line, source, values } = stopped.stopped;
    return `The rule allow does not hold. Line ${line} of ${stopped.file} stopped it: «${source}»${valuesText(values)}.${others}`;
  }
  return `Only the default value of the rule allow applies.${others}`;
}

const valuesText = (values: RuleExplained['values']): string =>
  values.length === 0
    ? ''
    : `, where ${values.map(({ term, value }) => `${term} is ${value ?? 'undefined'}`).join(' and ')}`;
