import type { EnvironmentName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { auditOf, authored } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentEnvironment } from '../present-environment.ts';
import { archiveEnvironment as archive } from '../records/environment-archive.ts';

export const ARCHIVE_ENVIRONMENT: Uses = {
  writes: ['ENV', 'ENVNAME', 'PRESENCE', 'ACTION', 'ACTIONS', 'RELAYED', 'AUDIT'],
  removes: ['CATALOGUE', 'ENV', 'POLICY', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
};

/**
 * Takes an environment out of the lists and out of everything that refers to it, and frees its names
 * (rules/environments.md#archive).
 *
 * @param environment present name or alias
 * @throws ServiceError `not-found` if there is no such environment or it is archived already
 */
export async function archiveEnvironment(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  environment: EnvironmentName,
) {
  const { org } = by;
  await retrying(async () => {
    const head = await presentEnvironment(table, org, environment);
    const subject = { type: 'environment', id: head.id, name: head.name };
    return archive(table, org.id, head, clock.now(), {
      others: (covers) => authored(by, { kind: 'environment.archived', subject, covers }),
      audited: (covers) => [auditOf(by, { kind: 'environment.references_removed', subject, covers })],
    });
  });
}
