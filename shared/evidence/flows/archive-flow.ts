import { type FlowName, storedName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import { plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { catalogueRemoval } from '#shared/series/catalogue.ts';
import { activityKey } from '#shared/series/keys.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changeHead } from '../records/flow-writes.ts';
import { findFlow, namedFlows } from '../records/flows.ts';
import { flowNameKey } from '../records/keys.ts';
import { unknownFlow } from '../rules/sentences.ts';
import { FLOWS } from '../rules/series-kinds.ts';

const MICROS_PER_SECOND = 1_000_000;

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
    const { id } = head;
    const subject = { type: 'flow', id, name: head.name };
    const at = clock.now();
    // Another flow can have the long name, if the same name was archived twice within a second.
    for (let named = at; ; named = plus(named, MICROS_PER_SECOND)) {
      const name = storedName<FlowName>(`${head.name}-archived-at-${Math.floor(named / MICROS_PER_SECOND)}`);
      const { cover, write } = changeHead(org.id, head, { name, archived: at });
      const outcome = await table.transact<'taken' | 'again'>([
        ...authored(by, { kind: 'flow.archived', subject, covers: [cover] }),
        write,
        namedFlows.claim(org.id, name, id, () => 'taken'),
        { remove: flowNameKey(org.id, head.name) },
        catalogueRemoval(org.id, FLOWS, id),
        { remove: activityKey(org.id, FLOWS.name, id) },
      ]);
      if (outcome !== 'taken') return outcome;
    }
  });
}
