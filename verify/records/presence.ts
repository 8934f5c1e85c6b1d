import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { contradictionOf, PresenceDay } from '#shared/environments/rules/reports/presence-day.ts';
import { Fault } from '../fault.ts';
import { recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const DayLine = PresenceDay.extend({ environment: EnvironmentId, date: z.iso.date() });

/**
 * Verifies that what came on a day does not contradict itself, and that days follow each other (rules/verification.md#presence). That each
 * line is what the audit log says is verified with the other covered records.
 */
export async function verifyPresence(state: ProofState): Promise<void> {
  let before: z.infer<typeof DayLine> | undefined;
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
  }
}
