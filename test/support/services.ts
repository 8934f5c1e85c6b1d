import { inject } from 'vitest';
import type { Services } from '#functions/services.ts';
import { localExportFiles, localKeys, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { SignInServices } from '#shared/organizations/sign-in/provider.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { type MovableClock, movableClock } from './clock.ts';
import { holdExportFiles, holdKeys, holdObjects } from './declared-uses.ts';
import { onlyLocal, testTable } from './table.ts';

/** What handlers and the operator's commands are given, with a clock that can be moved. */
export type TestServices = Services & { clock: MovableClock; files: ExportFiles };

/**
 * The engines of all files of a worker. Their processes start with their first request and end with the worker. So no file closes
 * what another file that shares its services still uses.
 */
const engines = childEngines();
const policies = childPolicyEngine();

/**
 * What handlers are given, on a table of its own and the shared bucket, with the real engines and a clock that can be
 * moved.
 */
export async function testServices(more: Partial<TestServices & SignInServices> = {}): Promise<TestServices> {
  return {
    table: await testTable(),
    objects: holdObjects(localObjects(onlyLocal(inject('s3')))),
    files: holdExportFiles(localExportFiles(onlyLocal(inject('s3')))),
    engines,
    policies,
    address: 'https://api.example',
    guard: addressGuard(),
    principals: (table) => new Directory(table),
    keys: holdKeys(localKeys(onlyLocal(inject('kms')))),
    origin: (org) => `${org}.${LOCAL.logDomain}`,
    logDomain: () => LOCAL.logDomain,
    entryIndex: indexOf,
    witness: { logs: '' },
    clock: movableClock(),
    ...more,
  };
}
