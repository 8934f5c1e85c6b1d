import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { Expectation, ExpectationName } from '../rules/expectation.ts';
import { askForLook } from './expecting-organizations.ts';
import { expectationKey, expectationList, expectationVersionKey } from './keys.ts';

/** How exports show expectations and their versions. Both are stored alike. */
export const SHOWN_EXPECTATION = { item: 'expectation', schema: Expectation };
export const SHOWN_VERSION = { item: 'version', schema: Expectation };

/** Reads an expectation, even an archived one; undefined if no expectation has the name. */
export const readExpectation = async (
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<Expectation | undefined> =>
  ExpectationName.safeParse(name).success ? readRecord(table, expectationKey(org, name), Expectation) : undefined;

/**
 * Reads the items of expectations, sorted by name. The caller parses each item, so one unreadable item does not fail the list.
 *
 * @param after name of the last expectation of the page before
 */
export async function readExpectationItems(
  table: Table,
  org: OrganizationId,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<Item[]> {
  // The zero makes the smallest sort key behind `after`.
  return table.query({ pk: expectationList(org), limit, ...(after !== undefined && { from: `${after}\0` }) });
}

/** Reads the items of the versions `from` to `to` of an expectation, the newest first. */
export async function readVersionItems(
  table: Table,
  org: OrganizationId,
  name: string,
  { from, to }: { from: number; to: number },
): Promise<Item[]> {
  // DynamoDB refuses a range whose bounds are in the wrong order.
  if (from > to) return [];
  const { pk, sk } = expectationVersionKey(org, name, from);
  return table.query({ pk, from: sk, to: expectationVersionKey(org, name, to).sk, newestFirst: true });
}

/** Reads one version of an expectation; undefined if there is none. */
export const readExpectationVersion = (
  table: Table,
  org: OrganizationId,
  name: string,
  version: number,
): Promise<Expectation | undefined> => readRecord(table, expectationVersionKey(org, name, version), Expectation);

/**
 * Returns the writes that add a version to an expectation, and what they leave behind (rules/organizations.md#covers). They are
 * refused with `again` if the expectation has changed since it was read, or if it is not new. The version itself needs no
 * condition: that of the expectation refuses a second writer.
 */
export function expectationWrites(
  org: OrganizationId,
  before: Expectation | undefined,
  after: Expectation,
): { writes: Write<'again'>[]; covers: Cover[] } {
  const line = (one: Expectation) => lineOf(SHOWN_EXPECTATION, one);
  return {
    writes: [
      {
        put: { ...expectationKey(org, after.name), ...after },
        ...onlyIf(before ? unchanged(before, 'version') : absent()),
        refused: again,
      },
      { put: { ...expectationVersionKey(org, after.name, after.version), ...after } },
      askForLook(org, after.changedAt),
    ],
    covers: [
      coverOf('expectations/expectation', before && line(before), line(after)),
      coverOf('expectations/version', undefined, lineOf(SHOWN_VERSION, after)),
    ],
  };
}
