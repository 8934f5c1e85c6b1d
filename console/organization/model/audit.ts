import type { AuditEntry } from '../operations.ts';

/** First words of kinds, for the filter. */
export const SUBJECTS = [
  'action',
  'api_key',
  'control',
  'custom_type',
  'environment',
  'evidence',
  'export',
  'flow',
  'member',
  'organization',
  'policy',
  'service_account',
  'session',
  'sign_in',
] as const;

export const words = (kind: string): string => kind.replaceAll('_', ' ').replace(/\bapi\b/, 'API');

/** `member.role_changed` is «role changed». */
export const verbOf = (kind: string): string => words(kind.slice(kind.indexOf('.') + 1));

/** A field that a change set to another value. Null: the entry does not name it on this side. */
interface ChangedField {
  field: string;
  before: string | null;
  after: string | null;
}

type Facts = Readonly<Record<string, unknown>> | null;

export function changedFields(before: Facts, after: Facts): ChangedField[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names]
    .map((field) => ({ field, before: valueText(before, field), after: valueText(after, field) }))
    .filter((field) => field.before !== field.after);
}

function valueText(facts: Facts, field: string): string | null {
  if (facts === null || !Object.hasOwn(facts, field)) return null;
  const value = facts[field];
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** What the audit log says first. */
export function auditSentence(entries: readonly AuditEntry[], hasMore: boolean, isFiltered: boolean): string {
  if (entries.length === 0) {
    return hasMore
      ? 'Nothing on this page fits the filter. Older changes may.'
      : isFiltered
        ? 'No change fits the filter.'
        : 'Nobody changed anything yet.';
  }
  const actors = new Set(entries.map(({ actor }) => actor.name));
  const changes = entries.length === 1 ? '1 change' : `${entries.length} changes`;
  return `${hasMore ? `The newest ${changes}` : changes} by ${actors.size === 1 ? [...actors][0] : `${actors.size} callers`}${isFiltered ? ' that fit the filter' : ''}.`;
}
