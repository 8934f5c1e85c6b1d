import * as z from 'zod';
import { goneRecords } from '#shared/log/gone-records.ts';
import { LogNotRecovered, recoverLog } from '#shared/log/recover.ts';
import { LogDiffers } from '#shared/log/rules/log-differs.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { command, done, refused } from './command.ts';

/** Entries that one call brings back. The function has 15 minutes. */
const AT_MOST = 20_000;
/** Records that an answer names. */
const NAMED = 500;

/**
 * Makes the state of a log right that somebody changed, brings back the entries that the table lost in a restore, and names
 * those whose records are gone
 * (rules/log.md#recover-a-log).
 */
export const recoverLogCommand = command({
  name: 'recover-log',
  schema: z.strictObject({ organization: z.string() }),
  runsInMaintenance: true,
  run: async ({ organization }, { table, objects, clock, keys, origin, directory }) => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    try {
      const services = { table, objects, clock, origin, logKey: keys.log };
      const { mended, from, size, entries, hasMore } = await recoverLog(services, org.id, AT_MOST);
      const gone = await goneRecords(table, org.id, entries);
      // The sweeps publish the logs of listed organizations.
      await listActive(table, org.id, clock.now());
      const facts = {
        mended,
        entries_before: from,
        entries: size,
        has_more: hasMore,
        gone_records: gone.length,
        gone: gone.slice(0, NAMED),
      };
      if (hasMore) return done('The bucket holds further entries. Repeat the command', facts);
      return done(
        entries.length === 0 && mended.length === 0
          ? 'The table has all entries that the bucket has'
          : 'The log is complete',
        facts,
      );
    } catch (error) {
      if (error instanceof LogNotRecovered || error instanceof LogDiffers) return refused(error.message);
      throw error;
    }
  },
});
