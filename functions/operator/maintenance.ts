import * as z from 'zod';
import { setClosed } from '#shared/table/table-state.ts';
import { command, done } from './command.ts';

/** Begins or ends maintenance (rules/requests.md#maintenance). Every function keeps to it within ten seconds. */
export const maintenance = command({
  name: 'maintenance',
  schema: z.strictObject({ enabled: z.boolean() }),
  runsInMaintenance: true,
  run: async ({ enabled }, { table, clock }) => {
    await setClosed(table, enabled ? clock.now() : undefined);
    return done(enabled ? 'The service answers reads and takes no changes' : 'The service takes changes', { enabled });
  },
});
