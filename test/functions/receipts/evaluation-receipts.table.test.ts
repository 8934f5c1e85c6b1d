import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import { planEvaluation } from '#shared/evaluations/erase-evaluation.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups } from '#test/support/environments.ts';
import { newOrganization, refusal } from '#test/support/evidence.ts';
import { integrateStored, integratorOf } from '#test/support/log/log.ts';
import { loggedOrganization } from '#test/support/log/receipts.ts';
import { requestCosts } from '#test/support/table/request-costs.ts';

// rules/log.md#receipts

const api = await testApi([...environmentGroups, evaluationsGroup, receiptsGroup]);
const { table, objects, clock, keys, origin } = api.services;
const integrator = integratorOf(table, { objects, clock, origin, logSigner: keys.log });
const acme = await loggedOrganization(api, integrator);

async function request(policy = 'package policy\n\ndefault allow := false\n'): Promise<string> {
  const json = { context: { trails: [{ flow: 'web', trail: 'run' }] }, policy: { files: { 'policy.rego': policy } } };
  return ((await acme.call('POST', `/evaluations/${acme.org}`, { json })).json as { id: string }).id;
}

/** An evaluation that ended and is in the log. */
async function logged(policy?: string): Promise<string> {
  const id = await request(policy);
  await processEvaluation(api.services, acme.id, id);
  await integrateStored(integrator, acme.id);
  return id;
}

const hmacOf = (salt: string | null, text: string | null) =>
  createHmac('sha256', Buffer.from(salt ?? '', 'hex'))
    .update(text ?? '')
    .digest('hex');

describe('GET /receipts/{org}/evaluations/{evaluation_id}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/receipts/${org}/evaluations/none`, needs: 'reader' });

  it('answers a proof that verifies, with texts that fit every commitment', async () => {
    const id = await logged();
    const { proof, hash, header, openings } = await acme.getJson(`evaluations/${id}`);
    expect([header.subject, header.number, acme.verified(proof)]).toEqual([{ evaluation: id }, 0, hash]);
    const computed = openings.map(({ name, salt, text }) => [name, hmacOf(salt, text)]);
    expect(Object.fromEntries(computed)).toEqual(header.commitments);
    const names = openings.map(({ name }) => name).toSorted();
    expect(names).toEqual(['context', 'evaluation', 'input', 'policy', 'result']);
    expect(openings.find(({ name }) => name === 'evaluation')?.text).toMatch(/"allow":false/);
    expect((await acme.get(`evaluations/${id}`)).text).toBe(proof);
  });

  it('opens the message of an error', async () => {
    const id = await logged('package policy\n\nallow := {\n');
    const { openings } = await acme.getJson(`evaluations/${id}`);
    expect(openings.map(({ name }) => name)).toContain('error');
  });

  it('takes three calls', async () => {
    const id = await logged();
    expect((await requestCosts(api)(acme, `/receipts/${acme.org}/evaluations/${id}`)).calls).toBeLessThanOrEqual(3);
  });

  it('answers 202 until the evaluation ended and a checkpoint covers it', async () => {
    const id = await request();
    await integrateStored(integrator, acme.id);
    expect((await acme.get(`evaluations/${id}`)).status).toBe(202);
    await processEvaluation(api.services, acme.id, id);
    expect((await acme.get(`evaluations/${id}`)).status).toBe(202);
    await integrateStored(integrator, acme.id);
    expect((await acme.get(`evaluations/${id}`)).status).toBe(200);
  });

  it('stays valid after an erasure, without the erased texts', async () => {
    const id = await logged();
    const before = await acme.getJson(`evaluations/${id}`);
    const record = await readEvaluation(table, acme.id, id);
    if (!record) throw new Error('There is no such evaluation');
    await table.transact(planEvaluation(acme.id, record, { at: clock.now(), reason: 'by mistake' }).writes);
    const { proof, hash, openings } = await acme.getJson(`evaluations/${id}`);
    expect([acme.verified(proof), hash]).toEqual([before.hash, before.hash]);
    const left = openings.filter(({ salt, text }) => salt !== null && text !== null).map(({ name }) => name);
    expect(left.toSorted()).toEqual(['context', 'evaluation', 'policy']);
  });

  it('answers 404 for what does not exist, and names the entry of a record that is gone', async () => {
    expect(refusal(await acme.get('evaluations/none'))).toEqual([404, { message: 'Evaluation not found' }]);
    const id = await logged();
    expect(refusal(await acme.get(`evaluations/${id}`))[0]).toBe(200);
    const { index } = await acme.getJson(`evaluations/${id}`);
    await table.write({ remove: evaluationKey(acme.id, id as never) });
    expect(refusal(await acme.get(`evaluations/${id}`))).toEqual([
      500,
      { message: `Entry ${index} is in the log, its record is gone` },
    ]);
  });

  it('is forbidden while evaluations are off', async () => {
    const off = await newOrganization(api, []);
    expect((await off.get(`/receipts/${off.org}/evaluations/none`)).status).toBe(403);
  });
});
