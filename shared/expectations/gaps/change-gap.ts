import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { after, latestOf, type Micros } from '#shared/base/time.ts';
import { type AuditedChange, auditWrite, SERVICE } from '#shared/organizations/records/audit.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changedGapWrites, newGapWrites, readGap } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { type Arrival, type Gap, type GapEnd, type GapSubject, gapId } from '../rules/gaps/gap.ts';
import { dueOf, isTooLong, type Overdue } from '../rules/gaps/silence.ts';
import { type UnknownTime, unknownWithin } from '../rules/gaps/unknown-time.ts';
import { gapFacts } from './gap-facts.ts';

/** Opening and closing gaps of any kind. Each change is one transaction with its audit entry. */

/** What opening and closing gaps writes. */
export const CHANGE_GAPS: Uses = { writes: ['GAP', 'ONGOING', 'AUDIT'], removes: ['ONGOING'] };

/** A silence of a subject that is longer than an expectation allows. */
interface FoundGap {
  expectation: Expectation;
  subject: GapSubject;
  overdue: Overdue;
  lastBefore: Arrival | null;
  /** How it ended; null = it lasts. */
  end: { until: Micros; firstAfter: Arrival | null } | null;
}

/** Returns a new gap. */
export function gapOf({ expectation, subject, overdue, lastBefore, end }: FoundGap, now: Micros): Gap {
  const { id, name, version, kind, severity, owner, every, grace } = expectation;
  const { since, from, unknown, isKnown } = overdue;
  const lasting = isKnown ? ('open' as const) : ('unknown' as const);
  return {
    v: 1,
    id: gapId(id, subject, from),
    rev: 1,
    expectation: { id, name, version },
    kind,
    severity,
    owner,
    subject,
    every,
    grace,
    since,
    state: end && isKnown ? 'closed' : lasting,
    from,
    detectedAt: now,
    changedAt: now,
    until: end?.until ?? null,
    ended: end ? 'arrived' : null,
    lastBefore,
    firstAfter: end?.firstAfter ?? null,
    unknown,
    explanation: null,
  };
}

/**
 * Stores a new gap (rules/expectations.md#gaps). It is harmless to store a gap twice.
 *
 * @param guard writes that make sure that nothing came meanwhile; they belong to the same transaction
 * @returns `known` if the gap is stored, or if another gap of the same expectation and subject lasts; otherwise what a write
 *   of `guard` was refused with
 */
export async function storeGap<R = never>(
  table: Table,
  org: OrganizationId,
  gap: Gap,
  guard: readonly Write<R>[] = [],
): Promise<'done' | 'known' | R> {
  const { writes, covers } = newGapWrites(org, gap);
  return table.transact<'known' | R>([
    ...writes,
    ...guard,
    audited(org, gap.detectedAt, { kind: 'gap.opened', after: gapFacts(gap), covers }, gap),
  ]);
}

/** How a gap ends. */
interface GapEnding {
  until: Micros;
  ended: GapEnd;
  firstAfter: Arrival | null;
}

/**
 * Ends a gap. A gap that ended before stays as it is.
 *
 * @param unknown unknown time of the service, at least from the beginning of the silence on
 * @returns the gap as it is now; null if there is none
 */
export const endGap = (
  table: Table,
  org: OrganizationId,
  id: Id,
  { until, ended, firstAfter }: GapEnding,
  { unknown, now }: { unknown: readonly UnknownTime[]; now: Micros },
): Promise<Gap | null> =>
  changeGap(table, org, id, now, 'gap.closed', (gap) => {
    // Clocks of two processes can differ by more than a gap lasts.
    const end = latestOf(until, gap.from);
    const within = unknownWithin(unknown, gap.since, end);
    const ending = { until: end, ended, firstAfter, unknown: within };
    // It was on its way when the gap was found: the service saw it late.
    if (gap.state === 'open' && ended === 'arrived' && until <= dueOf(gap, gap.since))
      return { ...gap, ...ending, state: 'unknown', wasOpen: true };
    // Another gap that was known to be one stays one: its end adds nothing but time.
    const isKnown = gap.state === 'open' || isTooLong(gap, gap.since, end, within);
    return { ...gap, ...ending, state: isKnown ? 'closed' : 'unknown' };
  });

/** Turns an interval that was unknown into an open gap: it is too long now without its unknown time. */
export const raiseGap = (
  table: Table,
  org: OrganizationId,
  id: Id,
  unknown: UnknownTime[],
  now: Micros,
): Promise<Gap | null> =>
  changeGap(table, org, id, now, 'gap.opened', (gap) =>
    gap.state === 'unknown' ? { ...gap, state: 'open', detectedAt: now, unknown } : gap,
  );

async function changeGap(
  table: Table,
  org: OrganizationId,
  id: Id,
  now: Micros,
  kind: 'gap.opened' | 'gap.closed',
  change: (gap: Gap) => Gap,
): Promise<Gap | null> {
  return retrying(async () => {
    const gap = await readGap(table, org, id);
    if (!gap) return null;
    const changed = gap.until === null ? change(gap) : gap;
    if (changed === gap) return gap;
    const next = { ...changed, rev: gap.rev + 1, changedAt: after(gap.changedAt, now) };
    const { writes, covers } = changedGapWrites(org, gap, next);
    const entry = { kind, before: gapFacts(gap), after: gapFacts(next), covers } as const;
    const result = await table.transact<'again'>([...writes, audited(org, next.changedAt, entry, next)]);
    return result === 'again' ? result : next;
  });
}

/** The service itself opens and closes gaps. */
const audited = (org: OrganizationId, at: Micros, change: Omit<AuditedChange, 'subject'>, gap: Gap): Write =>
  auditWrite(
    org,
    { at, actor: SERVICE },
    { ...change, subject: { type: 'gap', id: gap.id, name: gap.expectation.name } },
  );
