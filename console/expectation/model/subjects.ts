import { count } from '../../model/words.ts';
import type { Expectation, StateCounts, Subject } from '../operations.ts';
import { durationText } from './durations.ts';

/** What kinds are about, besides `reports` (docs/rules/expectations.md#kinds). */

const SUBJECTS: Readonly<Record<string, string>> = {
  completion: 'Trails',
  decision: 'Artifacts',
  reports: 'Environments',
};

/** The heading above the subjects of a kind. */
export const subjectsOf = (kind: string): string => SUBJECTS[kind] ?? 'Flows';

/** A subject in words. */
export function subjectName({ environment, subject }: Pick<Subject, 'environment' | 'subject'>): string {
  if (!subject) return environment ?? '';
  if (subject.type === 'trail') return `${subject.flow} / ${subject.trail}`;
  if (subject.type === 'artifact') return `${subject.name} in ${subject.environment}`;
  return subject.flow ?? 'One flow of the scope';
}

/** What a subject is, as gaps say it: an environment of the kind `reports` too. */
export const placeOf = ({ environment, subject }: Pick<Subject, 'environment' | 'subject'>) =>
  subject ?? { type: 'environment', ...(environment !== undefined && { environment }) };

/** What an expectation asks for, in words. */
export function askedText({
  kind,
  evidence = {},
  per,
  control,
}: Pick<Expectation, 'kind' | 'evidence' | 'per' | 'control'>): string {
  if (kind === 'activity') return 'each flow of the scope begins trails';
  if (kind === 'completion') return 'each trail of the scope becomes compliant in this time';
  if (kind === 'decision') return `each artifact that starts has a compliant decision about ${control} in this time`;
  if (kind !== 'evidence') return 'each environment of the scope reports';
  const [[by, value] = []] = Object.entries(evidence);
  const who = per === 'scope' ? 'one flow of the scope' : 'each flow of the scope';
  return `${who} gets compliant attestations of the ${by} ${value}`;
}

/** Whether the subjects of an expectation of another kind than `reports` meet it. */
export function otherSentence(
  { every, grace }: Pick<Expectation, 'every' | 'grace'>,
  counts: StateCounts | null,
): string {
  const asked = `Expected within ${durationText(every)}, with ${durationText(grace)} of grace.`;
  if (!counts) return `${asked} Trails and artifacts are listed, and nobody counts them.`;
  const total = counts.met + counts.late + counts.missed + counts.unknown;
  if (total === 0) return 'No flow is in its scope, so nothing can be missed.';
  if (counts.met === total) return `Met by ${count(total, 'subject')}. ${asked}`;
  return `${counts.missed} of ${count(total, 'subject')} missed, ${counts.late} late. ${asked}`;
}

/** Whether an expectation is about decisions on a control. Archived ones expect nothing. */
export const isAboutControl = (
  { archived, control, evidence, unreadable }: Pick<Expectation, 'archived' | 'control' | 'evidence' | 'unreadable'>,
  identifier: string,
): boolean => !archived && unreadable !== true && (control === identifier || evidence?.control === identifier);
