import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { type Duration, type Micros, minus } from '#shared/base/time.ts';
import { readAllowedSilences } from '#shared/policies/records/allowed-silences.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentEntry, EnvironmentHead } from '../records/environment-records.ts';
import { readEntries } from '../records/environments.ts';
import {
  type LastReport,
  oldestReport,
  type PresentState,
  presentState,
  SHORTEST_SILENCE,
  shortestSilence,
  silenceReason,
} from '../rules/reports/present-state.ts';

/**
 * Reads the verdict of an environment as it is now (rules/environments.md#present-state). If its last report is younger than the
 * shortest silence of a policy, nothing is read.
 *
 * @param entry its entry in the catalogue; null once it is archived; undefined = to be read
 */
export async function readPresentState(
  table: Table,
  org: OrganizationId,
  head: Pick<EnvironmentHead, 'id' | 'kind' | 'policies' | 'members' | 'state' | 'freshUntil'>,
  now: Micros,
  entry?: EnvironmentEntry | null,
): Promise<PresentState> {
  return presentState(head, await readSilenceReason(table, org, head, now, entry), now);
}

async function readSilenceReason(
  table: Table,
  org: OrganizationId,
  head: Pick<EnvironmentHead, 'id' | 'kind' | 'policies' | 'members'>,
  now: Micros,
  entry?: EnvironmentEntry | null,
): Promise<string | null> {
  if (head.policies.length === 0) return null;
  const reports = await readLastReports(table, org, head, entry);
  if (!mayBeSilent(reports, now)) return null;
  const allowed = await readAllowedSilences(table, org);
  return silenceReason(shortestSilence(head.policies.map((id) => allowed.get(id))), reports, now);
}

/** Reads when an environment reported last; of a logical one, when its members did, 100 with one call. */
export async function readLastReports(
  table: Table,
  org: OrganizationId,
  { id, kind, members }: Pick<EnvironmentHead, 'id' | 'kind' | 'members'>,
  entry?: EnvironmentEntry | null,
): Promise<LastReport[]> {
  if (kind === 'logical') return lastReportsOf(await readEntries(table, org, members));
  const [own] = entry === undefined ? await readEntries(table, org, [id]) : [entry];
  return own ? [{ member: null, at: own.r }] : [];
}

/** @param members the entries of the members of a logical environment */
export const lastReportsOf = (members: readonly EnvironmentEntry[]): LastReport[] =>
  members.map(({ n, r }) => ({ member: n, at: r }));

/** Whether the oldest report is old enough for any policy, so that policies have to be read. */
function mayBeSilent(reports: readonly LastReport[], now: Micros): boolean {
  const oldest = oldestReport(reports);
  return oldest !== null && oldest.at < minus(now, SHORTEST_SILENCE);
}

/** Reads the verdicts of several environments as they are now, with one read of policies if any of them may be silent. */
export async function readPresentStates(
  table: Table,
  org: OrganizationId,
  environments: readonly ListedState[],
  now: Micros,
): Promise<Map<EnvironmentId, PresentState>> {
  const quiet = environments.filter(({ policies, reports }) => policies.length > 0 && mayBeSilent(reports, now));
  const allowed: ReadonlyMap<PolicyId, Duration> =
    quiet.length === 0 ? new Map() : await readAllowedSilences(table, org);
  const allowedBy = ({ policies }: ListedState) => shortestSilence(policies.map((id) => allowed.get(id)));
  return new Map(
    environments.map((one) => [one.id, presentState(one, silenceReason(allowedBy(one), one.reports, now), now)]),
  );
}

/** An environment of a list, with what its verdict depends on. */
export interface ListedState {
  id: EnvironmentId;
  state: boolean | null;
  freshUntil?: Micros | undefined;
  policies: readonly PolicyId[];
  reports: readonly LastReport[];
}
