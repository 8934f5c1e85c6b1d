import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { ensureTable } from '#infra/local/dynamodb.ts';
import { Table } from '#shared/store/table.ts';
import { holdTable } from './declared-uses.ts';

/** A new table of the deployed definition. Make one per test file, and keep tests apart by organization. */
export async function testTable(endpoint: string = inject('dynamodb')): Promise<Table> {
  const name = `test-${randomUUID()}`;
  await ensureTable(onlyLocal(endpoint), name);
  return new Table(holdTable(localDatabase(endpoint)), name);
}

/** Tests write and erase at will, so they must never reach anything but this machine. */
export function onlyLocal(endpoint: string): string {
  const { hostname } = new URL(endpoint);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') throw new Error(`Tests refuse to write to ${hostname}`);
  return endpoint;
}
