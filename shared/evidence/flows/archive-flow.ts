import type { FlowName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { archiveFlow as archive } from '../records/flow-writes.ts';
import { findFlow } from '../records/flows.ts';
import { unknownFlow } from '../rules/sentences.ts';

/** What archiving a flow writes. */
export const ARCHIVE_FLOW: Uses = {
  writes: ['FLOW', 'FLOWNAME', 'AUDIT'],
  removes: ['CATALOGUE', 'FLOWNAME'],
};

/**
 * Removes a flow from the lists and frees its names (rules/flows.md#archive).
 *
 * @param flow present name or alias
 * @throws ServiceError `not-found` if there is no such flow or it is archived already
 */
export async function archiveFlow({ table, clock }: Pick<Stores, 'table' | 'clock'>, by: Author<void>, flow: FlowName) {
  const { org } = by;
  await retrying(async () => {
    const head = await findFlow(table, org.id, flow);
    if (!head || head.archived !== null) throw unknownFlow({ flow, org: org.name });
    const { id, name } = head;
    return archive(table, org.id, head, clock.now(), (covers) =>
      authored(by, { kind: 'flow.archived', subject: { type: 'flow', id, name }, covers }),
    );
  });
}
