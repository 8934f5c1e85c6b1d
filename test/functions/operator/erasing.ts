import { expect } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { type Moment, stateAsOf } from '#shared/evidence/records/moments.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { allMoments } from '#test/support/trails.ts';
import { traces } from './traces.ts';

/** Erases as the operator does, and reads what is left. */

export const api = await testApi([
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, evaluationsGroup, auditGroup],
  ...[buildsGroup, searchGroup],
]);
export const { table, objects, clock } = api.services;
const MINUTE = 60_000_000;
export const SECRET = 'p4ssw0rd-of-the-registry';
export const LARGE = `${SECRET} ${Array.from({ length: 900 }, (_, i) => sha256Hex(String(i))).join(' ')}`;
export const ERASED = { at: expect.any(Number), reason: 'a secret was attached' };

export type Fields = Record<string, unknown>;

/** Runs the command as the operator, a minute after the last report. */
export async function erase(acme: EvidenceOfOrganization, fields: Fields, services = api.services) {
  clock.advance(2 * MINUTE);
  const command = { command: 'erase-body', organization: acme.org, reason: ERASED.reason, ...fields };
  return heldTo('operator', OPERATOR_USES, () => runOperator(services, command));
}

export const found = (acme: EvidenceOfOrganization, ...texts: string[]) => traces(table, acme.id, texts);

/** Folds the moments of the trail. The reader compares each of them with what was accepted. */
export async function folded(acme: EvidenceOfOrganization): Promise<number> {
  return stateAsOf(await momentsOf(acme)).number;
}

export async function momentsOf(acme: EvidenceOfOrganization): Promise<Moment[]> {
  const flow = await findFlow(table, acme.id, testName('web'));
  if (!flow) throw new Error('The flow exists');
  return allMoments(table, acme.id, flow.id, 'run');
}

/** An organization with the attestation `check`. */
export async function withCheck(fields: Fields = {}, files: Record<string, string> = {}) {
  const acme = await newOrganization(api);
  const id = await attested(acme, 'check', fields, files);
  return { acme, id };
}

export async function attested(
  acme: EvidenceOfOrganization,
  name: string,
  fields: Fields,
  files: Record<string, string> = {},
) {
  const { status, text } = await acme.attest('generic', { attestation_name: name, ...fields }, { files });
  expect(status, text).toBe(201);
  const [record] = await acme.named(name);
  return String(record?.['attestation_id']) as AttestationId;
}

export const auditOf = async (acme: EvidenceOfOrganization) => {
  const { json } = await acme.get(`/audit/${acme.org}`, 'kind=evidence');
  return (json as { entries: Fields[] }).entries;
};
