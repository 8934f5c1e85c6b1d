import { shortName } from '#shared/base/reasons/artifact-name.ts';
import type { StateName } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { Gap } from '../operations.ts';

/** Gaps in words: what was missing, for how long, and why it ended. */

const STATES: Readonly<Record<Gap['state'], StateName>> = {
  open: 'missed',
  closed: 'ended',
  excused: 'excused',
  unknown: 'unknown',
};

export const stateOfGap = ({ state }: Pick<Gap, 'state'>): StateName => STATES[state];

/** A subject by the names that it has now. */
export type NamedSubject = Omit<Gap['subject'], 'type'> & { type: string };

/** The name of a subject: an environment, a flow, `release-42 of payments`, `web in prod`. */
export function subjectText({ type, environment, flow, trail, name, fingerprint }: NamedSubject): string {
  switch (type) {
    case 'trail':
      return `${trail ?? ''} of ${flow ?? ''}`;
    case 'artifact':
      return `${shortName(name ?? '') || (fingerprint ?? '').slice(0, 8)} in ${environment ?? ''}`;
    case 'scope':
      return 'the whole scope';
    case 'environment':
      return environment ?? '';
    default:
      return flow ?? '';
  }
}

/** What did not come, by the kind of the expectation. */
const MISSING: Readonly<Record<string, string>> = {
  reports: 'no report of',
  evidence: 'no new evidence for',
  activity: 'no new trail in',
  completion: 'no full evidence for',
  decision: 'no decision about',
};

const ENDED: Readonly<Record<NonNullable<Gap['ended']>, string>> = {
  arrived: 'It ended when it came.',
  changed: 'It ended because the expectation was changed or archived.',
  archived: 'It ended because the environment was archived.',
  left: 'It ended because the subject left the scope.',
};

/** What a gap fired: that it began, and that something came. Unknown time fires nothing, unless the service only saw it late. */
export function eventsOfGap({
  state,
  ended,
  unknown_seconds: unknown,
}: Pick<Gap, 'state' | 'ended' | 'unknown_seconds'>) {
  if (state === 'unknown' && unknown > 0) return [];
  const missed = { trigger: 'ON_EXPECTATION_MISSED', text: 'that it was missed' };
  return ended === 'arrived' ? [missed, { trigger: 'ON_EXPECTATION_MET_AGAIN', text: 'that it came again' }] : [missed];
}

/** How long a gap lasts or lasted, in seconds. @param now seconds since 1970 */
export const lengthOfGap = ({ from, until }: Pick<Gap, 'from' | 'until'>, now: number): number =>
  Math.max(0, (until ?? now) - from);

/** What did not come and for how long, and whether somebody has to act. */
export function gapSentence(gap: Gap, now: number): string {
  const missing = `${MISSING[gap.kind] ?? 'nothing of'} ${subjectText(gap.subject)}`;
  const text = `${missing.charAt(0).toUpperCase()}${missing.slice(1)}`;
  const long = duration(lengthOfGap(gap, now));
  if (gap.state === 'unknown' && gap.unknown_seconds === 0) {
    return `What was expected of ${subjectText(gap.subject)} came in time, but the service itself saw it late. So it counts for nobody.`;
  }
  if (gap.state === 'unknown') {
    return `${text} for ${long}, but the service itself did not run for ${duration(gap.unknown_seconds)} of it. So it counts for nobody.`;
  }
  const excused = gap.state === 'excused' ? ' Somebody explained it.' : '';
  if (gap.until === null) return `${text} for ${long}, and it lasts.${excused}`;
  return `${text} for ${long}. ${gap.ended === null ? '' : ENDED[gap.ended]}${excused}`.trim();
}

/** What the list of gaps says first. */
export function gapListSentence(gaps: readonly Pick<Gap, 'state'>[], hasMore: boolean, isFiltered: boolean): string {
  if (gaps.length === 0) return isFiltered ? 'No gap fits the filter.' : 'Nothing that was expected has been missing.';
  const open = gaps.filter(({ state }) => state === 'open').length;
  const shown = hasMore ? `the newest ${count(gaps.length, 'gap')}` : count(gaps.length, 'gap');
  return open === 0 ? `None of ${shown} lasts.` : `${open} of ${shown} ${open === 1 ? 'lasts' : 'last'}.`;
}

/** A stretch of a strip. */
interface GapStretch {
  from: number;
  to: number;
  state: StateName;
}

/**
 * The stretches of a period: the gaps, and what lies between them. Time in which the service itself did not run is left out, so
 * that a strip shows nothing there.
 *
 * @param gaps of one subject and one expectation, or of several: what is wrong covers what is right
 * @param since when the subject was first expected
 */
export function gapStretches(
  gaps: readonly Gap[],
  { from, to, since }: { from: number; to: number; since: number },
): GapStretch[] {
  const shown = gaps
    .map((gap) => ({ gap, from: Math.max(gap.from, from), to: Math.min(gap.until ?? to, to) }))
    .filter((one) => one.to > one.from)
    .toSorted((one, other) => one.from - other.from);
  const stretches: GapStretch[] = [];
  let at = Math.max(from, since);
  for (const { gap, from: begin, to: end } of shown) {
    if (begin > at) stretches.push({ from: at, to: begin, state: 'met' });
    if (gap.state !== 'unknown') {
      stretches.push({ from: begin, to: end, state: gap.state === 'excused' ? 'excused' : 'missed' });
    }
    at = Math.max(at, end);
  }
  if (at < to) stretches.push({ from: at, to, state: 'met' });
  return stretches;
}
