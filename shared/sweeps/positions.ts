import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { positionKey } from './keys.ts';

/**
 * Positions of sweeps: how far the sweeps have checked a list of an organization for effects that the stream did not bring
 * (`rules/storage.md#lost-effects`). A position is a text that sorts like the list: an id, or a number of fixed width.
 */

const Position = z.object({ upTo: z.string() });

/** Reads the position up to which, inclusive, a list was checked; undefined if none is stored. */
export async function readPosition(table: Table, org: OrganizationId, list: string): Promise<string | undefined> {
  const item = await table.get(positionKey(org, list));
  return item && Position.parse(item).upTo;
}

/** Reads the positions of all lists whose names begin with `prefix`, by the rest of the name. */
export async function readPositions(table: Table, org: OrganizationId, prefix: string): Promise<Map<string, string>> {
  const items = await table.query({ pk: positionKey(org, prefix).pk, prefix });
  return new Map(items.map((item) => [item.sk.slice(prefix.length), Position.parse(item).upTo]));
}

/**
 * Stores how far a sweep has checked a list.
 * @param from the position that the sweep read before it checked
 * @param upTo the position up to which, inclusive, the list is checked now
 * @returns false if another sweep or an operator has changed the stored position since; then nothing is written
 */
export const savePosition = (
  table: Table,
  org: OrganizationId,
  list: string,
  from: string,
  upTo: string,
): Promise<boolean> =>
  table.update(positionKey(org, list), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: 'attribute_not_exists(pk) OR upTo = :from',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': upTo, ':from': from },
  });

/**
 * Moves the stored position of a list back (`rules/storage.md#replay`).
 * @returns false if none is stored or the stored one is not behind the new one; then nothing is written
 */
export const rewindPosition = (table: Table, org: OrganizationId, list: string, upTo: string): Promise<boolean> =>
  table.update(positionKey(org, list), {
    UpdateExpression: 'SET upTo = :to',
    ConditionExpression: 'attribute_exists(pk) AND upTo > :to',
    ExpressionAttributeValues: { ':to': upTo },
  });

/**
 * Stores a position if none is stored, or if the stored one compares to the new one as asked.
 * @param comparison `>` moves a stored position only back, `<` only forward
 * @returns false if the stored position stays
 */
export const movePosition = (
  table: Table,
  org: OrganizationId,
  list: string,
  comparison: '<' | '>',
  upTo: string,
): Promise<boolean> =>
  table.update(positionKey(org, list), {
    UpdateExpression: 'SET #v = :v, upTo = :to',
    ConditionExpression: `attribute_not_exists(pk) OR upTo ${comparison} :to`,
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':to': upTo },
  });

/**
 * Replaces a stored position.
 * @param from the position as it was read
 * @param upTo the new position; null removes the position, because the list is checked completely
 * @returns false if the stored position has changed since it was read; then nothing is written
 */
export async function replacePosition(
  table: Table,
  org: OrganizationId,
  list: string,
  from: string,
  upTo: string | null,
): Promise<boolean> {
  const key = positionKey(org, list);
  const asRead = {
    ConditionExpression: 'upTo = :from',
    ExpressionAttributeValues: { ':from': from },
    refused: () => 'moved' as const,
  };
  const write = upTo === null ? { remove: key, ...asRead } : { put: { ...key, v: 1, upTo }, ...asRead };
  return (await table.write(write)) === 'done';
}
