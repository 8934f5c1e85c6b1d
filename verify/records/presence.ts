import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { keyOf } from '#shared/base/proofs/covered-lines.ts';
import { contradictionOf, PresenceDay } from '#shared/environments/rules/reports/presence-day.ts';
import { Fault } from '../fault.ts';
import { Instant, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const DayLine = PresenceDay.extend({ environment: EnvironmentId, date: z.iso.date(), first: Instant, last: Instant });
type DayLine = z.infer<typeof DayLine>;

type LastDay = Pick<DayLine, 'date' | 'last'>;
/** The newest closed day of each environment that the log has, by id. */
export type LastDays = ReadonlyMap<string, LastDay>;

/**
 * Verifies that what came on a day does not contradict itself, and that days follow each other (rules/verification.md#presence). That each
 * line is what the audit log says is verified with the other covered records.
 *
 * @returns the last days: they were closed before any record of the export was read
 */
export async function verifyPresence(state: Pick<ProofState, 'files' | 'scope' | 'covers'>): Promise<LastDays> {
  const days = new Map<string, LastDay>();
  let before: DayLine | undefined;
  for await (const [place, line] of recordsOf(state, 'presence', DayLine, 'day')) {
    const { environment, date } = line;
    const contradiction = contradictionOf(date, line);
    if (contradiction !== null) {
      throw new Fault(
        place,
        `the presence of environment ${environment} on ${date} contradicts itself: ${contradiction}`,
      );
    }
    const isNext = before?.environment === environment;
    if (isNext && before && (date <= before.date || line.before < before.last)) {
      throw new Fault(
        place,
        `the presence of environment ${environment} on ${date} does not follow on that of ${before.date}`,
      );
    }
    before = line;
    const isLater = state.covers.changedLater('presence/day', keyOf('presence/day', line));
    if (!isLater && date > (days.get(environment)?.date ?? '')) days.set(environment, { date, last: line.last });
  }
  return days;
}
