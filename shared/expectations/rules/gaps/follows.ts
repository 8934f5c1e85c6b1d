import { type Duration, EPOCH, latestOf, plus } from '#shared/base/time.ts';
import type { Expectation } from '../expectation.ts';
import { type Gap, gapId } from './gap.ts';
import { dueOf, isTooLong } from './silence.ts';

/** The clocks of two processes of the service differ by less. */
const CLOCK_ERROR: Duration = 60_000_000;

/**
 * Computes again what a gap says, as far as its expectation and its own times tell (rules/expectations.md#gaps).
 *
 * @param version the version of the expectation that the gap names; undefined if there is none
 * @returns what does not follow, as a clause; null if everything does
 */
export function wrongInGap(gap: Gap, version: Expectation | undefined): string | null {
  if (!version) return `its expectation has no version ${gap.expectation.version}`;
  const terms = ['kind', 'severity', 'owner', 'every', 'grace'] as const;
  const other = terms.find((term) => gap[term] !== version[term]);
  if (other) return `its version has another '${other}'`;
  if (gap.id !== gapId(gap.expectation.id, gap.subject, gap.from))
    return 'its id belongs to another beginning or subject';
  const since = latestOf(gap.lastBefore?.at ?? EPOCH, version.startsAt);
  if (gap.since < since) return 'the silence counts from before the last arrival or the beginning of the expectation';
  if (gap.from < plus(gap.since, gap.every)) return 'it begins before something was missing';
  if (version.version > 1 && gap.from < version.changedAt) return 'it begins before its version';
  if (gap.detectedAt <= dueOf(gap, gap.since) - CLOCK_ERROR) return 'it was found before it was due';
  return wrongEnd(gap);
}

function wrongEnd(gap: Gap): string | null {
  const { until, ended, firstAfter, state } = gap;
  if (gap.wasOpen && (state !== 'unknown' || ended !== 'arrived')) return 'it counts as seen late and is not unknown';
  if ((until === null) !== (ended === null)) return 'it has an end or a reason of its end, and not both';
  if (until === null) return state === 'closed' ? 'it is closed and has no end' : null;
  if (state === 'open') return 'it is open and has an end';
  if (until < gap.from) return 'it ends before it begins';
  if ((ended === 'arrived') !== (firstAfter !== null)) return 'its end and the first arrival after it do not fit';
  if (firstAfter && latestOf(firstAfter.at, gap.from) !== until)
    return 'it does not end with the first arrival after it';
  const isLong = isTooLong(gap, gap.since, until, gap.unknown);
  return state === 'unknown' && isLong ? 'it is too long even without its unknown time' : null;
}
