import { timeText } from '#shared/base/texts/instants.ts';
import { type Duration, earliestOf, type Micros, plus } from '#shared/base/time.ts';

/** What time alone does to verdicts (rules/environments.md#present-state). Nothing is written when it happens. */

/** A reporter whose last report is younger is never silent, so its policies need not be read. */
export const SHORTEST_SILENCE: Duration = 5 * 60 * 1_000_000;

/** The last report of an environment, or of a member of a logical one. */
export interface LastReport {
  /** Name of the member; null for the environment itself. */
  member: string | null;
  /** Time of the report; 0 = never. */
  at: Micros;
}

/** What the verdict of an environment is at an instant. */
export interface PresentState {
  state: boolean | null;
  /** Why the state is another one than the stored one; null if it is the stored one. */
  reason: string | null;
}

/** Returns the shortest silence that policies allow; null if none of them limits it. */
export function shortestSilence(limits: readonly (Duration | null | undefined)[]): Duration | null {
  const given = limits.filter((limit) => typeof limit === 'number');
  return given.length === 0 ? null : Math.min(...given);
}

/** Returns the report whose silence ends first: the oldest one. An environment that never reported is not silent. */
export function oldestReport(reports: readonly LastReport[]): LastReport | null {
  const known = reports.filter(({ at }) => at > 0);
  return known.reduce<LastReport | null>((oldest, one) => (oldest && oldest.at <= one.at ? oldest : one), null);
}

/**
 * Returns why an environment is unknown at an instant, if its reporter, or that of a member, is silent for longer than a policy
 * allows (rules/policies.md#max-silence).
 *
 * @param allowed null = no policy limits the silence
 * @returns null unless it is silent
 */
export function silenceReason(allowed: Duration | null, reports: readonly LastReport[], now: Micros): string | null {
  const oldest = oldestReport(reports);
  if (allowed === null || oldest === null || now <= plus(oldest.at, allowed)) return null;
  const of = oldest.member === null ? '' : ` of '${oldest.member}'`;
  return `No report${of} since ${timeText(oldest.at)}`;
}

/** Returns the last instant at which silence leaves a verdict as it is; null if it never changes the verdict. */
export function heardUntil(allowed: Duration | null, reports: readonly LastReport[]): Micros | null {
  const oldest = oldestReport(reports);
  return allowed === null || oldest === null ? null : plus(oldest.at, allowed);
}

/**
 * Returns the verdict of an environment at an instant: unknown if a reporter is silent, not compliant if evidence has become too
 * old since the last evaluation, else the stored one.
 *
 * @param freshUntil the last instant at which age alone changes no verdict of what runs; 0 or absent = age changes none
 * @param silence as {@link silenceReason} returns it
 */
export function presentState(
  { state, freshUntil }: { state: boolean | null; freshUntil?: Micros | undefined },
  silence: string | null,
  now: Micros,
): PresentState {
  if (silence !== null) return { state: null, reason: silence };
  if (state === true && freshUntil && now > freshUntil) {
    return { state: false, reason: `An attestation is older than a policy allows since ${timeText(freshUntil)}` };
  }
  return { state, reason: null };
}

/** Returns the earlier of two instants after which something changes; null if nothing does. */
export const earlierEnd = (one: Micros | null, other: Micros | null): Micros | null =>
  one === null || other === null ? (one ?? other) : earliestOf(one, other);
