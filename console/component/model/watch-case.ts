import type { StateName } from '../../model/states.ts';
import { duration, fullTime } from '../../model/time.ts';
import { listed } from '../../model/words.ts';
import type { CaseEvent, Watch, WatchCase } from '../watch/operations.ts';

/** What is said of watches and their cases (rules/watches.md#case). All times of a case are in UTC, because it is a working paper. */

const time = (at: number): string => fullTime(at, 'utc');

const runsIn = ({ environments }: WatchCase): string[] =>
  environments.filter(({ until }) => until === null).map(({ environment }) => environment);

/** What runs, what ran, what was only built, and what is said not to be affected. */
export function caseState(found: WatchCase): StateName {
  if (runsIn(found).length > 0) return 'affected';
  if (!found.complete || found.watch.asked_at === null) return 'unknown';
  if (found.affected_builds > 0) return 'stopped';
  return found.not_affected_builds > 0 ? 'not-affected' : 'absent';
}

/** The verdict of a case: where it runs, and how much of the 24 hours is left. */
export function caseSentence(found: WatchCase, now: number): string {
  const running = runsIn(found);
  const parts = [
    running.length > 0 && `Affected artifacts run in ${listed(running)}.`,
    running.length === 0 && found.stopped_at !== null && `Nothing affected runs since ${time(found.stopped_at)}.`,
    running.length === 0 && found.stopped_at === null && found.affected_builds > 0 && 'Nothing affected ever ran.',
    found.affected_builds === 0 &&
      (found.not_affected_builds > 0
        ? 'What holds an asked version is said not to be affected.'
        : 'No SBOM that counts lists an asked version.'),
    found.watch.asked_at === null && 'The question was not put to everything yet.',
    !found.complete && 'There are more builds than the case counts.',
    dueSentence(found, now),
  ];
  return parts.filter((part) => part !== false).join(' ');
}

function dueSentence({ due_at: due }: WatchCase, now: number): string | false {
  if (due === null) return false;
  return due > now
    ? `The 24 hours end in ${duration(due - now)}, at ${time(due)}.`
    : `The 24 hours ended ${duration(now - due)} ago, at ${time(due)}.`;
}

/** Since when the organization knows, and by what. */
export function knownText({ known_since: since, known_from: from, watch }: WatchCase): string {
  if (since === null) return 'Nobody said it, and nothing has matched.';
  return from === 'person' ? `${time(since)}, as ${watch.known_by} said` : `${time(since)}, by the first match`;
}

/** What happened, in words. */
export function eventText(event: CaseEvent): string {
  const { kind, by, note, environment, artifact_name: artifact, state, target } = event;
  const where = environment === undefined ? '' : ` in ${environment}`;
  switch (kind) {
    case 'asked':
      return `${by ?? 'Somebody'} began to watch`;
    case 'known':
      return `The organization knows, as ${by ?? 'somebody'} said${note ? `: ${note}` : ''}`;
    case 'matched':
      return environment === undefined ? 'The watch matched for the first time' : `The watch matched${where}`;
    case 'told':
      return `A message to ${target?.host ?? 'mail'} was made: ${state ?? 'unknown'}`;
    case 'started':
      return `The first affected artifact${artifact ? ` (${artifact})` : ''} started${where}`;
    case 'fixed':
      return `A fixed build${artifact ? ` of ${artifact}` : ''} was reported`;
    case 'stopped':
      return `The last affected artifact stopped${where}`;
  }
}

/** What the list of watches says first. */
export function watchListSentence(watches: readonly Watch[], isWhole: boolean): string {
  const matched = watches.filter(({ matched_at: at }) => at !== null).length;
  if (watches.length === 0) return 'Nobody watches a component.';
  const all = `${isWhole ? '' : 'More than '}${watches.length} ${watches.length === 1 ? 'watch' : 'watches'}`;
  return `${all}: ${matched === 0 ? 'none has matched' : `${matched} matched`}.`;
}
