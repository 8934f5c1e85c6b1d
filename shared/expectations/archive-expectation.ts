import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import { nextVersion, saveVersion } from './put-expectation.ts';
import { readExpectation } from './records/expectations.ts';
import type { Expectation } from './rules/expectation.ts';
import { unknownExpectation } from './rules/sentences.ts';

/**
 * Archives an expectation, with a version of its own. Nothing is written if it is archived already
 * (rules/expectations.md#archive).
 *
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function archiveExpectation(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<Expectation>,
  name: string,
): Promise<Expectation> {
  return retrying(async () => {
    const before = await readExpectation(table, by.org.id, name);
    if (!before) throw unknownExpectation({ expectation: name, org: by.org.name });
    if (before.archived) {
      await storeClaim(table, by.claim(before));
      return before;
    }
    const stamp = { at: clock.now(), by: by.caller.name };
    const archived = nextVersion(name, before, { ...before, archived: true }, stamp);
    return saveVersion(table, by, before, archived, archived);
  });
}
