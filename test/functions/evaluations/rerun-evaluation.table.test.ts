import { describe, expect, it } from 'vitest';
import {
  anEvaluation,
  type EvaluationJson,
  type EvaluationsOfOrganization,
  evaluatedIn,
  evaluationsApi,
  withTrail,
} from './evaluations-api.ts';

const api = await evaluationsApi();
const evaluated = evaluatedIn(api.services);

describe('POST /evaluations/{org}/{evaluation_id}/replay', () => {
  const replay = (acme: EvaluationsOfOrganization, id: string) =>
    acme.call('POST', `/evaluations/${acme.org}/${id}/replay`, { key: acme.keys.member, text: 'null' });

  it('finds the same outcome for verdicts and for failures, even if the trail has changed since', async () => {
    const acme = await withTrail(api);
    const counted = 'package policy\n\nallow := count(input.trail.events) > 5\n\nviolations := {"few"}\n';
    const denied = await evaluated(acme, counted);
    const broken = await evaluated(acme, 'package policy\n\nallow := {');
    await acme.attest('generic', { attestation_name: 'after', is_compliant: true });
    for (const { id, result, error, proof } of [denied, broken]) {
      const { status, json } = await replay(acme, id);
      expect(status).toBe(200);
      expect(json).toEqual({ id, replayed_at: expect.any(Number), identical: true, result, error, proof });
    }
  });

  it('sees who made an attestation as the evaluation saw it', async () => {
    const acme = await withTrail(api);
    await acme.attest('generic', { attestation_name: 'scan', is_compliant: true });
    const lines = [
      'package policy',
      'default allow := false',
      'scan := input.trail.compliance_status.attestations_statuses.scan',
      'allow if {',
      '  scan.verification.grade == "stated"',
      '  scan.verification.signer == null',
      '  scan.verification.statement == null',
      '}',
    ];
    const { id, result } = await evaluated(acme, lines.join('\n'));
    expect(result).toMatchObject({ allow: true });
    expect((await replay(acme, id)).json).toMatchObject({ identical: true, result });
  });

  it('answers 400 for a pending evaluation and 404 for an unknown one', async () => {
    const acme = await withTrail(api);
    const { id } = (await acme.request()).json as EvaluationJson;
    expect((await replay(acme, id)).status).toBe(400);
    expect((await replay(acme, 'nope')).status).toBe(404);
  });
});

describe('GET /evaluations/{org}/{evaluation_id}?explain=true', () => {
  const explained = (acme: EvaluationsOfOrganization, id: string, explain = 'true') =>
    acme.get(`/evaluations/${acme.org}/${id}`, `explain=${explain}`);

  it('says why a policy denied, from the input of its first run', async () => {
    const acme = await withTrail(api);
    const lines = ['package policy', 'default allow := false', 'allow if input.trail.name == data.params.name'];
    const done = await evaluated(acme, lines.join('\n'), { params: { name: 'other' } });
    const { status, json } = await explained(acme, done.id);
    expect(status).toBe(200);
    const values = [
      { term: 'input.trail.name', value: '"run"' },
      { term: 'data.params.name', value: '"other"' },
    ];
    expect(json).toEqual({
      ...done,
      explanation: {
        identical: true,
        truncated: false,
        rules: [
          expect.objectContaining({ rule: 'data.policy.allow', line: 3, stopped: expect.objectContaining({ values }) }),
          expect.objectContaining({ rule: 'data.policy.allow', line: 2, is_default: true, value: 'false' }),
        ],
      },
    });
  });

  it('has no explanation before the end, and refuses other values', async () => {
    const acme = await withTrail(api);
    const { id } = (await acme.request()).json as EvaluationJson;
    expect((await explained(acme, id)).json).toMatchObject({ status: 'pending', explanation: null });
    expect((await explained(acme, id, 'perhaps')).status).toBe(400);
  });
});

describe('POST /evaluations/{org}/dry-run', () => {
  const dryRun = (acme: EvaluationsOfOrganization, fields: object = {}, query = '', key = acme.keys.member) =>
    acme.call('POST', `/evaluations/${acme.org}/dry-run`, { json: anEvaluation({ ...fields }), key, query });
  const policy = 'package policy\n\nallow := input.trail.name == data.params.name\n\nviolations := {"other name"}\n';
  const files = { 'policy.rego': policy };

  it('has the outcome and the proof of an evaluation, and stores nothing', async () => {
    const acme = await withTrail(api);
    const fields = { policy: { files }, params: { name: 'other' } };
    const { status, json } = await dryRun(acme, fields);
    expect(status).toBe(200);
    expect((await acme.get(`/evaluations/${acme.org}`)).json).toMatchObject({ total_count: 0 });
    const { recorded_at, result, error, proof } = await evaluated(acme, files, { params: { name: 'other' } });
    expect(json).toEqual({ recorded_at: expect.any(Number), result, error, proof });
    expect((json as EvaluationJson).recorded_at).toBeLessThanOrEqual(recorded_at);
    const explained = await dryRun(acme, fields, 'explain=true');
    const { explanation } = explained.json as { explanation: { rules: { rule: string; value: string }[] } };
    expect(explanation.rules.map(({ rule, value }) => [rule, value])).toEqual([
      ['data.policy.allow', 'false'],
      ['data.policy.violations', '["other name"]'],
    ]);
  });

  it('answers broken policies, and trails that did not exist at recorded_at, as outcomes', async () => {
    const acme = await withTrail(api);
    const broken = await dryRun(acme, { policy: { files: { 'policy.rego': 'package policy\nallow := {' } } });
    expect(broken.json).toMatchObject({ result: null, error: { kind: 'policy_invalid' } });
    const early = await dryRun(acme, { recorded_at: 1 });
    expect(early.json).toMatchObject({ result: null, error: { kind: 'context_error' }, proof: null });
  });

  it('refuses what an evaluation refuses', async () => {
    const acme = await withTrail(api);
    expect((await dryRun(acme, { policy: { files: {} } })).status).toBe(400);
    expect((await dryRun(acme, { recorded_at: 32_503_680_000 })).status).toBe(400);
    expect((await dryRun(acme, { context: { trails: [{ flow: 'web', trail: 'nope' }] } })).status).toBe(404);
    expect((await dryRun(acme, {}, '', acme.keys.reader)).status).toBe(403);
    const other = await withTrail(api);
    expect((await dryRun(acme, {}, '', other.keys.member)).status).toBe(403);
    const off = await withTrail(api, []);
    expect((await dryRun(off)).status).toBe(403);
  });
});
