import { createPublicKey, verify } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { beforeAll, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type Envelope, PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { sweepChains } from '#shared/log/sweeps/sweep-chains.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { describeAccess } from '#test/support/access.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { fingerprintOf, refusal } from '#test/support/evidence.ts';
import { api, clock, HEX, withRelease } from './stated-release.ts';

const MINUTE = 60_000_000;

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
      [`${host}/evidence`]: [{ name: 'review', type: 'generic', attestation: expect.any(String), grade: 'stated' }],
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
