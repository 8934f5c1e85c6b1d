import * as z from 'zod';
import { type Fingerprint, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import type { Table } from '#shared/table/table.ts';
import type { ControlDecision } from '../rules/decisions.ts';
import { decisionPartition } from './keys.ts';

const DecisionItem = z.object({ sk: z.string(), n: z.string(), c: z.boolean() });

/** What a decision is filed under (rules/controls.md#index-of-decisions). */
export type DecisionSubject = { fingerprint: Fingerprint } | TrailPlace;

/** A decision with the id of its entry. The id orders decisions of the same millisecond. */
export type StoredDecision = ControlDecision & { entry: Id };

/**
 * Reads the decisions about a control on one artifact or one trail, newest first.
 *
 * @param limit how many decisions to read at most; absent = all of them
 */
export async function readDecisions(
  table: Table,
  org: OrganizationId,
  control: string,
  about: DecisionSubject,
  limit?: number,
): Promise<StoredDecision[]> {
  const pk = decisionPartition(org, control, about);
  const items = await table.query({ pk, newestFirst: true, ...(limit !== undefined && { limit }) });
  return items.map((item) => {
    const { sk: entry, n: name, c: compliant } = DecisionItem.parse(item);
    return { control, name, compliant, at: timeOfId(entry), entry };
  });
}
