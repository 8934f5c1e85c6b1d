import { listed } from '../../model/words.ts';
import type { Environment } from '../operations.ts';
import { policySilence } from './state-reason.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Silence = Pick<Environment, 'silent_since' | 'silent_members' | 'usual_report_interval'> & {
  state_reason?: Environment['state_reason'];
};

/**
 * Returns what is to be said about the reports of an environment: `no report for 26 h; usually every minute`. Of a logical
 * environment it names the members: `no report from edge for 26 h`.
 *
 * @param now seconds since 1970
 * @returns null if reports come as usual, or if nobody knows what is usual and no policy misses them
 */
export function silenceText(
  { silent_since: since, silent_members: members, usual_report_interval: usual, state_reason: reason }: Silence,
  now: number,
) {
  if (since === null || since === undefined) return policyText(reason, now);
  const from = members ? ` from ${listed(members)}` : '';
  const often = usual === null || usual === undefined ? '' : `; usually every ${everyText(usual)}`;
  const long = rounded(now - since);
  return `no report${from} for ${members && members.length > 1 ? `up to ${long}` : long}${often}`;
}

/** Without a usual interval, a policy can say that reports are missing. */
function policyText(reason: Environment['state_reason'] | undefined, now: number): string | null {
  const silence = policySilence(reason);
  if (silence === null) return null;
  const from = silence.member === null ? '' : ` from ${silence.member}`;
  return `no report${from} for ${rounded(now - silence.since)}; a policy expects more`;
}

/** The same as a sentence behind another one; empty if there is nothing to say. */
export function silenceSentence(environment: Silence, now: number): string {
  const text = silenceText(environment, now);
  return text === null ? '' : ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What the first sentence of a list says about silent reporters; empty if there is none. Logical environments only repeat it. */
export function silentSentence(environments: readonly (Silence & Pick<Environment, 'name' | 'type'>)[]): string {
  const silent = environments.filter(
    ({ silent_since: since, state_reason: reason, type }) =>
      (typeof since === 'number' || policySilence(reason) !== null) && type !== 'logical',
  );
  if (silent.length === 0) return '';
  return ` ${listed(silent.map(({ name }) => name))} ${silent.length === 1 ? 'is' : 'are'} silent.`;
}

/** `minute`, `5 min`, `hour`, `2 h`, `day`: what comes behind «every». */
function everyText(seconds: number): string {
  if (seconds < 0.75 * MINUTE) return `${Math.round(seconds)} s`;
  if (seconds < 1.5 * MINUTE) return 'minute';
  if (seconds < 0.9 * HOUR) return `${Math.round(seconds / MINUTE)} min`;
  if (seconds < 1.5 * HOUR) return 'hour';
  if (seconds < 0.9 * DAY) return `${Math.round(seconds / HOUR)} h`;
  return seconds < 1.5 * DAY ? 'day' : `${Math.round(seconds / DAY)} d`;
}

/** Only the largest unit; hours up to two days, because «26 h» is read faster than «1 d 2 h». */
function rounded(seconds: number): string {
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.round(seconds / HOUR)} h` : `${Math.round(seconds / DAY)} d`;
}
