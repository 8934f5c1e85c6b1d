import type { EnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { type Explanation, explainEvent } from '#shared/notifications/explain-event.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { readMatchNames } from './deliver-matches.ts';
import { readMatches } from './records/matches.ts';
import { readWatch } from './records/watches.ts';
import { matchId } from './rules/match.ts';
import { matchNotice, placeOfMatch } from './rules/match-notices.ts';

/** A match of a watch, and for each action whether it was notified. */
interface ExplainedMatch {
  /** With present names. */
  notice: Notice;
  actions: Explanation[];
}

/**
 * Explains for each action whether a match of a watch notified it (rules/notifications.md#who-was-told).
 *
 * @param environment undefined = the first match
 * @throws ServiceError `not-found` if there is no such match
 */
export async function explainMatch(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { watch: name, environment }: { watch: string; environment: EnvironmentName | undefined },
): Promise<ExplainedMatch> {
  const [watch, head] = await Promise.all([
    readWatch(table, org.id, name),
    environment === undefined ? null : findEnvironment(table, org.id, environment),
  ]);
  if (!watch || (environment !== undefined && !head)) throw eventNotFound();
  const [match] = await readMatches(table, org.id, [matchId(watch.id, head?.id ?? null)]);
  if (!match) throw eventNotFound();
  const namesOf = await readMatchNames(table, org.id, [match]);
  const notice = matchNotice(match, namesOf(match));
  const event = { notice, subject: placeOfMatch(match), at: match.at };
  return { notice, actions: await explainEvent(table, org.id, event) };
}
