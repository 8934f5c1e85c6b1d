import { environmentEventPartition } from '#shared/environments/records/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { Setting } from './relayed-environments.ts';

/** Events of an environment as they lie in the table, in order. */
export const eventsIn =
  (table: Table) =>
  async (setting: Setting, env = 'prod'): Promise<Item[]> =>
    table.query({ pk: environmentEventPartition(setting.id, await setting.environmentId(env)) });
