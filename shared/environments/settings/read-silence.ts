import type { OrganizationId } from '#shared/base/ids.ts';
import { type Duration, earliestOf, type Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentEntry, EnvironmentHead } from '../records/environment-records.ts';
import { readEntries } from '../records/environments.ts';
import { silenceOf } from '../rules/reports/silence.ts';

/** What answers say about the silence of reporters (rules/environments.md#silence). */
export interface ShownSilence {
  /** The usual time between two reports, in microseconds; null if it is not known, and for logical environments. */
  usual: Duration | null;
  /** The last report of a silent environment; of a logical one the oldest last report of its silent members. Else null. */
  since: Micros | null;
  /** Names of the silent members. */
  members: string[];
}

/**
 * Reads whether the reports of an environment stopped. Of a logical environment it reads the entries of its members, 100
 * with one call.
 *
 * @param now by the clock of the service
 */
export async function readSilence(
  table: Table,
  org: OrganizationId,
  { head, entry }: { head: Pick<EnvironmentHead, 'members'>; entry: EnvironmentEntry | null },
  now: Micros,
): Promise<ShownSilence> {
  return shownSilence(entry, await readEntries(table, org, head.members), now);
}

/**
 * Returns the silence of an environment.
 *
 * @param entry its entry in the catalogue; null once it is archived
 * @param members the entries of its members, if it is logical
 */
export function shownSilence(
  entry: EnvironmentEntry | null,
  members: readonly EnvironmentEntry[],
  now: Micros,
): ShownSilence {
  if (!entry) return { usual: null, since: null, members: [] };
  if (entry.k !== 'logical') return { ...silenceOf(entry, now), members: [] };
  const silent = members.flatMap((member) => {
    const { since } = silenceOf(member, now);
    return since === null ? [] : [{ name: member.n, since }];
  });
  const since = silent.length === 0 ? null : earliestOf(...silent.map(({ since: at }) => at));
  return { usual: null, since, members: silent.map(({ name }) => name) };
}
