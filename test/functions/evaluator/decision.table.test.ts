import { describe, expect, it } from 'vitest';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { readHead } from '#shared/evidence/records/flows.ts';
import {
  ALLOW_ALL,
  type EvaluationJson,
  type EvaluationsOfOrganization,
  evaluatedIn,
  evaluationsApi,
  withTrail,
} from '#test/functions/evaluations/evaluations-api.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';

const api = await evaluationsApi();
const { services } = api;
const SECOND = 1_000_000;
const stored = (acme: EvaluationsOfOrganization, id: string) => readEvaluation(services.table, acme.id, id);

const evaluated = evaluatedIn(services);

describe('the decision of an evaluation', () => {
  const DENY = 'package policy\n\nallow := false\n\nviolations := {"too old"}\n';

  it('names the line at which the program stopped, and the trail of the decision quotes it', async () => {
    const acme = await withTrail(api);
    const program = 'package policy\n\ndefault allow := false\n\nallow if input.trail.name == "other"\n';
    const decision = { control: 'SDLC-1', flow: 'web', trail: 'run' };
    const done = await evaluated(acme, program, { decision });
    const { json } = await acme.get(`/attestations/${acme.org}`, 'attestation_type=decision');
    expect(json).toMatchObject({ data: [{ user_data: { denied_at: { file: 'policy.rego', line: 5 } } }] });
    const evaluations = async () => {
      const { json: trail } = await acme.get(`/trails/${acme.org}/web/run`, 'reasons=chain');
      // The answer has the fields of its schema.
      const { reasons } = trail as unknown as { reasons: { step: string; says: string; html_url: string }[] };
      return reasons.filter(({ step }) => step === 'evaluation');
    };
    const says = 'SDLC-1 denied: `input.trail.name` is "run" (policy.rego, line 5)';
    const html_url = `https://api.example/${acme.org}/evaluations/${done.id}`;
    expect(await evaluations()).toEqual([
      {
        ...{ step: 'evaluation', name: 'SDLC-1', says, html_url },
        saw: '`input.trail.name` is "run"',
        compliant: false,
      },
    ]);
    // Anybody can report a decision that names the evaluation.
    await acme.attest('system', {
      ...{ attestation_name: 'forged', type_name: 'decision', control: 'SDLC-1' },
      ...{ attestation_data: { is_compliant: false }, user_data: { evaluation_id: done.id } },
    });
    expect(await evaluations()).toHaveLength(1);
    const explained = (await acme.get(`/evaluations/${acme.org}/${done.id}`, 'reasons=chain')).json as {
      reasons: { step: string; says: string }[];
    };
    expect(explained).toEqual({ ...done, reasons: expect.anything(), reasons_left_out: 0 });
    expect(explained.reasons.map(({ step, says }) => [step, says])).toEqual([
      ['attestation', expect.stringContaining('decided that SDLC-1 is not met, in `SDLC-1-decision` of run')],
      ['evaluation', 'SDLC-1 denied: `input.trail.name` is "run" (policy.rego, line 5)'],
    ]);
  });

  it('has no reasons before its verdict, and names the policy program where no control is judged', async () => {
    const acme = await withTrail(api);
    const pending = (await acme.request()).json as EvaluationJson;
    const read = (id: string, query: string) => acme.get(`/evaluations/${acme.org}/${id}`, query);
    expect((await read(pending.id, 'reasons=chain')).json).toEqual({ ...pending, reasons: [], reasons_left_out: 0 });
    expect((await read(pending.id, 'reasons=all')).status).toBe(400);
    const { id } = await evaluated(acme, DENY);
    const says = 'The policy program denied: too old';
    expect((await read(id, 'reasons=chain')).json).toMatchObject({ reasons: [{ step: 'evaluation', says }] });
  });

  it('is recorded once, with policy and report attached, and is found by its id', async () => {
    const acme = await withTrail(api);
    await acme.report(anArtifact('cli'));
    const fingerprint = fingerprintOf('cli');
    const decision = { control: 'SDLC-1', flow: 'web', trail: 'run', fingerprint };
    const done = await evaluated(acme, DENY, { decision });
    expect(done.decision_attestation_id).toMatch(/^[a-f0-9]{8}-/);
    await Promise.all([1, 2].map(() => processEvaluation(services, acme.id, done.id)));
    const { json } = await acme.get(`/attestations/${acme.org}`, 'attestation_type=decision');
    const { data } = json as { data: Record<string, unknown>[] };
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      attestation_id: done.decision_attestation_id,
      attestation_name: 'SDLC-1-decision',
      control: 'SDLC-1',
      is_compliant: false,
      artifact_fingerprint: fingerprint,
      created_by: expect.stringContaining('member'),
      user_data: { evaluation_id: done.id, violations: ['too old'] },
      attachments: [{ filename: 'policy.json' }, { filename: 'evaluation.json' }],
    });
    const found = await acme.get(`/attestations/${acme.org}`, `attestation_id=${done.decision_attestation_id}`);
    expect((found.json as { data: unknown[] }).data).toHaveLength(1);
  });

  /** Runs the worker with a table whose transactions go through `transact`. */
  const processWith = (acme: EvaluationsOfOrganization, id: string, transact: typeof services.table.transact) => {
    const table: typeof services.table = new Proxy(services.table, {
      get(target, name) {
        if (name === 'transact') return transact;
        if (name === 'ofRequest') return () => table;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    return processEvaluation({ ...services, table }, acme.id, id);
  };
  const requestDecision = async (acme: EvaluationsOfOrganization) => {
    const decision = { control: 'C.1', flow: 'web', trail: 'run' };
    const { status, json } = await acme.request({ policy: { files: { p: ALLOW_ALL } }, decision });
    expect(status).toBe(201);
    return (json as EvaluationJson).id;
  };
  const decisionsIn = async (acme: EvaluationsOfOrganization, flow: string) =>
    (await acme.trail({ flow })).compliance_status.attestations_statuses.map(({ attestation_name: name }) => name);

  it('is stored in the same transaction as the verdict', async () => {
    const acme = await withTrail(api);
    const id = await requestDecision(acme);
    const killed = processWith(acme, id, async () => {
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect((await acme.read(id)).json).toMatchObject({ status: 'pending', decision_attestation_id: null });
    const answers: Promise<unknown>[] = [];
    const watched = await processWith(acme, id, async (writes) => {
      const outcome = await services.table.transact(writes);
      answers.push(acme.read(id).then(({ json }) => json));
      return outcome;
    });
    expect(watched).toBe('completed');
    expect(answers).toHaveLength(1);
    expect(await answers[0]).toMatchObject({
      status: 'completed',
      decision_attestation_id: expect.stringMatching(/^[a-f0-9]{8}-/),
    });
  });

  it('is recorded once even if the worker ends before it knows that the transaction succeeded', async () => {
    const acme = await withTrail(api);
    const id = await requestDecision(acme);
    const killed = processWith(acme, id, async (writes) => {
      await services.table.transact(writes);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await processEvaluation(services, acme.id, id)).toBe('over');
    expect(await acme.named('C-1-decision')).toHaveLength(1);
  });

  it('is recorded in the flow that the request found, although another flow has taken its name', async () => {
    const acme = await withTrail(api);
    const id = await requestDecision(acme);
    expect((await acme.call('PUT', `/flows/${acme.org}/web/rename`, { json: { new_name: 'shop' } })).status).toBe(200);
    expect((await acme.putFlow('web')).status).toBe(201);
    await acme.begin({});
    expect((await acme.get(`/flows/${acme.org}`)).json).toHaveLength(2);
    expect(await processEvaluation(services, acme.id, id)).toBe('completed');
    expect(await decisionsIn(acme, 'shop')).toEqual(['C-1-decision']);
    expect(await decisionsIn(acme, 'web')).toEqual([]);
  });

  it('is recorded in the flow that the request found, although the flow was archived', async () => {
    const acme = await withTrail(api);
    const id = await requestDecision(acme);
    const { flow } = (await stored(acme, id))?.decision?.place ?? {};
    expect((await acme.call('PUT', `/flows/${acme.org}/web/archive`)).status).toBe(200);
    expect(await processEvaluation(services, acme.id, id)).toBe('completed');
    expect((await acme.get(`/flows/${acme.org}`)).json).toEqual([]);
    const head = flow && (await readHead(services.table, acme.id, flow));
    expect(await decisionsIn(acme, (head || undefined)?.name ?? '')).toEqual(['C-1-decision']);
  });

  it('is not recorded if the policy finishes after the deadline', async () => {
    const acme = await withTrail(api);
    const id = await requestDecision(acme);
    const { policies, clock } = services;
    const slow: typeof policies = {
      ...policies,
      evaluate(run) {
        clock.advance(15 * 60 * SECOND);
        return policies.evaluate(run);
      },
    };
    expect(await processEvaluation({ ...services, policies: slow }, acme.id, id)).toBe('failed');
    expect(await decisionsIn(acme, 'web')).toEqual([]);
  });

  it('is not recorded for a failed evaluation', async () => {
    const acme = await withTrail(api);
    const decision = { control: 'C', flow: 'web', trail: 'run' };
    const done = await evaluated(acme, 'package policy\n\nallow if input.nothing\n', { decision });
    expect(done).toMatchObject({ status: 'failed', decision_attestation_id: null });
    expect((await acme.trail()).compliance_status.attestations_statuses).toEqual([]);
  });
});
