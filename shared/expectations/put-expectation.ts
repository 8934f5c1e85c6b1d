import { isDeepStrictEqual } from 'node:util';
import { type EnvironmentId, newId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import { durationText } from '#shared/base/texts/durations.ts';
import { after, type Duration, type Micros, toSeconds } from '#shared/base/time.ts';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readScope } from './read-scope.ts';
import { expectationWrites, readExpectation, readExpectationItems } from './records/expectations.ts';
import { type Expectation, MOST_EXPECTATIONS, MOST_SUBJECTS, type Scope, usualGrace } from './rules/expectation.ts';
import { tooManyExpectations, tooManySubjects } from './rules/sentences.ts';

/** What saving and archiving an expectation writes. */
export const CHANGE_EXPECTATION: Uses = { writes: ['EXPECTATION', 'AUDIT', '@EXPECTING'] };

/** An expectation as a caller gives it. */
export interface GivenExpectation {
  name: string;
  kind: Expectation['kind'];
  /** Names of environments, or tags by name. */
  scope: { environments: readonly EnvironmentName[] } | { tags: Readonly<Record<string, string>> };
  every: Duration;
  /** Absent or null = {@link usualGrace}. */
  grace: Duration | null | undefined;
  /** Absent or null = unchanged; of a new expectation the time of the request. */
  startsAt: Micros | null | undefined;
  owner: string | null;
  severity: Expectation['severity'];
}

/** The expectation as it is now, and whether it is new. */
export interface ExpectationPut {
  isNew: boolean;
  expectation: Expectation;
}

/**
 * Creates an expectation, or adds a version to the one that has the name (rules/expectations.md#save). If nothing changes,
 * nothing is written. An archived expectation becomes active again.
 *
 * @throws ServiceError `invalid` if the scope names an environment that there is not, that is archived or that takes no
 *   reports, if it has too many subjects, or if the expectation would be one too many
 */
export async function putExpectation(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<ExpectationPut>,
  given: GivenExpectation,
): Promise<ExpectationPut> {
  const { org, caller } = by;
  return retrying(async () => {
    const [before, scope] = await Promise.all([
      readExpectation(table, org.id, given.name),
      scopeOf(table, org, given.scope),
    ]);
    if (!before) await refuseTooMany(table, org);
    const now = clock.now();
    const terms = {
      kind: given.kind,
      scope,
      every: given.every,
      grace: given.grace ?? usualGrace(given.every),
      startsAt: given.startsAt ?? before?.startsAt ?? by.receivedAt,
      owner: given.owner,
      severity: given.severity,
      archived: false,
    };
    if (before && isSame(before, { ...before, ...terms })) {
      const put = { isNew: false, expectation: before };
      await storeClaim(table, by.claim(put));
      return put;
    }
    const expectation = nextVersion(given.name, before, terms, { at: now, by: caller.name });
    return saveVersion(table, by, before, expectation, { isNew: !before, expectation });
  });
}

type Terms = Pick<Expectation, 'kind' | 'scope' | 'every' | 'grace' | 'startsAt' | 'owner' | 'severity' | 'archived'>;

/** Returns the version that follows `before`; version 1 without one. */
export function nextVersion(
  name: string,
  before: Expectation | undefined,
  terms: Terms,
  { at, by }: { at: Micros; by: string },
): Expectation {
  const changedAt = after(before?.changedAt, at);
  return {
    ...terms,
    v: 1,
    id: before?.id ?? newId(at),
    name,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? changedAt,
    createdBy: before?.createdBy ?? by,
    changedAt,
    changedBy: by,
  };
}

/** Writes a version with its audit entry. @returns `again` if the expectation has changed since it was read */
export async function saveVersion<Outcome>(
  table: Table,
  by: Author<Outcome>,
  before: Expectation | undefined,
  expectation: Expectation,
  outcome: Outcome,
): Promise<Outcome | 'again'> {
  const { writes, covers } = expectationWrites(by.org.id, before, expectation);
  const change = {
    kind: kindOf(before, expectation),
    subject: { type: 'expectation', id: expectation.id, name: expectation.name },
    ...(before && { before: facts(before) }),
    after: facts(expectation),
    covers,
  } as const;
  const result = await table.transact<'again'>([...authored(by, change, outcome), ...writes]);
  return result === 'again' ? result : outcome;
}

function kindOf(before: Expectation | undefined, { archived }: Expectation) {
  if (!before) return 'expectation.created';
  return archived ? 'expectation.archived' : 'expectation.changed';
}

/** What an expectation says, for the audit log. */
const facts = ({ version, kind, scope, every, grace, startsAt, owner, severity, archived }: Expectation) => ({
  version,
  kind,
  scope: 'tags' in scope ? scope : { environments: scope.environments.map(({ name }) => name) },
  every: durationText(every),
  grace: durationText(grace),
  starts_at: toSeconds(startsAt),
  owner,
  severity,
  archived,
});

/** A renamed environment in the scope changes nothing: the id counts. */
const isSame = (one: Expectation, other: Expectation): boolean =>
  isDeepStrictEqual({ ...one, scope: idsOf(one.scope) }, { ...other, scope: idsOf(other.scope) });

const idsOf = (scope: Scope) => ('tags' in scope ? scope : scope.environments.map(({ id }) => id));

async function refuseTooMany(table: Table, org: Organization): Promise<void> {
  const { length: count } = await readExpectationItems(table, org.id, { limit: MOST_EXPECTATIONS });
  if (count >= MOST_EXPECTATIONS) throw tooManyExpectations({ count });
}

/** Finds what a scope names. @throws ServiceError `invalid` as {@link putExpectation} */
export async function scopeOf(table: Table, org: Organization, given: GivenExpectation['scope']): Promise<Scope> {
  if ('environments' in given) return namedScope(table, org, given.environments);
  const tags = Object.entries(given.tags).map(([name, value]) => ({ name, value }));
  const scope = { tags: tags.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
  const { length: count } = await readScope(table, org.id, scope);
  if (count > MOST_SUBJECTS) throw tooManySubjects({ count });
  return scope;
}

/** Each environment is once in the scope, whichever of its names the caller gave. */
async function namedScope(table: Table, org: Organization, names: readonly EnvironmentName[]): Promise<Scope> {
  const found = await findEnvironments(table, org.id, names);
  const errors = noErrors();
  const environments = new Map<string, { id: EnvironmentId; name: EnvironmentName }>();
  for (const [i, name] of names.entries()) {
    const head = found.get(name);
    const refuse = (text: string) => addError(errors, `scope.environments[${i}]`, withInput(text, name));
    if (!head) refuse('There is no such environment');
    else if (head.archived !== null) refuse('The environment is archived');
    else if (head.kind === 'logical') refuse('A logical environment takes no reports. Name its members');
    else environments.set(head.id, { id: head.id, name: head.name });
  }
  refuseIfAny(errors);
  return { environments: [...environments.values()] };
}
