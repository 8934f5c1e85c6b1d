import * as z from 'zod';
import { type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { readTypeNames } from '#shared/evidence/records/custom-types.ts';
import { readListedRepos } from '#shared/evidence/records/repo-records.ts';
import { FLOWS } from '#shared/evidence/rules/series-kinds.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { readAccountItems } from '#shared/organizations/records/service-accounts.ts';
import { POLICIES } from '#shared/policies/rules/series-kinds.ts';
import { type CatalogueKind, readCatalogue } from '#shared/series/catalogue.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';

const Ids = z.array(z.string());

/**
 * The records of which an organization has at most some ten thousand, as the first step of an export finds them, each
 * list ascending (rules/exports.md#plan).
 */
export const ExportPlan = z.object({
  flows: Ids,
  environments: Ids,
  policies: Ids,
  types: Ids,
  controls: Ids,
  repos: Ids,
  accounts: Ids,
  /** Numbers of actions, deleted ones too. */
  actions: z.array(z.number()),
});
export type ExportPlan = z.infer<typeof ExportPlan>;

/** Finds what an organization has. Flows and environments that were archived are in no catalogue but in the audit log. */
export async function planExport(table: Table, org: OrganizationId, now: Micros): Promise<ExportPlan> {
  const ids = async <Of extends Id>(kind: CatalogueKind<Of>) => [...(await readCatalogue(table, org, kind)).keys()];
  const [flows, environments, policies, types, controls, repos, accounts, actions] = await allInOrder([
    ids(FLOWS),
    ids(ENVIRONMENTS),
    ids(POLICIES),
    readTypeNames(table, org, { archived: true, search: '' }),
    readCatalogue(table, org, CONTROLS),
    readListedRepos(table, org),
    readAccountItems(table, org),
    readActions(table, org),
  ]);
  // Read after the catalogues: what is archived in between is in both, and never in neither.
  const archived = await readArchived(table, org, now);
  return {
    flows: ascending([...flows, ...archived.flow]),
    environments: ascending([...environments, ...archived.environment]),
    policies: ascending(policies),
    types: ascending(types),
    controls: ascending([...controls.values()].map(({ entry }) => String(entry['i']))),
    repos: ascending(repos.map(({ id }) => id)),
    accounts: ascending(accounts.map(({ sk }) => sk)),
    actions: actions.map(({ action }) => action.number),
  };
}

const ascending = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

const ENTRIES_AT_ONCE = 1_000;

async function readArchived(
  table: Table,
  org: OrganizationId,
  now: Micros,
): Promise<{ flow: Id[]; environment: Id[] }> {
  const archived: { flow: Id[]; environment: Id[] } = { flow: [], environment: [] };
  for (const month of monthsBetween(timeOfId(org), now)) {
    const pk = auditPartition(org, month);
    let after = '';
    for (;;) {
      const items = await table.query({ pk, from: `${after}\0`, limit: ENTRIES_AT_ONCE });
      for (const item of items) {
        const { data } = AuditRecord.safeParse(item);
        if (data?.subject.id == null) continue;
        if (data.kind === 'flow.archived') archived.flow.push(data.subject.id);
        if (data.kind === 'environment.archived') archived.environment.push(data.subject.id);
      }
      if (items.length < ENTRIES_AT_ONCE) break;
      after = items.at(-1)?.sk ?? after;
    }
  }
  return archived;
}
