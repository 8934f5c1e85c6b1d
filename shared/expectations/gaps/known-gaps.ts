import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Table } from '#shared/table/table.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import type { Ongoing } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { type GapSubject, subjectKey } from '../rules/gaps/gap.ts';
import { endOf, type OngoingGap } from '../rules/gaps/plan.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { endGap } from './change-gap.ts';
import type { Watch } from './watched.ts';

/** The gaps that have not ended, as looks need them. */

/** Gaps that are read at the same time. */
const WIDTH = 16;

/** A gap that has not ended, as the look found it. */
export interface KnownGap {
  subject: string;
  gap: OngoingGap;
  /** Undefined if it cannot be read. */
  expectation: Expectation | undefined;
}

/** The key of a gap among those that have not ended. */
export const knownGapKey = (subject: GapSubject, expectation: string): string =>
  keyOf(subjectKey(subject), expectation);
const keyOf = (subject: string, expectation: string): string => `${subject}#${expectation}`;

/** Returns the gaps that have not ended, by subject and expectation. */
export async function knownGaps(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
): Promise<Map<string, KnownGap>> {
  const byId = new Map(expectations.map((one) => [one.id, one]));
  const known = await inParallel(ongoing, WIDTH, async (one) => {
    const expectation = byId.get(one.expectation);
    const gap = await ongoingGapOf(table, org, expectation, one);
    return [keyOf(one.subject, one.expectation), { subject: one.subject, gap, expectation }] as const;
  });
  return new Map(known);
}

/** Returns what a plan has to know of a gap that has not ended. @param expectation undefined if it cannot be read */
async function ongoingGapOf(
  table: Table,
  org: OrganizationId,
  expectation: Expectation | undefined,
  { gap: id, lastAt, since, isKnown, version }: Ongoing,
): Promise<OngoingGap> {
  return { id, lastAt, since, isKnown, replacedAt: await versionEnd(table, org, expectation, version) };
}

/** Returns when a version was replaced; null if it is the newest one. Reads the next version only if several followed. */
async function versionEnd(table: Table, org: OrganizationId, expectation: Expectation | undefined, version: number) {
  if (!expectation || expectation.version <= version) return null;
  if (expectation.version === version + 1) return expectation.changedAt;
  const next = await readExpectationVersion(table, org, expectation.name, version + 1);
  return next?.changedAt ?? expectation.changedAt;
}

/** Ends a gap whose subject the expectation is not about any more, or whose expectation is archived. */
export async function endWithoutSubject(
  { table, org, look }: { table: Table; org: OrganizationId; look: Look },
  { subject, gap }: KnownGap,
  { readGone }: Pick<Watch, 'readGone'>,
): Promise<void> {
  const { arrivals, archivedAt } = await readGone(subject, gap.id);
  const end = endOf(gap, arrivals);
  const endings = [
    ...(end ? [{ until: end.until, ended: end.ended }] : []),
    ...(archivedAt === null ? [] : [{ until: archivedAt, ended: 'archived' as const }]),
    { until: look.now, ended: 'left' as const },
  ];
  const [first] = endings.toSorted((one, other) => one.until - other.until);
  if (!first) return;
  const firstAfter = first.ended === 'arrived' ? { at: first.until, shown: null } : null;
  await endGap(table, org, gap.id, { ...first, firstAfter }, look);
}
