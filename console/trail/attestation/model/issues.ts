import { count, listed } from '../../../model/words.ts';
import { fieldOf, objectsOf, textOf } from './fields.ts';

interface Issue {
  id: string;
  url: string | null;
  exists: boolean;
  title: string | null;
  state: string | null;
}

export interface IssuesView {
  sentence: string;
  /** Issues that do not exist first. */
  issues: Issue[];
}

/** Returns the view of issues that a change refers to; null if they have another form than the one that clients send. */
export function issuesView(attestation: unknown): IssuesView | null {
  const results = objectsOf(attestation, 'jira_results') ?? objectsOf(attestation, 'issue_tracker_results');
  if (results === null) return null;
  const issues = results.map(issueOf);
  if (issues.some((issue) => issue === null)) return null;
  const read = issues.filter((issue) => issue !== null);
  return {
    sentence: sentenceOf(read),
    issues: read.toSorted((one, other) => Number(one.exists) - Number(other.exists)),
  };
}

function issueOf(result: unknown): Issue | null {
  const [id, exists, fields] = [
    textOf(result, 'issue_id'),
    fieldOf(result, 'issue_exists'),
    fieldOf(result, 'issue_fields'),
  ];
  if (typeof exists !== 'boolean') return null;
  return {
    id: id ?? 'without an id',
    url: textOf(result, 'issue_url'),
    exists,
    title: textOf(fields, 'summary') ?? textOf(fields, 'title'),
    state: textOf(fieldOf(fields, 'status'), 'name') ?? textOf(fields, 'status'),
  };
}

function sentenceOf(issues: readonly Issue[]): string {
  if (issues.length === 0) return 'The change refers to no issue. That is not compliant.';
  const missing = issues.filter(({ exists }) => !exists).map(({ id }) => id);
  if (missing.length === 0) return issues.length === 1 ? 'The issue exists.' : `All ${issues.length} issues exist.`;
  return `${listed(missing)} ${missing.length === 1 ? 'does' : 'do'} not exist (${missing.length} of ${count(issues.length, 'issue')}).`;
}
