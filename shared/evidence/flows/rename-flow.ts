import { invalid } from '#shared/base/errors.ts';
import type { FlowName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changeHead } from '../records/flow-writes.ts';
import { findFlow, namedFlows } from '../records/flows.ts';
import { flowNotFound, unknownFlow } from '../rules/sentences.ts';
import { FLOWS } from '../rules/series-kinds.ts';

/** What renaming a flow writes. */
export const RENAME_FLOW: Uses = { writes: ['FLOW', 'FLOWNAME', 'CATALOGUE', 'AUDIT'] };

/**
 * Renames a flow; the old name becomes an alias (rules/flows.md#rename). If the new name is an alias of another flow, that
 * flow loses it. Nothing changes if the flow has the name already.
 *
 * @param flow present name or alias
 * @throws ServiceError `not-found` if there is no such flow or it is archived, `invalid` if another flow has the name
 */
export async function renameFlow({ table }: Pick<Stores, 'table'>, by: Author<void>, flow: FlowName, name: FlowName) {
  const { org } = by;
  await retrying(async () => {
    const head = await findFlow(table, org.id, flow);
    if (!head || head.archived !== null) {
      const { message: detail } = unknownFlow({ flow, org: org.name });
      throw flowNotFound({}, { detail });
    }
    if (head.name === name) return storeClaim(table, by.claim());
    const { cover, write } = changeHead(org.id, head, { name });
    const subject = { type: 'flow', id: head.id, name: head.name };
    const renamed = { subject, before: { name: head.name }, after: { name }, covers: [cover] };
    const outcome = await table.transact<'taken' | 'again'>([
      ...authored(by, { kind: 'flow.renamed', ...renamed }),
      ...namedFlows.rename(org.id, head, name),
      write,
      catalogueWrite(org.id, FLOWS, head.id, { n: name }),
    ]);
    if (outcome !== 'taken') return outcome;
    throw invalid({ new_name: `Flow named '${name}' already exists for organization '${org.name}'` });
  });
}
