import { isDeepStrictEqual } from 'node:util';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { RECALLS, readVersionItems } from './records/versioned.ts';
import { RecallRecord } from './rules/recall-records.ts';
import type { RecallTerms } from './rules/recalls.ts';

/**
 * Reads what a change of a recall concerns: the version that it made, and the version before it, which may have recalled something else.
 * Versions that say nothing else of signatures are left out.
 *
 * @returns one or two versions, the newer one first; empty if there is no such version
 */
export async function readRecallVersions(
  table: Table,
  org: OrganizationId,
  name: string,
  version: number,
): Promise<RecallRecord[]> {
  const items = await readVersionItems(RECALLS, table, org, { name, from: Math.max(1, version - 1), to: version });
  const [after, before] = items.map((item) => RecallRecord.parse(item));
  if (!after || !before) return after ? [after] : [];
  return isSameEvidence(after, before) ? [after] : [after, before];
}

const isSameEvidence = (one: RecallRecord, other: RecallRecord): boolean =>
  isDeepStrictEqual(termsOf(one), termsOf(other));

const termsOf = ({ target, from, until }: RecallRecord): RecallTerms => ({ target, from, until });
