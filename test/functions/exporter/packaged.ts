import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { pemOf } from '#shared/log/rules/description.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { testApi } from '#test/support/api.ts';
import {
  type EnvironmentsOfOrganization,
  environmentGroups,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import { verifyArchive } from '#verify/archive.ts';

/** Packages of evidence: starts them, lets the exporter make them, reads and verifies them. */

export const api = await testApi([...environmentGroups, evaluationsGroup, statementsGroup]);
export const exporter = exporterOf(api.services);
export interface ShownPackage {
  id: string;
  state: string;
  about: string;
  scope: Record<string, unknown>;
  problem: string | null;
  filename: string;
  sha256: string;
  download_url: string;
  log: { origin: string; size: number; covers_start: boolean } | null;
  waits_for: unknown;
}

export const ATTACHED = 'what the scanner said';
export const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');

/** The artifact `web` with a report, an attestation with an attachment, and a snapshot of prod in which it runs. */
export async function released(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.begin({});
  await acme.report(anArtifact('web'));
  const files = { attachment_file: ATTACHED };
  const attested = await acme.attest(
    'generic',
    { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('web'), is_compliant: true },
    { files },
  );
  expect(attested.status, attested.text).toBe(201);
  await acme.begin({}, { trail: 'other' });
  await acme.putEnvironment('prod');
  expect((await acme.run('prod', onServer({ web: 'web' }))).status).toBeLessThan(300);
  return acme;
}

export const startOf = (acme: EnvironmentsOfOrganization, json: object, more: object = {}) =>
  acme.call('POST', `/packages/${acme.org}`, { json, ...more });

export const shownPackage = async (acme: EnvironmentsOfOrganization, id: string) =>
  (await acme.get(`/packages/${acme.org}/${id}`)).json as ShownPackage;

/** Lets the exporter look for the checkpoint and make the package, while the log gets what was stored in between. */
export async function made(acme: EnvironmentsOfOrganization, id: string, times?: readonly number[]) {
  const message = { org: acme.id, id, kind: 'package' as const };
  for (let calls = 0; calls < 30; calls += 1) {
    await logEverything(api.services, acme.id);
    expect(await exporter.work(message, times), JSON.stringify(exporter.logged.at(-1))).toBe(true);
    const shown = await shownPackage(acme, id);
    if (shown.state !== 'running') return shown;
  }
  throw new Error(`The package is not done: ${JSON.stringify(exporter.logged.at(-1))}`);
}

/** Starts a package and makes it. */
export async function packaged(acme: EnvironmentsOfOrganization, json: object, times?: readonly number[]) {
  // The statement of a package rests on records that the log has.
  await logEverything(api.services, acme.id);
  const started = await startOf(acme, json);
  expect(started.status, started.text).toBe(202);
  const done = await made(acme, (started.json as ShownPackage).id, times);
  expect([done.state, done.problem]).toEqual(['done', null]);
  const tar = Buffer.from(await (await fetch(done.download_url)).arrayBuffer());
  return { done, tar, ...(await readBag(tar)) };
}

/** Verifies an archive with the keys of the service. */
export async function verified(log: { origin: string } | null, tar: Buffer) {
  const { services } = api;
  const [{ publicKey }, statement] = await Promise.all([services.keys.log(), services.keys.statement()]);
  const key = verifierKey(log?.origin ?? '', 'ed25519', publicKey);
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    const file = join(folder, 'package.tar');
    writeFileSync(file, tar);
    return await verifyArchive(file, { policy: policyOf(key), statementKey: pemOf(statement.publicKey) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
