import { ServiceError } from '#shared/base/errors.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { indexAt } from '#shared/environments/records/snapshots.ts';
import { readStatement } from '#shared/log/records/statements.ts';
import type { StatementPlace } from '#shared/log/statements/moment-links.ts';
import { stateEvaluation } from '#shared/log/statements/state-evaluation.ts';
import { stateSnapshot } from '#shared/log/statements/state-snapshot.ts';
import { stateArtifact, stateTrail } from '#shared/log/statements/state-trail.ts';
import type { Stated, StatementServices } from '#shared/log/statements/statements.ts';
import type { NamedStatement } from '../records/exports.ts';
import type { PackageScope } from '../rules/package-scope.ts';

/** Pieces of the statement about one snapshot. A piece has some hundred artifacts. */
const MOST_PIECES = 100;

/**
 * Makes the signed statements of a package: about what the package is about; of a period, about its last snapshot
 * (rules/exports.md#records-of-a-package).
 *
 * @returns without those that cannot be made yet, because the log does not have the newest record
 */
export async function stateScope(
  services: StatementServices,
  place: StatementPlace,
  scope: PackageScope,
): Promise<NamedStatement[]> {
  const stated = await statements(services, place, scope);
  const ids = stated.flatMap((one) => (one.outcome === 'not logged' ? [] : [one.id]));
  const items = await Promise.all(ids.map((id) => readStatement(services.table, place.org.id, id)));
  return items.flatMap((item) => (item ? [{ id: item.sk, digest: Buffer.from(item.digest).toString('hex') }] : []));
}

async function statements(services: StatementServices, place: StatementPlace, scope: PackageScope): Promise<Stated[]> {
  switch (scope.type) {
    case 'trail':
      return madeOr(() => stateTrail(services, place, { flow: scope.flowName, trail: scope.trail }, 'intoto'));
    case 'artifact': {
      const named = { flow: scope.flowName, fingerprint: scope.fingerprint };
      return madeOr(() => stateArtifact(services, place, named, 'intoto'));
    }
    case 'evaluation':
      return madeOr(() => stateEvaluation(services, place, scope.evaluation, 'intoto'));
    case 'snapshot':
      return pieces(services, place, { env: scope.environmentName, index: scope.index });
    case 'period': {
      const index = await indexAt(services.table, place.org.id, scope.environment, scope.to);
      return index === 0 ? [] : pieces(services, place, { env: scope.environmentName, index });
    }
  }
}

async function pieces(
  services: StatementServices,
  place: StatementPlace,
  { env, index }: { env: EnvironmentName; index: number },
): Promise<Stated[]> {
  const expression = { point: { kind: 'index' as const, index }, suffix: `#${index}` };
  const made: Stated[] = [];
  for (let piece = 1; piece <= MOST_PIECES; piece += 1) {
    const [one] = await madeOr(() => stateSnapshot(services, place, { env, expression, piece }, 'intoto'));
    if (!one) break;
    made.push(one);
  }
  return made;
}

/** A statement that was erased, or that cannot be made of this record, is left out: the records are there nevertheless. */
async function madeOr(make: () => Promise<Stated>): Promise<Stated[]> {
  try {
    return [await make()];
  } catch (error) {
    if (error instanceof ServiceError && ['gone', 'invalid', 'not-found'].includes(error.kind)) return [];
    throw error;
  }
}
