import { beforeAll, describe, expect, it } from 'vitest';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readStatement } from '#shared/log/records/statements.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { fingerprintOf, newOrganization, refusal } from '#test/support/evidence.ts';
import { api, HEX, logOf, statementIn, table, withRelease } from './stated-release.ts';

const acme = await withRelease();
const host = 'https://api.example';

describe('GET /snapshots/{org}/{env_name}/{snappish}/statement', () => {
  const pathOf = (org: string, number: string | number = 1) => `/snapshots/${org}/prod/${number}/statement`;
  describeAccess(api, { method: 'GET', path: pathOf, needs: 'reader' });

  beforeAll(async () => {
    await acme.review();
    await acme.putPolicy('strict');
    await acme.putEnvironment('prod', 'server', { policies: ['strict'] });
    await acme.run('prod', onServer({ app: 'app', other: 'unknown' }));
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.run('prod', onServer({}));
  });

  it('states the verdict on what ran, with the version of the policy', async () => {
    const { said } = await acme.state('', pathOf(acme.org));
    expect(said.subject.map(({ digest }) => digest.sha256).sort()).toEqual(
      [fingerprintOf('app'), fingerprintOf('unknown')].sort(),
    );
    expect(said.predicate).toMatchObject({
      verificationResult: 'FAILED',
      policy: { uri: `${host}/api/v2/policies/${acme.org}/strict`, digest: { sha256: expect.stringMatching(HEX) } },
      inputAttestations: [{ uri: `${host}/api/v2/receipts/${acme.org}/environments/prod/1` }],
      [`${host}/part`]: { piece: 1, pieces: 1 },
    });
  });

  it('states a compliant snapshot as passed', async () => {
    const { said } = await acme.state('', pathOf(acme.org, 2));
    expect(said.subject).toEqual([{ name: 'app', digest: { sha256: fingerprintOf('app') } }]);
    expect(said.predicate.verifiedLevels).toEqual(['EVIDENCE_SNAPSHOT_COMPLIANT']);
  });

  it('has the snapshot itself as its subject if nothing ran', async () => {
    const { said } = await acme.state('', pathOf(acme.org, 3));
    expect(said.subject).toEqual([{ name: 'prod', digest: said.predicate.inputAttestations[0]?.digest }]);
  });

  it('names the snapshots of the members of a logical environment', async () => {
    const all = await environmentsOfOrganization(api);
    await all.putEnvironment('prod');
    await all.putEnvironment('every', 'logical', { included_environments: ['prod'] });
    await all.run('prod', onServer({ app: 'app' }));
    await logOf(all.id).log();
    const { json } = await all.get(`/snapshots/${all.org}/every/-1/statement`);
    const { subject, predicate } = statementIn(json);
    expect(subject).toEqual([{ name: 'app', digest: { sha256: fingerprintOf('app') } }]);
    const places = predicate.inputAttestations.map(({ uri }) => uri.split('/environments/')[1]);
    expect(places).toEqual([expect.stringMatching(/^every\/\d$/), 'prod/1']);
    expect(predicate.policy).toEqual({ uri: `${host}/api/v2/environments/${all.org}/every` });
  });

  it('keeps a long statement in the bucket', async () => {
    const large = await environmentsOfOrganization(api);
    await large.putEnvironment('prod');
    const names = Array.from({ length: 120 }, (_, i) => `app-${i}`);
    await large.run('prod', onServer(Object.fromEntries(names.map((name) => [name, name]))));
    await logOf(large.id).log();
    const [first, again] = [await large.get(pathOf(large.org)), await large.get(pathOf(large.org))];
    expect(
      statementIn(first.json)
        .subject.map(({ name }) => name)
        .sort(),
    ).toEqual(names.toSorted());
    expect(again.text).toBe(first.text);
    const stored = await readStatement(table, large.id, String(first.headers['x-statement-id']));
    expect(stored?.payload.store).toBe('s3');
  });

  it('refuses pieces and snapshots that do not exist', async () => {
    expect(refusal(await acme.get(pathOf(acme.org), 'piece=2'))).toEqual([
      404,
      { message: "Snapshot 1 of environment 'prod' has no piece 2 of statements" },
    ]);
    expect((await acme.get(pathOf(acme.org), 'piece=0')).status).toBe(400);
    expect((await acme.get(pathOf(acme.org, 9))).status).toBe(404);
  });
});

describe('GET /evaluations/{org}/{evaluation_id}/statement', () => {
  const pathOf = (org: string, id = 'none') => `/evaluations/${org}/${id}/statement`;
  describeAccess(api, { method: 'GET', path: pathOf, needs: 'reader' });

  it('states the result, and refuses an evaluation without one', async () => {
    const json = {
      context: { trails: [{ flow: 'web', trail: 'run' }] },
      policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    };
    const asked = await acme.call('POST', `/evaluations/${acme.org}`, { json });
    const { id } = asked.json as { id: string };
    expect(refusal(await acme.get(pathOf(acme.org, id)))).toEqual([
      400,
      { message: 'This evaluation has no result of its policy, so there is nothing to state' },
    ]);
    expect(await processEvaluation(api.services, acme.id, id)).toBe('completed');
    const { said } = await acme.state('', pathOf(acme.org, id));
    const { proof } = (await acme.get(`/evaluations/${acme.org}/${id}`)).json as { proof: { policy_sha256: string } };
    expect(said.predicate).toMatchObject({
      verificationResult: 'PASSED',
      verifiedLevels: ['EVIDENCE_EVALUATION_ALLOWED'],
      policy: { digest: { sha256: proof.policy_sha256 } },
    });
    expect(said.subject).toEqual([{ name: 'run', digest: said.predicate.inputAttestations[0]?.digest }]);
  });

  it('is forbidden while evaluations are off', async () => {
    const off = await newOrganization(api, []);
    expect((await off.get(pathOf(off.org))).status).toBe(403);
  });
});
