import { isDeepStrictEqual } from 'node:util';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import { durationText } from '#shared/base/texts/durations.ts';
import { after, type Duration, type Micros, toSeconds } from '#shared/base/time.ts';
import { addError, collect, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { expectationWrites, readExpectation, readExpectationItems } from './records/expectations.ts';
import { type GivenScope, resolveScope } from './resolve-scope.ts';
import { type Expectation, MOST_EXPECTATIONS, type Scope, usualGrace } from './rules/expectation.ts';
import { tooManyExpectations } from './rules/sentences.ts';

/** What saving and archiving an expectation writes. */
export const CHANGE_EXPECTATION: Uses = { writes: ['EXPECTATION', 'AUDIT', '@EXPECTING'] };

/** An expectation as a caller gives it. */
export interface GivenExpectation {
  name: string;
  kind: Expectation['kind'];
  scope: GivenScope;
  /** Of `evidence` and `decision` only, like `per` and `control`. */
  evidence?: Expectation['evidence'];
  per?: Expectation['per'];
  control?: Expectation['control'];
  every: Duration;
  /** Absent or null = {@link usualGrace}. */
  grace: Duration | null | undefined;
  /** Shorter than `every` and `grace` together. Null = nobody is told before. */
  dueSoon: Duration | null;
  /** Absent or null = unchanged; of a new expectation the time of the request. */
  startsAt: Micros | null | undefined;
  owner: string | null;
  severity: Expectation['severity'];
  /** Version that this save follows; 0 = the expectation is new. Another one refuses the save. Left out, any may be there. */
  follows?: number;
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
 * @throws ServiceError `invalid` if `dueSoon` is too long, if the scope names an environment or a flow that there is not, that is
 *   archived or that takes no reports, if it has too many subjects, if type or control of the evidence are unknown, if the
 *   expectation has another kind, or if it would be one too many; `conflict` if it has another version than the save follows
 */
export async function putExpectation(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<ExpectationPut>,
  given: GivenExpectation,
): Promise<ExpectationPut> {
  const { org, caller } = by;
  return retrying(async () => {
    const { before, terms } = await checkExpectation(table, by, given);
    if (given.follows !== undefined && (before?.version ?? 0) !== given.follows) {
      throw changedMeanwhile({ what: `Expectation '${given.name}'` });
    }
    if (!before) await refuseTooMany(table, org);
    const now = clock.now();
    if (before && isSame(before, { ...before, dueSoon: undefined, ...terms })) {
      const put = { isNew: false, expectation: before };
      await storeClaim(table, by.claim(put));
      return put;
    }
    const expectation = nextVersion(given.name, before, terms, { at: now, by: caller.name });
    return saveVersion(table, by, before, expectation, { isNew: !before, expectation });
  });
}

/**
 * Reads the expectation as it is now, and returns what a save would make of it.
 *
 * @throws ServiceError `invalid` as {@link putExpectation} does, except for one expectation too many
 */
export async function checkExpectation(
  table: Table,
  { org, receivedAt }: Pick<Author, 'org' | 'receivedAt'>,
  given: GivenExpectation,
): Promise<{ before: Expectation | undefined; terms: Terms }> {
  const errors = noErrors();
  const [before, scope] = await Promise.all([
    readExpectation(table, org.id, given.name),
    collect(errors, () => resolveScope(table, org, given)),
  ]);
  if (before && before.kind !== given.kind) addError(errors, 'kind', otherKind(before, given.kind));
  const grace = given.grace ?? usualGrace(given.every);
  if (given.dueSoon !== null && given.dueSoon >= given.every + grace) {
    addError(errors, 'due_soon', tooEarly(given.every + grace, given.dueSoon));
  }
  refuseIfAny(errors);
  if (!scope) throw new Error('A scope without errors was not resolved');
  const terms = {
    kind: given.kind,
    scope,
    ...(given.evidence && { evidence: given.evidence }),
    ...(given.per && { per: given.per }),
    ...(given.control !== undefined && { control: given.control }),
    every: given.every,
    grace,
    ...(given.dueSoon !== null && { dueSoon: given.dueSoon }),
    startsAt: given.startsAt ?? before?.startsAt ?? receivedAt,
    owner: given.owner,
    severity: given.severity,
    archived: false,
  };
  return { before, terms };
}

/** Subjects and due times are those of the kind, so another kind is another expectation. */
const otherKind = ({ name, kind }: Expectation, given: string): string =>
  withInput(`Expectation '${name}' is of kind '${kind}', and a kind never changes. Give another name`, given);

const tooEarly = (most: Duration, given: Duration): string =>
  withInput(`Should be shorter than every and grace together, ${durationText(most)}`, durationText(given));

type Terms = Omit<Expectation, 'v' | 'id' | 'name' | 'version' | 'createdAt' | 'createdBy' | 'changedAt' | 'changedBy'>;

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

const facts = (one: Expectation) => ({ version: one.version, ...termsOut(one) });

/** What an expectation says, for the audit log and for people who compare two of them: the names of the API. */
export const termsOut = (one: Terms) => ({
  kind: one.kind,
  scope: namesOf(one.scope),
  ...(one.evidence && { evidence: { [one.evidence.by]: one.evidence.value } }),
  ...(one.per && { per: one.per }),
  ...(one.control !== undefined && { control: one.control }),
  every: durationText(one.every),
  grace: durationText(one.grace),
  ...(one.dueSoon !== undefined && { due_soon: durationText(one.dueSoon) }),
  starts_at: toSeconds(one.startsAt),
  owner: one.owner,
  severity: one.severity,
  archived: one.archived,
});

function namesOf(scope: Scope) {
  if ('tags' in scope) return scope;
  return 'flows' in scope
    ? { flows: scope.flows.map(({ name }) => name) }
    : { environments: scope.environments.map(({ name }) => name) };
}

/** A renamed environment or flow in the scope changes nothing: the id counts. */
const isSame = (one: Expectation, other: Expectation): boolean => isDeepStrictEqual(compared(one), compared(other));

const compared = (one: Expectation) => ({ ...one, scope: idsOf(one.scope), dueSoon: one.dueSoon ?? null });

function idsOf(scope: Scope) {
  if ('tags' in scope) return scope;
  return 'flows' in scope ? scope.flows.map(({ id }) => id) : scope.environments.map(({ id }) => id);
}

async function refuseTooMany(table: Table, org: Organization): Promise<void> {
  const { length: count } = await readExpectationItems(table, org.id, { limit: MOST_EXPECTATIONS });
  if (count >= MOST_EXPECTATIONS) throw tooManyExpectations({ count });
}
