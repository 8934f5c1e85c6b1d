import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import { type Duration, type Micros, secondsOf, within } from '#shared/base/time.ts';
import { askForQuietLog } from '#shared/log/ask-witnesses.ts';
import { walkLog } from '#shared/log/checks/walk.ts';
import type { LogServices } from '#shared/log/services.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { continueRound } from '#shared/sweeps/rounds.ts';

const HOUR: Duration = 3_600_000_000;
const DAY: Duration = 24 * HOUR;
/** Shorter than an hour, because the schedule calls every five minutes. */
const ASKED_EVERY: Duration = 50 * 60_000_000;
/** After this time, in milliseconds, a call begins nothing new. */
export const SWEEP_MILLIS = 40_000;
/** The time of one visit of an organization, in milliseconds. An organization with a large log is visited several times. */
const VISIT_MILLIS = 5_000;
/** A round over all logs that takes longer raises an alarm. */
const LATE: Duration = 2 * DAY;

interface SweepOptions {
  log?: WorkerLog;
  wallClock?: () => number;
}

/**
 * Continues the two rounds over all logs (rules/log.md#rounds). Once an hour witnesses are asked for the cosignatures that the
 * newest checkpoint of a log lacks. Once a day, soon after midnight UTC, the walk compares everything that is stored. A log that
 * fails is logged and is visited in the next round.
 */
export async function sweepAllLogs(
  services: LogServices,
  { log = workerLog('sweep', undefined, undefined, 'integrator'), wallClock = Date.now }: SweepOptions = {},
): Promise<void> {
  const { table, clock, witnesses } = services;
  const end = wallClock() + SWEEP_MILLIS;
  const isTime = () => wallClock() < end;
  const now = clock.now();
  const failed = (organization: OrganizationId, error: unknown): 'done' => {
    log('A log could not be compared with what was published', { organization, ...errorFacts(error) });
    return 'done';
  };
  if (witnesses) {
    const isDue = (startedAt: Micros) => startedAt + ASKED_EVERY <= now;
    await continueRound(
      table,
      { name: 'log-witnesses', readOrganizations: readOrganizationIds, now, isDue, isTime },
      async (org) => {
        await askForQuietLog(services, org, log).catch((error: unknown) => failed(org, error));
        return 'done';
      },
    );
  }
  const isDue = (startedAt: Micros) => Math.floor(startedAt / DAY) < Math.floor(now / DAY);
  const round = await continueRound(
    table,
    { name: 'log-walk', readOrganizations: readOrganizationIds, now, isDue, isTime },
    (org, since) => {
      const isVisitTime = within(VISIT_MILLIS, wallClock);
      const walk = walkLog(services, org, { since, log, isTime: () => isVisitTime() && isTime() });
      return walk.catch((error: unknown) => failed(org, error));
    },
  );
  if (round === null || round.isDone || now - round.startedAt < LATE) return;
  log('The walk over all logs has not ended', { age_seconds: secondsOf(now - round.startedAt) });
}
