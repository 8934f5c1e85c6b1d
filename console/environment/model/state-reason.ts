import { fullTime } from '../../model/time.ts';

/** Why an environment has another verdict than its newest snapshot: silence, or age (rules/environments.md#present-state). */

const SILENCE = /^No report(?: of '(.+)')? since (\S+)$/;
const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/;

/** Since when an attached policy misses reports, and of which member of a group; null if the reason is another one. */
export function policySilence(reason: string | null | undefined): { member: string | null; since: number } | null {
  const [, member = null, text = ''] = SILENCE.exec(reason ?? '') ?? [];
  const since = Date.parse(text) / 1000;
  return Number.isFinite(since) ? { member, since } : null;
}

interface Judged {
  state: boolean | null;
  state_reason?: string | null | undefined;
}

/** What is said before everything else: `Unknown: no report since 28 Nov 2026, 22:14:03 UTC.`; empty without a reason. */
export function stateReasonText({ state, state_reason: reason }: Judged): string {
  if (reason === null || reason === undefined) return '';
  const word = state === null ? 'Unknown' : state ? 'Compliant' : 'Not compliant';
  const text = reason.replace(INSTANT, (at) => fullTime(Date.parse(at) / 1000, 'utc'));
  return `${word}: ${text.charAt(0).toLowerCase()}${text.slice(1)}.`;
}

const VERDICT = /^(?:Compliant|Not compliant|Unknown):/;

/** The verdict of the newest snapshot where a reason replaced it: it is what was true, not what is. */
export function asOfSnapshot({ state_reason: reason }: Pick<Judged, 'state_reason'>, sentence: string): string {
  if (reason === null || reason === undefined || !VERDICT.test(sentence)) return sentence;
  return `The snapshot was ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}
