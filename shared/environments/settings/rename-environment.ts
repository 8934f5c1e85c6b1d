import { invalid } from '#shared/base/errors.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentEnvironment } from '../present-environment.ts';
import { renameEnvironment as rename } from '../records/environment-writes.ts';

export const RENAME_ENVIRONMENT: Uses = { writes: ['ENV', 'ENVNAME', 'POLICY', 'CATALOGUE', 'AUDIT'] };

/**
 * Renames an environment; the old name becomes an alias (rules/environments.md#rename). Nothing changes if the environment
 * has the name already.
 *
 * @param environment present name or alias
 * @throws ServiceError `not-found` if there is no such environment or it is archived, `invalid` if another one has the name
 */
export async function renameEnvironment(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  environment: EnvironmentName,
  name: EnvironmentName,
) {
  const { org } = by;
  await retrying(async () => {
    const head = await presentEnvironment(table, org, environment);
    if (head.name === name) return storeClaim(table, by.claim());
    const renamed = await rename(table, org.id, head, name, clock.now(), (covers) =>
      authored(by, {
        kind: 'environment.renamed',
        subject: { type: 'environment', id: head.id, name },
        before: { name: head.name },
        after: { name },
        covers,
      }),
    );
    if (renamed !== 'taken') return renamed;
    throw invalid({ new_name: `Environment named '${name}' already exists for organization '${org.name}'` });
  });
}
