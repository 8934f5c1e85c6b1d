import { pairsProblem, readPairs } from '../../parts/form/model/forms.ts';
import type { Expectation } from '../operations.ts';
import { isoDuration } from './durations.ts';

/** What the form of an expectation holds, and the request that comes of it. */

type Severity = 'info' | 'warning' | 'critical';

interface Values {
  environments: readonly string[];
  tags: string;
  every: string;
  grace: string;
  starts_at: string;
  owner: string;
  severity: Severity;
}

/** The start of an expectation as the form shows it. */
export const startText = ({ starts_at: at }: Pick<Expectation, 'starts_at'>): string =>
  new Date(at * 1000).toISOString();

/** Seconds since 1970 of a day or an instant; null for another text. */
function secondsOf(text: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(at) ? null : at / 1000;
}

/** The severity of an expectation; that of a new one without it. */
export function severityOf(given: Pick<Expectation, 'severity'> | undefined): Severity {
  const severity = given?.severity;
  return severity === 'info' || severity === 'critical' ? severity : 'warning';
}

/** What the service would refuse without naming a field of the form. */
export function checkValues({
  environments,
  tags,
  starts_at: start,
}: Pick<Values, 'environments' | 'tags' | 'starts_at'>): Record<string, string> {
  const pairs = pairsProblem(tags);
  const [some, tagged] = [environments.length > 0, tags.trim() !== ''];
  return {
    ...(!some && !tagged && { environments: 'Name environments, or give tags.' }),
    ...(some && tagged && { tags: 'Name environments or give tags, not both.' }),
    ...(pairs !== undefined && { tags: pairs }),
    ...(start.trim() !== '' && secondsOf(start) === null && { starts_at: 'Write a day or an instant: 2026-07-01.' }),
  };
}

/** Finds the field for an error in the scope. */
export function errorPlace(error: string): { field: string; item?: number } | undefined {
  const [, index] = /^scope\.environments\[(\d+)\]/.exec(error) ?? [];
  if (index !== undefined) return { field: 'environments', item: Number(index) };
  if (error.startsWith('scope.tags')) return { field: 'tags' };
  return error.startsWith('scope') ? { field: 'environments' } : undefined;
}

/**
 * Returns the body of the request.
 *
 * @param given the expectation that the form changes. A start that nobody changed is left out: its text has only milliseconds
 */
export function bodyOf(name: string, values: Values, given?: Pick<Expectation, 'starts_at'>) {
  const { environments, tags, every, grace, starts_at: start, owner, severity } = values;
  const isChanged = start.trim() !== '' && !(given && start === startText(given));
  return {
    name,
    kind: 'reports' as const,
    scope: environments.length > 0 ? { environments: [...environments] } : { tags: readPairs(tags) },
    every: isoDuration(every),
    ...(grace.trim() !== '' && { grace: isoDuration(grace) }),
    ...(isChanged && { starts_at: secondsOf(start) ?? 0 }),
    ...(owner.trim() !== '' && { owner: owner.trim() }),
    severity,
  };
}
