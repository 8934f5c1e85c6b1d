import { count } from '../../model/words.ts';
import type { Build } from '../operations.ts';

interface Filters {
  repo?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** What the list of builds says first. */
export function buildListSentence(
  { total_count: total, has_builds_ever: hasEver }: { total_count: number; has_builds_ever: boolean },
  { repo, from, to }: Filters,
): string {
  const of = repo === undefined ? '' : ` of ${repo}`;
  if (!hasEver) return `Nobody has reported a build${of} yet.`;
  const when = periodText(from, to);
  return total === 0 ? `No build${of} ${when}.` : `${count(total, 'build')}${of} ${when}.`;
}

function periodText(from: string | undefined, to: string | undefined): string {
  if (from !== undefined && to !== undefined) return `from ${from} to ${to} (UTC)`;
  if (from !== undefined) return `since ${from} (UTC)`;
  return to === undefined ? 'in the last 28 days' : `in the 28 days until ${to} (UTC)`;
}

const DAY = 86_400;

/** Builds per day in UTC, the oldest day first. Days without a build are there, too. */
export function buildsPerDay(
  builds: readonly Pick<Build, 'created_at'>[],
  days: number,
  now: number,
): { date: string; count: number }[] {
  const counts = Map.groupBy(builds, ({ created_at: at }) => dateOf(at));
  return Array.from({ length: days }, (_, n) => dateOf(now - (days - 1 - n) * DAY)).map((date) => ({
    date,
    count: counts.get(date)?.length ?? 0,
  }));
}

const dateOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);
