import { count } from '../../../model/words.ts';
import { fieldOf, isFields, numberOf, objectsOf, textOf } from './fields.ts';

/** A row that the type of an attestation asks to show. */
interface SummaryRow {
  name: string;
  /** The value as text; null if the console does not evaluate the expression. */
  value: string | null;
  expression: string;
}

interface RuleRow {
  /** The program of the rule; null if the type no longer says it. */
  program: string | null;
  isMet: boolean;
  /** Why the rule is not met. */
  reason: string | null;
}

interface CustomView {
  sentence: string;
  rows: SummaryRow[];
  rules: RuleRow[];
}

/**
 * Returns the view of custom data: the rows that its version of the type asks for, and how each rule decided.
 * @param type the answer about the type; undefined if it could not be read
 */
export function customView(attestation: unknown, type: unknown): CustomView {
  const number = numberOf(attestation, 'type_version');
  const version = (objectsOf(type, 'versions') ?? []).find((one) => numberOf(one, 'version') === number);
  const data = fieldOf(attestation, 'attestation_data');
  const programs = fieldOf(fieldOf(version, 'evaluator'), 'rules');
  const rules = (objectsOf(attestation, 'rule_results') ?? []).map((result, n): RuleRow => {
    const program: unknown = Array.isArray(programs) ? programs[n] : null;
    return {
      program: typeof program === 'string' ? program : null,
      isMet: fieldOf(result, 'is_compliant') === true,
      reason: textOf(result, 'reason'),
    };
  });
  return {
    sentence: sentenceOf(rules),
    rows: (objectsOf(version, 'summary') ?? []).map((row) => {
      const expression = textOf(row, 'expression') ?? '';
      return { name: textOf(row, 'name') ?? '', expression, value: valueAt(expression, data) };
    }),
    rules: rules.toSorted((one, other) => Number(one.isMet) - Number(other.isMet)),
  };
}

function sentenceOf(rules: readonly RuleRow[]): string {
  const failed = rules.filter(({ isMet }) => !isMet).length;
  if (rules.length === 0) return 'The type has no rules, so any data are compliant.';
  if (failed === 0) return rules.length === 1 ? 'The rule of the type is met.' : `All ${rules.length} rules are met.`;
  return `${failed} of ${count(rules.length, 'rule')} ${failed === 1 ? 'is' : 'are'} not met.`;
}

/** One step of a path: `.name`, `["name"]` or `[0]`. */
const STEP = /^(?:\.([A-Za-z_]\w*)|\.?\["([^"\\]*)"\]|\.?\[(\d{1,6})\])/;

/**
 * Evaluates the paths of jq, such as `.results[0].name` and `.items | length`. The browser has no engine for other programs.
 * @returns null for every other expression, and for data that the path does not fit
 */
function valueAt(expression: string, data: unknown): string | null {
  let rest = expression.trim();
  let value: unknown = data;
  if (rest === '') return null;
  if (rest === '.') rest = '';
  while (rest !== '') {
    const step = STEP.exec(rest);
    if (!step) break;
    const [whole, name, quoted, index] = step;
    if (value === null || value === undefined) value = null;
    else if (index !== undefined && Array.isArray(value)) value = value[Number(index)] ?? null;
    else if (index === undefined && isFields(value)) value = fieldOf(value, name ?? quoted ?? '') ?? null;
    else return null;
    rest = rest.slice(whole.length);
  }
  if (/^\s*\|\s*length$/.test(rest)) return Array.isArray(value) ? String(value.length) : null;
  if (rest !== '' || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
