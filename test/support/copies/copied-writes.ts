import type { Services } from '#functions/services.ts';
import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { buildKey } from '#shared/evidence/records/keys.ts';
import { Copier, type Copy } from '#test/support/copies/copies.ts';
import { putJson } from '../table/fill-table.ts';
import { recordedCount, recordPuts, writtenKeysOf } from '../table/written-keys.ts';
import { databaseAddress } from '../table.ts';

/** What distinguishes a copy from its original, apart from ids and times. */
export type OwnValues = Omit<Copy, 'at'>;

/** Gives the copy of a build its own partition, whose name is only the beginning of the fingerprint. */
export const inOwnBuild =
  (org: OrganizationId, original: Fingerprint, copy: Fingerprint): NonNullable<Copy['set']> =>
  ({ sk }) =>
    sk === buildKey(org, original).sk ? { pk: buildKey(org, copy).pk } : {};

/**
 * Runs the requests of one record, and puts copies of the items that they wrote. Each copy has ids and times of its own and
 * is younger than the one before. An item that all records share, such as a counter, stays as the requests wrote it.
 * @param copies the differences of each copy; all replace the same texts
 */
export async function writeWithCopies(
  { table, clock }: Pick<Services, 'table' | 'clock'>,
  org: OrganizationId,
  write: () => Promise<unknown>,
  copies: readonly OwnValues[],
): Promise<void> {
  const [from, before] = [clock.now(), recordedCount()];
  await write();
  const to = clock.now();
  const items = [...(await table.getMany(writtenKeysOf(table.name, org, before))).values()];
  const copier = new Copier({ items, from, to }, Object.keys(copies[0]?.texts ?? {}));
  const copied = copies.flatMap((copy, i) => copier.copy({ at: micros(from + i + 1), ...copy }));
  recordPuts(table.name, copied);
  await putJson(databaseAddress(), table.name, copied, ({ json }) => json);
}
