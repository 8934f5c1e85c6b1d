import type { OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import { Copier, type Copy } from '#test/bench/copies.ts';
import { putJson } from './fill-table.ts';
import { databaseAddress } from './table.ts';
import { noteCount, writtenKeysOf } from './written-keys.ts';

/** What distinguishes a copy from its original, apart from ids and times. */
export type OwnTexts = Omit<Copy, 'at'>;

/**
 * Runs the requests of one record, and puts copies of the items that they wrote. A copy takes a tenth of the processor time of
 * its requests. Each copy has ids and times of its own and is younger than the one before.
 * @param copies the differences of each copy; all replace the same texts
 */
export async function writeWithCopies(
  { table, clock }: Pick<Services, 'table' | 'clock'>,
  org: OrganizationId,
  write: () => Promise<unknown>,
  copies: readonly OwnTexts[],
): Promise<void> {
  const [from, notes] = [clock.now(), noteCount()];
  await write();
  const to = clock.now();
  const items = [...(await table.getMany(writtenKeysOf(table.name, org, notes))).values()];
  const copier = new Copier({ items, from, to }, Object.keys(copies[0]?.texts ?? {}));
  const copied = copies.flatMap((copy, i) => copier.copy({ at: from + i + 1, ...copy }));
  await putJson(databaseAddress(), table.name, copied, ({ json }) => json);
}
