import { describe, expect, it } from 'vitest';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import {
  ALLOW_ALL,
  type EvaluationJson,
  type EvaluationsOfOrganization,
  evaluatedIn,
  evaluationsApi,
  withTrail,
} from '#test/functions/evaluations/evaluations-api.ts';

const api = await evaluationsApi();
const { services } = api;
const SECOND = 1_000_000;

const evaluated = evaluatedIn(services);
const attested = (acme: EvaluationsOfOrganization, name: string, compliant: boolean, fields: object = {}) =>
  acme.attest('generic', { attestation_name: name, is_compliant: compliant, ...fields });

describe('an evaluation', () => {
  it('ends with the verdict of its policy, and has a proof', async () => {
    const acme = await withTrail(api);
    const done = await evaluated(acme, ALLOW_ALL);
    expect(done).toMatchObject({ status: 'completed', result: { allow: true, violations: [] }, error: null });
    expect(done.proof).toEqual({
      policy_sha256: expect.stringMatching(/^[a-f0-9]{64}$/),
      params_sha256: expect.stringMatching(/^[a-f0-9]{64}$/),
      input_sha256: expect.stringMatching(/^[a-f0-9]{64}$/),
      engine: expect.any(String),
      engine_version: expect.any(String),
      language: expect.stringContaining('Rego'),
    });
  });

  it('lists the violations of a denial that are strings, sorted', async () => {
    const acme = await withTrail(api);
    const policy = 'package policy\n\nallow := false\n\nviolations contains v if some v in ["b", "a", 3]\n';
    expect((await evaluated(acme, policy)).result).toEqual({ allow: false, violations: ['a', 'b'] });
  });

  it('sees the attestations of the trail by name with all their fields, and the params', async () => {
    const acme = await withTrail(api);
    await attested(acme, 'review', true, { user_data: { reviewers: 2, big: 12345678901234567890n.toString() } });
    const policy = `package policy
default allow := false
allow if {
  count(input.trails) == 1
  input.trail.name == "run"
  review := input.trail.compliance_status.attestations_statuses.review
  review.is_compliant
  review.user_data.reviewers >= data.params.least
  startswith(review.html_url, "https://")
}`;
    expect((await evaluated(acme, policy, { params: { least: 2 } })).result).toMatchObject({ allow: true });
    expect((await evaluated(acme, policy, { params: { least: 3 } })).result).toMatchObject({ allow: false });
  });

  it('has undefined params if the request has none', async () => {
    const acme = await withTrail(api);
    const policy = 'package policy\n\ndefault allow := true\n\nallow := false if data.params\n';
    expect((await evaluated(acme, policy, { params: {} })).result).toMatchObject({ allow: true });
    expect((await evaluated(acme, policy, { params: { a: 1 } })).result).toMatchObject({ allow: false });
  });

  it.each([
    ['package policy\n\nallow := {', 'policy_invalid'],
    ['package other\n\nallow := true\n', 'policy_invalid'],
    ['package policy\n\ndeny := true\n', 'policy_invalid'],
    ['package policy\n\nallow if x == 1\n', 'policy_invalid'],
    ['package policy\n\nallow := http.send({"method": "get", "url": "http://x"})\n', 'policy_invalid'],
    ['package policy\n\nallow if input.nothing\n', 'policy_error'],
    ['package policy\n\nallow := "yes"\n', 'policy_error'],
  ])('fails if its author made a mistake: %j', async (policy, kind) => {
    const acme = await withTrail(api);
    const done = await evaluated(acme, policy);
    expect(done).toMatchObject({ status: 'failed', result: null, error: { kind, message: expect.any(String) } });
    expect(done.error?.message).not.toBe('');
  });

  it('reads trails as of recorded_at, without later attestations', async () => {
    const acme = await withTrail(api);
    await attested(acme, 'review', false);
    const then = (await acme.trail()).last_modified_at;
    await attested(acme, 'review', true);
    await attested(acme, 'later', true);
    const policy = `package policy
default allow := false
allow if input.trail.compliance_status.attestations_statuses.review.is_compliant
violations contains name if some name, _ in input.trail.compliance_status.attestations_statuses
`;
    const past = await evaluated(acme, policy, { recorded_at: then });
    expect(past).toMatchObject({ recorded_at: then, result: { allow: false, violations: ['review'] } });
    expect((await evaluated(acme, policy)).result).toMatchObject({ allow: true });
  });

  it('is pinned at the time of the request', async () => {
    const acme = await withTrail(api);
    const policy = 'package policy\n\nallow := count(input.trail.events) == 1\n';
    const { id } = (await acme.request({ policy: { files: { p: policy } } })).json as EvaluationJson;
    await attested(acme, 'after', true);
    await processEvaluation(services, acme.id, id);
    expect((await acme.read(id)).json).toMatchObject({ status: 'completed', result: { allow: true } });
  });

  it('fails with context_error if a trail had no moment at recorded_at', async () => {
    const acme = await withTrail(api);
    const done = await evaluated(acme, ALLOW_ALL, { recorded_at: 1_700_000_000 });
    expect(done).toMatchObject({ status: 'failed', error: { kind: 'context_error' } });
    expect(done.error?.message).toContain("Trail 'run' of flow 'web'");
  });

  it('is evaluated once even if its message comes several times', async () => {
    const acme = await withTrail(api);
    const { id } = (await acme.request()).json as EvaluationJson;
    const outcomes = await Promise.all([1, 2, 3].map(() => processEvaluation(services, acme.id, id)));
    expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
    expect(await processEvaluation(services, acme.id, id)).toBe('over');
    expect(await processEvaluation(services, acme.id, '019b5f2e-3c00-0000-0000-00000000')).toBe('unknown');
  });

  it('does not complete after its deadline', async () => {
    const acme = await withTrail(api);
    const { id } = (await acme.request()).json as EvaluationJson;
    services.clock.advance(15 * 60 * SECOND);
    expect(await processEvaluation(services, acme.id, id)).toBe('failed');
    expect(await readEvaluation(services.table, acme.id, id)).toMatchObject({
      status: 'failed',
      error: { kind: 'internal_error' },
      result: null,
    });
    expect(await processEvaluation(services, acme.id, id)).toBe('over');
  });
});
