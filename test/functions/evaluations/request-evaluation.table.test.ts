import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { anArtifact, fingerprintOf, refusal } from '#test/support/evidence.ts';
import { anEvaluation, type EvaluationJson, evaluationsApi, withTrail } from './evaluations-api.ts';

const api = await evaluationsApi();
const SECOND = 1_000_000;
/** One organization for refusals: each of them must leave it as it was. */
const refusing = await withTrail(api);
const untouched = await refusing.stored();

describe('POST /evaluations/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/evaluations/${org}`,
    request: { json: anEvaluation() },
    needs: 'member',
  });

  it('answers with a pending evaluation, which reads back and is listed', async () => {
    const acme = await withTrail(api);
    const { status, json } = await acme.request();
    expect(status).toBe(201);
    const evaluation = json as EvaluationJson;
    expect(evaluation).toEqual({
      id: expect.stringMatching(/^[a-f0-9]{8}-/),
      status: 'pending',
      requested_at: expect.any(Number),
      requested_by: expect.stringContaining('member'),
      identity: null,
      recorded_at: expect.any(Number),
      result: null,
      error: null,
      decision_attestation_id: null,
      proof: null,
      html_url: `https://api.example/${acme.org}/evaluations/${evaluation.id}`,
    });
    expect(evaluation.recorded_at).toBeGreaterThanOrEqual(evaluation.requested_at);
    expect(evaluation.recorded_at).toBeGreaterThanOrEqual((await acme.trail()).last_modified_at);
    expect(refusal(await acme.read(evaluation.id))).toEqual([200, evaluation]);
    const list = await acme.get(`/evaluations/${acme.org}`);
    expect(list.json).toMatchObject({ total_count: 1, evaluations: [evaluation] });
  });

  it('has the time of its request', async () => {
    const acme = await withTrail(api);
    const seconds = () => api.services.clock.now() / SECOND;
    const before = seconds();
    const { requested_at: at } = (await acme.request()).json as EvaluationJson;
    expect(at).toBeGreaterThan(before);
    expect(at).toBeLessThan(seconds());
  });

  it('is forbidden while evaluations are off, and with a decision while controls are off', async () => {
    const off = await organizationWith(api.services, ['admin'], ['controls']);
    const forbidden = [403, { message: 'Forbidden' }];
    const send = { key: off.keys.admin, json: anEvaluation() };
    expect(refusal(await api.call('POST', `/evaluations/${off.name}`, send))).toEqual(forbidden);
    expect(refusal(await api.call('GET', `/evaluations/${off.name}`, send))).toEqual(forbidden);
    const acme = await withTrail(api, ['evaluations']);
    expect((await acme.request()).status).toBe(201);
    const decision = { control: 'C-1', flow: 'nope', trail: 'nope' };
    expect(refusal(await acme.request({ decision }))).toEqual(forbidden);
  });

  it.each([
    [{ context: undefined }, 'context'],
    [{ context: {} }, 'context.trails'],
    [{ context: { trails: [] } }, 'context.trails'],
    [{ context: { trails: Array.from({ length: 101 }, () => ({ flow: 'web', trail: 'run' })) } }, 'context.trails'],
    [{ context: { trails: [{ flow: 'web' }] } }, 'context.trails[0].trail'],
    [{ policy: undefined }, 'policy'],
    [{ policy: { files: {} } }, 'policy.files'],
    [{ policy: { files: ['x'] } }, 'policy.files'],
    [{ policy: { files: { 'a.rego': 3 } } }, 'policy.files.a.rego'],
    [{ params: 'x' }, 'params'],
    [{ decision: 'x' }, 'decision'],
    [{ decision: { control: 'a b', flow: 'web', trail: 'run' } }, 'decision.control'],
    [{ decision: { control: 'C', flow: 'web', trail: 'run', name: 'a b' } }, 'decision.name'],
    [{ decision: { control: 'C', trail: 'run' } }, 'decision.flow'],
    [{ decision: { control: 'C', flow: 'web', trail: 'run', fingerprint: 'abc' } }, 'decision.fingerprint'],
    [{ recorded_at: 'now' }, 'recorded_at'],
  ])('refuses %j', async (fields, field) => {
    const { status, json } = await refusing.request(fields);
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, [field]]);
    expect(await refusing.stored()).toEqual(untouched);
  });

  it('refuses every instant before the epoch', async () => {
    for (const recorded_at of [-1, -1e130]) {
      const { status, json } = await refusing.request({ recorded_at });
      const text = `Input should be greater than or equal to 0 [input: ${recorded_at}]`;
      expect([status, (json as { errors: object }).errors]).toEqual([400, { recorded_at: text }]);
    }
  });

  it('refuses more than 5 MiB of policy, and an instant in the future', async () => {
    const half = 'x'.repeat((5 * 1024 * 1024) / 2);
    const large = await refusing.request({ policy: { files: { a: half, b: `${half}x` } } });
    expect(large.status).toBe(400);
    expect(JSON.stringify(large.json)).toContain('at most 5242880 bytes');
    const recorded_at = api.services.clock.now() / SECOND + 60;
    const { status, json } = await refusing.request({ recorded_at });
    expect(status).toBe(400);
    expect(Object.keys((json as { errors: object }).errors)).toEqual(['recorded_at']);
  });

  it('answers 404 for an unknown trail and for a trail of another organization', async () => {
    const acme = await withTrail(api);
    const other = await withTrail(api);
    await other.begin({}, { flow: 'secret', trail: 'run' });
    for (const place of [
      { flow: 'web', trail: 'nope' },
      { flow: 'secret', trail: 'run' },
      { flow: 'web', trail: 'a b' },
      { flow: '', trail: '' },
    ]) {
      const sentence = `Trail with name '${place.trail}' does not exist for Organization '${acme.org}' and Flow '${place.flow}'`;
      const trails = [{ flow: 'web', trail: 'run' }, place];
      expect(refusal(await acme.request({ context: { trails } }))).toEqual([404, { message: sentence }]);
      if (place.trail !== 'nope') continue;
      const decision = { control: 'C', ...place };
      expect(refusal(await acme.request({ decision }))).toEqual([404, { message: sentence }]);
    }
  });

  it('accepts a decision on any artifact of the organization', async () => {
    const acme = await withTrail(api);
    const decide = (fingerprint: string) =>
      acme.request({ decision: { control: 'C', flow: 'web', trail: 'run', fingerprint } });
    const fingerprint = fingerprintOf('cli');
    const missing = `Artifact with fingerprint '${fingerprint}' does not exist in organization '${acme.org}'`;
    expect(refusal(await decide(fingerprint))).toEqual([404, { message: missing }]);
    await acme.report(anArtifact('cli'), { flow: 'build' });
    expect((await decide(fingerprint)).status).toBe(201);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await withTrail(api);
    const headers = { 'idempotency-key': uniqueName('once') };
    const send = (json: unknown) => acme.call('POST', `/evaluations/${acme.org}`, { json, headers });
    const first = await send(anEvaluation());
    expect(refusal(await send(anEvaluation()))).toEqual([201, first.json]);
    expect((await send(anEvaluation({ params: { a: 1 } }))).status).toBe(400);
    expect((await acme.get(`/evaluations/${acme.org}`)).json).toMatchObject({ total_count: 1 });
  });
});

describe('GET /evaluations/{org}/{evaluation_id}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/evaluations/${org}/nope`, needs: 'reader' });

  it.each(['nope', '019b5f2e-3c00-0000-0000-00000000', 'a..b', 'é'])('answers 404 for %j', async (id) => {
    expect(refusal(await refusing.read(id))).toEqual([404, { message: 'Evaluation not found' }]);
  });

  it('accepts basic credentials, and answers 404 to another organization', async () => {
    const [acme, other] = [await withTrail(api), await withTrail(api)];
    const { id } = (await acme.request()).json as EvaluationJson;
    const authorization = `Basic ${Buffer.from(`${acme.keys.reader}:anything`).toString('base64')}`;
    const answer = await api.call('GET', `/evaluations/${acme.org}/${id}`, { headers: { authorization } });
    expect([answer.status, (answer.json as EvaluationJson).id]).toEqual([200, id]);
    expect(refusal(await other.read(id))).toEqual([404, { message: 'Evaluation not found' }]);
  });

  it('shows a failed evaluation after the deadline', async () => {
    const acme = await withTrail(api);
    const { id } = (await acme.request()).json as EvaluationJson;
    api.services.clock.advance(15 * 60 * SECOND - SECOND * 5);
    expect((await acme.read(id)).json).toMatchObject({ status: 'pending' });
    api.services.clock.advance(SECOND * 5);
    const late = { status: 'failed', error: { kind: 'internal_error', message: expect.any(String) }, result: null };
    expect(await acme.read(id)).toMatchObject({ status: 200, json: late });
    const list = (await acme.get(`/evaluations/${acme.org}`)).json as { evaluations: EvaluationJson[] };
    expect(list.evaluations).toMatchObject([late]);
  });
});

describe('GET /evaluations/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/evaluations/${org}`, needs: 'reader' });

  it('pages by number, newest first', async () => {
    const acme = await withTrail(api);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.push(((await acme.request()).json as EvaluationJson).id);
    const page = async (query: string) => {
      const { status, json } = await acme.get(`/evaluations/${acme.org}`, query);
      expect(status).toBe(200);
      return json as { evaluations: EvaluationJson[]; total_count: number; total_pages: number; _links: object };
    };
    const second = await page('page=2&per_page=2');
    expect(second.evaluations.map(({ id }) => id)).toEqual([ids[0]]);
    expect(second).toMatchObject({ total_count: 3, total_pages: 2 });
    expect((await page('per_page=2')).evaluations.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect((await page('page=9')).evaluations).toEqual([]);
  });

  it.each(['page=0', 'per_page=0', 'per_page=101', 'page=x'])('refuses %s', async (query) => {
    expect((await refusing.get(`/evaluations/${refusing.org}`, query)).status).toBe(400);
  });
});

describe('GET /evaluations/{org}/{evaluation_id}/request', () => {
  const ID = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
  describeAccess(api, { method: 'GET', path: (org) => `/evaluations/${org}/${ID}/request`, needs: 'reader' });

  it('shows who asked for what: trails with their moments, files, parameters', async () => {
    const acme = await withTrail(api);
    const files = { 'z.rego': 'package policy\n\nallow := true\n', 'data/__proto__.json': '{}' };
    const { json } = await acme.request({ params: { __max: 1.0 }, policy: { files } });
    const { id, requested_at, recorded_at } = json as EvaluationJson;
    const asked = await acme.get(`/evaluations/${acme.org}/${id}/request`);
    expect(asked.json).toEqual({
      id,
      requested_at,
      recorded_at,
      requested_by: { name: expect.stringContaining('member'), kind: 'user' },
      identity: null,
      trails: [{ flow: 'web', trail: 'run', moment: 1 }],
      files: [
        { path: 'data/__proto__.json', text: '{}' },
        { path: 'z.rego', text: files['z.rego'] },
      ],
      params: { __max: 1 },
      decision: null,
    });
  });

  it('answers 404 for an unknown evaluation and a text that is no id', async () => {
    const acme = await withTrail(api);
    for (const id of [ID, 'none']) {
      const answer = await acme.get(`/evaluations/${acme.org}/${id}/request`);
      expect(refusal(answer)).toEqual([404, { message: 'Evaluation not found' }]);
    }
  });

  it('is forbidden while evaluations are off', async () => {
    const off = await organizationWith(api.services, ['admin'], []);
    const answer = await api.call('GET', `/evaluations/${off.name}/${ID}/request`, { key: off.keys.admin });
    expect(refusal(answer)).toEqual([403, { message: 'Forbidden' }]);
  });
});
