import { count } from '../../../model/words.ts';
import { fieldOf, objectsOf, textOf } from './fields.ts';

interface Condition {
  metric: string;
  value: string;
  /** `must not be below 80`. */
  limit: string;
  isFailed: boolean;
  status: string;
}

export interface SonarView {
  sentence: string;
  /** Failed conditions first. */
  conditions: Condition[];
  project: { name: string; url: string | null } | null;
  rows: readonly (readonly [label: string, text: string])[];
}

/** Returns the view of a code analysis; null if it has another form than the one that clients send. */
export function sonarView(attestation: unknown): SonarView | null {
  const results = fieldOf(attestation, 'sonar_results');
  if (results === undefined || results === null || typeof results !== 'object' || Array.isArray(results)) return null;
  const gate = fieldOf(results, 'qualityGate');
  const conditions = (objectsOf(gate, 'conditions') ?? []).map(conditionOf);
  const project = fieldOf(results, 'project');
  const name = textOf(project, 'name') ?? textOf(project, 'key');
  const pull = fieldOf(results, 'pullRequest');
  const rows: [string, string | null][] = [
    ['Branch', textOf(fieldOf(results, 'branch'), 'name')],
    ['Pull request', textOf(pull, 'key') ?? textOf(pull, 'branch')],
    ['Commit', textOf(results, 'revision')],
    ['Analysed', textOf(results, 'analysedAt')],
    ['Task', textOf(results, 'status')],
    ['Server', textOf(results, 'serverUrl')],
  ];
  return {
    sentence: sentenceOf(textOf(gate, 'status'), conditions),
    conditions: conditions.toSorted((one, other) => Number(other.isFailed) - Number(one.isFailed)),
    project: name === null ? null : { name, url: textOf(project, 'url') },
    rows: rows.flatMap(([label, text]) => (text === null ? [] : [[label, text] as const])),
  };
}

function sentenceOf(status: string | null, conditions: readonly Condition[]): string {
  if (status === null) return 'The analysis has no quality gate. That is not compliant.';
  if (status === 'OK') return `The quality gate passed${conditions.length === 0 ? '' : `, ${ofAll(conditions)}`}.`;
  const failed = conditions.filter(({ isFailed }) => isFailed).length;
  return failed === 0
    ? `The quality gate says ${status}.`
    : `The quality gate failed: ${failed} of ${count(conditions.length, 'condition')} not met.`;
}

const ofAll = (conditions: readonly Condition[]): string => `with ${count(conditions.length, 'condition')}`;

const LIMITS: Readonly<Record<string, string>> = {
  LT: 'must not be below',
  GT: 'must not be above',
  EQ: 'must not be',
  NE: 'must be',
};

function conditionOf(condition: unknown): Condition {
  const [operator, threshold] = [textOf(condition, 'operator') ?? '', textOf(condition, 'errorThreshold')];
  const words = Object.hasOwn(LIMITS, operator) ? LIMITS[operator] : operator;
  const status = textOf(condition, 'status') ?? 'unknown';
  return {
    metric: (textOf(condition, 'metric') ?? 'without a name').replaceAll('_', ' '),
    value: textOf(condition, 'value') ?? 'not measured',
    limit: threshold === null ? '–' : `${words} ${threshold}`.trim(),
    isFailed: status === 'ERROR',
    status,
  };
}
