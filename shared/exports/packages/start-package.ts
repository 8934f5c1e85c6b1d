import { hash } from 'node:crypto';
import { type Fingerprint, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, TrailName } from '#shared/base/names.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { retrying } from '#shared/base/retry.ts';
import { type Duration, type Micros, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { readFlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { readBesideFlow, readTrailHead } from '#shared/evidence/records/trails.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { noSnapshot } from '#shared/log/rules/sentences.ts';
import { STATE, type StatementServices } from '#shared/log/statements/statements.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { newPackageWrites } from '../records/export-writes.ts';
import { type ExportRecord, newExportRecord, readLatestPackage, readRunningPackages } from '../records/exports.ts';
import type { PackageScope } from '../rules/package-scope.ts';
import { MOST_RUNNING, tooManyPackages, tooManyPackagesOfAll } from '../rules/sentences.ts';
import { isPackage, type StartedPackage } from './started-package.ts';
import { stateScope } from './state-scope.ts';

export type { StartedPackage };

export const START_PACKAGE: Uses = { ...STATE, writes: [...(STATE.writes ?? []), 'PACKAGE', '@PACKAGING'] };

/** A package that runs longer than this is stuck, and hinders no other one. */
const COUNTED_FOR: Duration = 3600 * 1_000_000;

/** What a caller wants evidence of, by the names of today. */
export type WantedEvidence =
  | { type: 'artifact'; flow: FlowName; fingerprint: Fingerprint }
  | { type: 'trail'; flow: FlowName; trail: TrailName }
  | { type: 'snapshot'; environment: EnvironmentName; index: number }
  | { type: 'evaluation'; evaluation: string }
  | { type: 'period'; environment: EnvironmentName; from: Micros; to: Micros };

type Wanted<T extends WantedEvidence['type']> = Extract<WantedEvidence, { type: T }>;

/**
 * Starts a package of evidence, or returns the one about the same records that runs already (rules/exports.md#start-of-a-package).
 *
 * @param host address of the service in the request; the statements of the package name it
 * @throws ServiceError `not-found` if there is no such record, `conflict` if too many packages run
 */
export async function startPackage(
  services: StatementServices,
  by: Author<StartedPackage>,
  wanted: WantedEvidence,
  host: string,
): Promise<StartedPackage> {
  const { org } = by;
  const { table } = services;
  const scope = await scopeOf(table, org, wanted);
  const digest = hash('sha256', canonicalJson(scope));
  const stamp = stampOf(by.caller, by.receivedAt);
  return retrying(async () => {
    const [latest, beside] = await Promise.all([
      readLatestPackage(table, org.id, digest),
      readRunningPackages(table, org.id, minus(stamp.at, COUNTED_FOR)),
    ]);
    const running = latest?.record;
    if (running?.state === 'running' && isPackage(running)) {
      await storeClaim(table, by.claim(running));
      return running;
    }
    refuseTooMany(beside, by);
    const record: StartedPackage = {
      ...newExportRecord(newId(stamp.at), org.name, stamp, null),
      scope,
      statements: await stateScope(services, { host, org }, scope),
    };
    const writes = newPackageWrites(org.id, record, digest, latest?.id ?? null);
    const outcome = await table.transact<'again'>([...by.claim(record), ...writes]);
    return outcome === 'again' ? outcome : record;
  });
}

/** @throws ServiceError `conflict` if the caller or the organization has too many packages that run */
function refuseTooMany(running: readonly ExportRecord[], { caller }: Author<StartedPackage>): void {
  if (running.length >= MOST_RUNNING.ofOrganization) throw tooManyPackagesOfAll({ count: String(running.length) });
  const own = running.filter(({ by }) => by.id === caller.id).length;
  if (own >= MOST_RUNNING.ofCaller) throw tooManyPackages({ count: String(own) });
}

type Table = Stores['table'];

/** Finds the records that a caller names. @throws ServiceError `not-found` */
function scopeOf(table: Table, org: Organization, wanted: WantedEvidence): Promise<PackageScope> {
  switch (wanted.type) {
    case 'artifact':
      return artifactScope(table, org, wanted);
    case 'trail':
      return trailScope(table, org, wanted);
    case 'evaluation':
      return evaluationScope(table, org.id, wanted);
    case 'snapshot':
    case 'period':
      return environmentScope(table, org, wanted);
  }
}

async function artifactScope(
  table: Table,
  org: Organization,
  { flow: flowName, fingerprint }: Wanted<'artifact'>,
): Promise<PackageScope> {
  const { flow, beside } = await readBesideFlow(table, org.id, flowName, (id) =>
    readFlowPresence(table, org.id, fingerprint, id),
  );
  if (!flow) throw unknownFlow({ flow: flowName, org: org.name });
  if (!beside) throw artifactNotInFlow({ fingerprint, flow: flowName, org: org.name });
  return { type: 'artifact', flow: flow.id, flowName: flow.name, fingerprint };
}

async function trailScope(
  table: Table,
  org: Organization,
  { flow: flowName, trail }: Wanted<'trail'>,
): Promise<PackageScope> {
  const { flow, beside } = await readBesideFlow(table, org.id, flowName, (id) =>
    readTrailHead(table, org.id, id, trail),
  );
  if (!flow || !beside) throw unknownTrail({ flow: flowName, trail, org: org.name });
  return { type: 'trail', flow: flow.id, flowName: flow.name, trail };
}

async function evaluationScope(
  table: Table,
  org: OrganizationId,
  { evaluation }: Wanted<'evaluation'>,
): Promise<PackageScope> {
  if (!(await readEvaluation(table, org, evaluation))) throw evaluationNotFound();
  return { type: 'evaluation', evaluation };
}

async function environmentScope(
  table: Table,
  org: Organization,
  wanted: Wanted<'snapshot'> | Wanted<'period'>,
): Promise<PackageScope> {
  const { environment: env } = wanted;
  const head = await findEnvironment(table, org.id, env);
  if (!head) throw unknownEnvironment({ env, org: org.name });
  const named = { environment: head.id, environmentName: head.name };
  if (wanted.type === 'period') return { type: 'period', ...named, from: wanted.from, to: wanted.to };
  const { index } = wanted;
  if (index > head.index) throw noSnapshot({ env, org: org.name, number: index });
  return { type: 'snapshot', ...named, index };
}
