import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { applySeed } from '#shared/store/seed.ts';
import { Table } from '#shared/store/table.ts';
import { systemClock } from '#shared/time.ts';
import { onlyLocal } from '#test/support/table.ts';

/** What stories of clients have in common: one stack for all, an organization for each file. */

/** A name that no other file has: organizations of the shared stack are told apart by it. */
export const nameOfFile = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`;

/** Makes organizations and users in the shared stack. @returns the address of its API */
export async function seedSharedStack(seed: unknown): Promise<string> {
  const { url, dynamodb } = inject('stack');
  const client = localDatabase(onlyLocal(dynamodb));
  try {
    await applySeed({ table: new Table(client, LOCAL.tableName), clock: systemClock() }, seed);
  } finally {
    client.destroy();
  }
  return url;
}
