import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import type { Id } from '#shared/base/ids.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { stateAsOf } from '#shared/evidence/records/moments.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { ALLOW_ALL, anEvaluation } from '#test/functions/evaluations/evaluations-api.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import {
  type EnvironmentsOfOrganization,
  environmentGroups,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { GITHUB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { LOOPBACK, startIssuer, type TestIssuer } from '#test/support/identity/issuer.ts';
import { keyWithIdentity } from '#test/support/identity/key-with-identity.ts';
import { testName } from '#test/support/ids.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag, recordsOf } from '#test/support/log/read-tar.ts';
import { policyText } from '#test/support/policies.ts';
import { allMoments } from '#test/support/trails.ts';
import { verifyArchive } from '#verify/archive.ts';

/** The decision of an evaluation carries the identity of who asked for the evaluation (rules/evaluations.md#recording). */

const api = await testApi([...environmentGroups, serviceAccountsGroup, tokenGroup, evaluationsGroup, exportsGroup]);
api.services.guard = addressGuard(LOOPBACK);
const { services } = api;
const exporter = exporterOf(services);
const folder = mkdtempSync(join(tmpdir(), 'identity-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

/** The artifact `web` in `web/run`, and an evaluation with a decision about it that a pipeline asked for. */
async function decided({ proved = true } = {}) {
  const acme = await environmentsOfOrganization(api);
  const { request, identity, origin } = await keyWithIdentity(api, acme, issuer);
  await acme.begin({});
  await acme.report(anArtifact('web'));
  await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'SOX-1', name: 'Releases' } });
  const decision = { control: 'SOX-1', flow: 'web', trail: 'run', fingerprint: fingerprintOf('web') };
  const json = anEvaluation({ decision, policy: { files: { 'policy.rego': ALLOW_ALL } } });
  const answer = await acme.call('POST', `/evaluations/${acme.org}`, { json, ...(proved && request) });
  expect(answer.status, answer.text).toBe(201);
  const { id } = answer.json as { id: Id };
  expect(await processEvaluation(services, acme.id, id)).toBe('completed');
  const evaluation = async () => (await acme.get(`/evaluations/${acme.org}/${id}`)).json as Record<string, unknown>;
  const moments = async () => {
    const { json } = await acme.get(`/trails/${acme.org}/web/run/moments`);
    return (json as { moments: { identity: object | null }[] }).moments.map((moment) => moment.identity);
  };
  const erase = (fields: object) => {
    services.clock.advance(120_000_000);
    const command = { command: 'erase-body', organization: acme.org, reason: 'a person asked', ...fields };
    return heldTo('operator', OPERATOR_USES, () => runOperator(services, command));
  };
  const flow = await findFlow(services.table, acme.id, testName('web'));
  if (!flow) throw new Error('The flow is not there');
  const fold = async () => stateAsOf(await allMoments(services.table, acme.id, flow.id, 'run'));
  return { acme, id, answer, identity, origin, request, evaluation, moments, erase, fold };
}

/** Exports an organization, and verifies the archive with the key of its log. */
async function exportedFrom(acme: EnvironmentsOfOrganization) {
  const started = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await exporter.run({ org: acme.id, id: started.id });
  const { json } = await acme.get(`/exports/${acme.org}/${started.id}`);
  const { download_url: address, log } = json as { download_url: string; log: { origin: string } };
  const tar = Buffer.from(await (await fetch(address)).arrayBuffer());
  const file = join(folder, `${started.id}.tar`);
  writeFileSync(file, tar);
  const key = verifierKey(log.origin, 'ed25519', (await services.keys.log()).publicKey);
  return { ...(await readBag(tar)), verified: (await verifyArchive(file, { policy: policyOf(key) })).counts };
}

describe('an evaluation that a pipeline asked for', () => {
  it('shows the identity of the pipeline beside who asked, from the request on', async () => {
    const { acme, id, answer, identity, evaluation } = await decided();
    expect(answer.json).toMatchObject({ requested_by: 'ci', identity });
    expect(await evaluation()).toMatchObject({ requested_by: 'ci', identity });
    const { json } = await acme.get(`/evaluations/${acme.org}`);
    expect(json).toMatchObject({ evaluations: [{ id, identity }] });
    const asked = await acme.get(`/evaluations/${acme.org}/${id}/request`);
    expect(asked.json).toMatchObject({ requested_by: { name: 'ci' }, identity });
  });

  it('records its decision with this identity: moment, attestation and status entry', async () => {
    const { acme, identity, origin, moments, fold } = await decided();
    expect(await moments()).toEqual([null, null, identity]);
    expect((await fold()).number).toBeGreaterThan(1);
    expect(await acme.named('SOX-1-decision')).toMatchObject([
      { identity, created_by: 'ci', verification: { grade: 'observed' } },
    ]);
    const { compliance_status: status } = await acme.trail();
    const entry = { attestation_name: 'SOX-1-decision', origin };
    expect(status.artifacts_statuses).toMatchObject({ web: { attestations_statuses: [entry] } });
    expect(JSON.stringify(status)).not.toContain(GITHUB_CLAIMS.actor);
  });

  it('records nothing of a caller whom no issuer proved', async () => {
    const { acme, evaluation, moments } = await decided({ proved: false });
    expect(await evaluation()).toMatchObject({ identity: null });
    expect(await moments()).toEqual([null, null, null]);
    expect(await acme.named('SOX-1-decision')).toMatchObject([{ identity: null, verification: { grade: 'observed' } }]);
  });

  it('records nothing when it is replayed, by whomever', async () => {
    const { acme, id, identity, evaluation, moments } = await decided();
    const replayed = await acme.call('POST', `/evaluations/${acme.org}/${id}/replay`);
    expect(replayed.json).toMatchObject({ identical: true });
    expect(await processEvaluation(services, acme.id, id)).toBe('over');
    expect(await moments()).toEqual([null, null, identity]);
    expect(await evaluation()).toMatchObject({ identity });
  });

  it.each([
    [true, true],
    [false, false],
  ])('satisfies reported_by of a policy: proved %s, compliant %s', async (proved, compliant) => {
    const { acme } = await decided({ proved });
    await acme.putEnvironment('prod');
    const rule = `attestations: [{name: SOX-1-decision, type: decision, reported_by: 'identity.repository == "acme/web"'}]`;
    const put = await acme.putPolicy('ours', policyText(rule));
    expect(put.status, put.text).toBeLessThan(300);
    await acme.attach('prod', 'ours');
    await acme.run('prod', onServer({ web: 'web' }));
    expect((await acme.row('prod', 'web')).compliant).toBe(compliant);
  });

  it('keeps the identity without the person after an erasure of the moment', async () => {
    const { identity, origin, moments, erase, fold } = await decided();
    expect(await erase({ kind: 'moment', flow: 'web', trail: 'run', number: 3 })).toMatchObject({ ok: true });
    const [, , left] = await moments();
    expect(left).toEqual(origin);
    expect(left).not.toHaveProperty('actor');
    expect(identity).not.toEqual(left);
    expect((await fold()).number).toBeGreaterThan(1);
  });

  it('keeps the identity without the person after an erasure of the evaluation', async () => {
    const { acme, id, origin, evaluation, erase } = await decided();
    expect(await erase({ kind: 'evaluation', id })).toMatchObject({ ok: true });
    const { identity, requested_by: by, erased } = await evaluation();
    expect([by, identity, erased]).toEqual(['ci', origin, expect.objectContaining({ reason: 'a person asked' })]);
    expect(identity).not.toHaveProperty('actor');
    const again = await erase({ kind: 'evaluation', id });
    expect(again).toMatchObject({ message: 'Nothing was left to erase in the table' });
    expect((await acme.get(`/evaluations/${acme.org}/${id}/request`)).json).toMatchObject({ identity: origin });
  });

  it('is in exports, where the verifier recomputes the moment of the decision', async () => {
    const { acme, id, identity, origin, erase } = await decided();
    await logEverything(services, acme.id);
    const exported = await exportedFrom(acme);
    const evaluationIn = () => recordsOf(exported.files, 'evaluations').find((line) => line['id'] === id);
    expect(evaluationIn()).toMatchObject({ by: { name: 'ci', identity } });
    expect(exported.verified).toMatchObject({ moments: 3, 'texts erased': 0 });

    await erase({ kind: 'evaluation', id });
    await erase({ kind: 'moment', flow: 'web', trail: 'run', number: 3 });
    await logEverything(services, acme.id);
    const later = await exportedFrom(acme);
    const [line] = recordsOf(later.files, 'evaluations');
    expect(line).toMatchObject({ by: { identity: origin } });
    expect(JSON.stringify([line, recordsOf(later.files, 'moments')])).not.toContain(GITHUB_CLAIMS.actor);
    expect(later.verified).toMatchObject({ moments: 3, 'texts erased': 6 });
  });
});
