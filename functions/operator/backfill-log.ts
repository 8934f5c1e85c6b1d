import * as z from 'zod';
import { type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import { backfillLog } from '#shared/log/backfill.ts';
import { LogBehind } from '#shared/log/guard.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { LogDiffers } from '#shared/log/rules/log-differs.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { command, done, refused } from './command.ts';

/** After this time, in microseconds, no further portion begins. The function has 15 minutes. */
const ENOUGH_MICROS = 10 * 60_000_000;
/** Records that an answer names. */
const NAMED = 100;

/** Appends to a log what was written before the log existed (rules/log.md#backfill). */
export const backfillLogCommand = command({
  name: 'backfill-log',
  schema: z.strictObject({ organization: z.string() }),
  run: async ({ organization }, { table, objects, clock, origin, directory }) => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const begun = clock.now();
    const isTime = () => clock.now() - begun < ENOUGH_MICROS;
    const skipped: Record<string, unknown>[] = [];
    const write = workerLog('backfill-log', undefined, undefined, 'operator');
    const log: WorkerLog = (message, facts) => {
      const { stack: _, ...named } = facts;
      skipped.push({ message, ...named });
      write(message, facts);
    };
    const services = { table, objects, clock, origin, guarded: new GuardedLogs() };
    try {
      const backfilled = await backfillLog(services, org.id, { log, isTime });
      if (backfilled === 'busy') return refused('Other writers were in the way. Repeat the command');
      const { appended, isDone } = backfilled;
      // The sweeps publish the logs of listed organizations.
      await listActive(table, org.id, clock.now());
      const facts = { appended, done: isDone, problems: skipped.length, skipped: skipped.slice(0, NAMED) };
      return done(isDone ? 'The log has everything that was accepted' : 'There is more. Repeat the command', facts);
    } catch (error) {
      if (error instanceof LogBehind || error instanceof LogDiffers) {
        return refused(`${error.message}. Run recover-log first`);
      }
      throw error;
    }
  },
});
