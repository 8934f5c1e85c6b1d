import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { EventSubject } from '#shared/notifications/rules/triggers.ts';
import type { Table } from '#shared/table/table.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import type { Gap } from '../rules/gaps/gap.ts';
import { placeOfSubject } from '../rules/gaps/gap-notices.ts';

/** Versions that are read at the same time. */
const WIDTH = 8;

/**
 * Returns where gaps are, in their order, for matching with actions. Reads a version for each expectation with a gap of a whole
 * scope, and nothing otherwise.
 */
export async function readEventSubjects(
  table: Table,
  org: OrganizationId,
  gaps: readonly Pick<Gap, 'subject' | 'expectation'>[],
): Promise<EventSubject[]> {
  const scopes = gaps.filter(({ subject }) => subject.type === 'scope').map(({ expectation }) => expectation);
  const named = new Map(scopes.map((one) => [versionName(one), one]));
  const read = await inParallel(named, WIDTH, async ([key, { name, version }]) => {
    const stored = await readExpectationVersion(table, org, name, version);
    return [key, stored?.scope] as const;
  });
  const found = new Map(read);
  return gaps.map(({ subject, expectation }) => placeOfSubject(subject, found.get(versionName(expectation))));
}

const versionName = ({ name, version }: Gap['expectation']): string => `${name}#${version}`;
