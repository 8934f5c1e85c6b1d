import { createPublicKey, verify } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { logGroup } from '#functions/log/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readStatement } from '#shared/log/records/statements.ts';
import { type Envelope, PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { sweepChains } from '#shared/log/sweeps/sweep-chains.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, newOrganization, refusal } from '#test/support/evidence.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { relayOf } from '#test/support/relay.ts';

const api = await testApi([
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, environmentsGroup, policiesGroup],
  ...[evaluationsGroup, logGroup, statementsGroup],
]);
const { table, objects, clock, keys, origin } = api.services;
const MINUTE = 60_000_000;
const HEX = /^[0-9a-f]{64}$/;

interface Predicate {
  verificationResult: string;
  verifiedLevels: string[];
  resourceUri: string;
  policy: { uri: string; digest?: { sha256: string } };
  inputAttestations: { uri: string; digest: { sha256: string } }[];
  [field: string]: unknown;
}
interface Statement {
  subject: { name: string; digest: { sha256: string } }[];
  predicate: Predicate;
}

const statementIn = (answer: unknown): Statement =>
  JSON.parse(Buffer.from((answer as Envelope).payload, 'base64').toString());

/** The way of an organization's records into its log. */
function logOf(org: OrganizationId) {
  const relay = relayOf(api.services, org);
  const { work } = integratorOf(table, { objects, clock, origin, logSigner: keys.log });
  /** Hands what changed to the relay, and its messages to the integrator. @returns how many entries were sent */
  const log = async (): Promise<number> => {
    await relay.settle();
    const messages = relay.takeEntries();
    expect(await work(messages)).toBe(0);
    return messages.reduce((sum, { entries }) => sum + entries.length, 0);
  };
  return { relay, work, log };
}

/** A trail `web/run` with the artifact `app`, whose template wants a review. */
async function withRelease() {
  const acme = await environmentsOfOrganization(api);
  await acme.putFlow('web', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n');
  await acme.begin({});
  await acme.report(anArtifact('app'), { trail: 'run' });
  const path = `/trails/${acme.org}/web/run/statement`;
  const { relay, work, log } = logOf(acme.id);
  return {
    ...acme,
    path,
    work,
    relay: { ...relay, log: () => undefined },
    /** Reads a statement, after everything that was written came into the log. */
    state: async (query = '', at = path) => {
      await log();
      const answer = await acme.get(at, query);
      return { ...answer, said: statementIn(answer.json) };
    },
    review: () => acme.attest('generic', { attestation_name: 'review', is_compliant: true }),
    bundle: (at = path) => acme.get(at, 'format=sigstore'),
    log,
    forget: async () => {
      await relay.settle();
      return relay.takeEntries();
    },
  };
}

const acme = await withRelease();
const host = 'https://api.example';

async function trustedRootOf(org: string) {
  const { json } = await acme.get(`/log/${org}`);
  const { trusted_root: root, statement_keys: found } = json as {
    trusted_root: unknown;
    statement_keys: { public_key: string }[];
  };
  return { root, key: createPublicKey(found[0]?.public_key ?? '') };
}

async function accept(bundle: unknown): Promise<void> {
  const { root, key } = await trustedRootOf(acme.org);
  const trust = toTrustMaterial(TrustedRoot.fromJSON(root), () => ({ publicKey: key, validFor: () => true }));
  const options = { tlogThreshold: 1, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trust, options).verify(toSignedEntity(bundleFromJSON(bundle)));
}

describe('GET /trails/{org}/{flow}/{trail}/statement', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/trails/${org}/web/run/statement`, needs: 'reader' });

  it('states that a trail without its review is not compliant', async () => {
    const { status, said, json } = await acme.state();
    const links = [1, 2].map((number) => ({
      uri: `${host}/api/v2/receipts/${acme.org}/trails/web/run/${number}`,
      digest: { sha256: expect.stringMatching(HEX) },
    }));
    expect(status).toBe(200);
    expect(said).toMatchObject({
      subject: [{ name: 'run', digest: { sha256: said.predicate.inputAttestations.at(-1)?.digest.sha256 } }],
      predicate: {
        verifier: { id: `${host}/verifier/v1` },
        resourceUri: `${host}/api/v2/trails/${acme.org}/web/run`,
        policy: { uri: `${host}/api/v2/flows/${acme.org}/web`, digest: { sha256: expect.stringMatching(HEX) } },
        verificationResult: 'FAILED',
        verifiedLevels: ['FAILED'],
        [`${host}/nonce`]: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(said.predicate.inputAttestations).toEqual(links.slice(-said.predicate.inputAttestations.length));
    const { payload, payloadType, signatures } = json as Envelope;
    const message = preAuthEncoding(payloadType, Buffer.from(payload, 'base64'));
    const { key } = await trustedRootOf(acme.org);
    expect(payloadType).toBe(PAYLOAD_TYPE);
    expect(verify('sha256', message, key, Buffer.from(signatures[0]?.sig ?? '', 'base64'))).toBe(true);
  });

  it('answers the same bytes to everybody until the trail has another moment', async () => {
    const [one, ...others] = await Promise.all(
      (['reader', 'member', 'admin'] as const).map((role) => api.call('GET', acme.path, { key: acme.keys[role] })),
    );
    expect(others.map(({ text }) => text)).toEqual([one?.text, one?.text]);
    await acme.review();
    const later = await acme.state();
    expect(later.text).not.toBe(one?.text);
    expect(later.said.predicate).toMatchObject({
      verificationResult: 'PASSED',
      verifiedLevels: ['EVIDENCE_TRAIL_COMPLIANT'],
    });
    expect(later.said.predicate.inputAttestations.map(({ uri }) => uri.split('/').at(-1))).toEqual(['2', '3']);
  });

  it('costs a bounded number of calls', async () => {
    await acme.state();
    expect(api.entries.at(-1)).toMatchObject({ aws_calls: 3 });
  });

  it('proves the statement by a bundle as soon as a checkpoint covers it', async () => {
    await acme.review();
    await acme.state();
    const waiting = await acme.bundle();
    expect([waiting.status, waiting.headers['retry-after'], waiting.json]).toEqual([
      202,
      '2',
      { message: expect.stringMatching(/^No checkpoint of the log covers this record yet/) },
    ]);
    expect(await acme.log()).toBeGreaterThan(0);
    const { status, json } = await acme.bundle();
    expect(status).toBe(200);
    await expect(accept(json)).resolves.toBeUndefined();
    expect((json as { dsseEnvelope: Envelope }).dsseEnvelope).toEqual((await acme.state()).json);
  });

  it('sends a statement again whose message was lost', async () => {
    const other = await withRelease();
    await other.state();
    await other.forget();
    await other.bundle();
    expect(await other.log()).toBe(0);
    clock.advance(2 * MINUTE);
    await other.bundle();
    expect(await other.log()).toBe(1);
    expect((await other.bundle()).status).toBe(200);
  });

  it('comes into the log by a sweep if the stream lost its record and nobody asks for it', async () => {
    const other = await withRelease();
    await other.log();
    await other.state();
    await other.forget();
    // A turn checks 4 of 16 partitions.
    const sweep = async () => {
      for (let turn = 0; turn < 4; turn += 1)
        await heldTo('relay', RELAY_USES, () => sweepChains(other.relay, other.id));
      const messages = other.relay.takeEntries();
      expect(await other.work(messages)).toBe(0);
      return messages.length;
    };
    expect(await sweep()).toBe(0);
    clock.advance(SETTLING_MICROS);
    expect([await sweep(), await sweep()]).toEqual([1, 0]);
    expect((await other.bundle()).status).toBe(200);
  });

  it('refuses unknown trails, flows and formats', async () => {
    const at = (flow: string, trail: string) => acme.get(`/trails/${acme.org}/${flow}/${trail}/statement`);
    expect([(await at('web', 'none')).status, (await at('none', 'run')).status]).toEqual([404, 404]);
    const { status, json } = await acme.get(acme.path, 'format=pdf');
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, ['query.format']]);
  });
});

describe('GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}/statement', () => {
  const app = fingerprintOf('app');
  const pathOf = (org: string, fingerprint: string = app) =>
    `/artifacts/${org}/web/fingerprint/${fingerprint}/statement`;
  describeAccess(api, { method: 'GET', path: pathOf, needs: 'reader' });

  beforeAll(() => acme.review());

  it('has the fingerprint as its subject', async () => {
    const { said } = await acme.state('', pathOf(acme.org));
    expect(said.subject).toEqual([{ name: 'app', digest: { sha256: app } }]);
    expect(said.predicate).toMatchObject({
      resourceUri: `${host}/api/v2/artifacts/${acme.org}/web/fingerprint/${app}?trail=run`,
      verificationResult: 'PASSED',
      verifiedLevels: ['EVIDENCE_ARTIFACT_COMPLIANT'],
    });
  });

  it('answers the same for a named trail', async () => {
    const named = await acme.state('trail=run', pathOf(acme.org));
    expect(named.text).toBe((await acme.state('', pathOf(acme.org))).text);
  });

  it.each([
    ['an unknown artifact', fingerprintOf('none'), ''],
    ['a prefix', app.slice(0, 10), ''],
    ['another trail', app, 'trail=none'],
  ])('answers 404 for %s', async (_, fingerprint, query) => {
    expect((await acme.get(pathOf(acme.org, fingerprint), query)).status).toBe(404);
  });
});

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

describe('an erased statement', () => {
  it('is gone, and its entry stays in the log', async () => {
    const other = await withRelease();
    const { headers } = await other.state();
    await other.log();
    const { size } = (await other.get(`/log/${other.org}`)).json as { size: number };
    const command = {
      command: 'erase-body',
      organization: other.org,
      kind: 'statement',
      id: headers['x-statement-id'],
      reason: 'a wrong name',
    };
    const erased = await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command));
    expect(erased).toMatchObject({ message: expect.stringContaining('Erased one record') });
    for (const format of ['intoto', 'sigstore']) {
      expect(refusal(await other.get(other.path, `format=${format}`))).toEqual([
        410,
        { message: expect.stringMatching(/^This statement was erased at \d{4}-.*: a wrong name$/) },
      ]);
    }
    // The audit entry of the erasure is new. The stream has brought the erased item again, which is no new entry.
    await other.log();
    expect((await other.get(`/log/${other.org}`)).json).toMatchObject({ size: size + 1 });
  });
});
