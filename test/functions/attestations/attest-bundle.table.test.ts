import { describe, expect, it } from 'vitest';
import { LIBRARY } from '#shared/signatures/verify-bundle.ts';
import { OwnRoot, SIGNED_AT } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import { envelope, ISSUER, SHA256, SUBJECT, statement } from '#test/shared/signatures/sample-bundles.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo, fingerprintOf, shaOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { policyText } from '#test/support/policies.ts';
import {
  about,
  bundlesApi,
  digestOf,
  errorsOf,
  key,
  madeOf,
  own,
  sender,
  signingOrganization,
  text,
} from './bundles-api.ts';

/** rules/verified-evidence.md#report-a-bundle */

const api = await bundlesApi();

/** One organization for all tests whose records do not disturb each other. */
const acme = await signingOrganization(api);

describe('POST /attestations/{org}/{flow_name}/trail/{trail_name}/bundle', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/attestations/${org}/web/trail/run/bundle`,
    request: { form: { fields: { data_json: '{"attestation_name":"build"}' }, files: { bundle_file: '{}' } } },
    needs: 'member',
  });

  it('verifies a bundle, binds it to the artifact and shows who signed it', async () => {
    const file = text();
    const answer = await acme.send(file, { description: 'of the release' });
    const [made] = madeOf(answer);
    expect(made).toEqual({
      attestation_id: expect.any(String),
      attestation_type: 'provenance',
      artifact_fingerprint: SHA256,
      bundle_digest: digestOf(file),
      grade: 'logged',
      signer: { name: 'ci', version: 1 },
      error: null,
    });
    expect(answer.headers).toMatchObject({ 'x-evidence-grade': 'logged', 'x-resource-id': made?.attestation_id });
    const [record] = await acme.named('build');
    expect(record).toMatchObject({
      attestation_id: made?.attestation_id,
      attestation_type: 'provenance',
      is_compliant: true,
      description: 'of the release',
      attachments: [
        { filename: `${digestOf(file)}.sigstore.json`, sha256: digestOf(file), size: Buffer.byteLength(file) },
      ],
      verification: {
        grade: 'logged',
        signer: { name: 'ci', version: 1 },
        root: { name: 'own', version: 1, digest: digestOf(JSON.stringify(own.json())) },
        issuer: ISSUER,
        subject: SUBJECT,
        claims: { source_repository_identifier: '74' },
        logs: [{ index: '1' }],
        times: [{ at: SIGNED_AT, from: 'log' }],
        predicate_type: 'https://slsa.dev/provenance/v1',
        kind: 'provenance',
        subjects: [{ name: 'web.tar', sha256: SHA256 }],
        subject_count: 1,
        bundle_digest: digestOf(file),
        key_digest: null,
        library: LIBRARY,
        error: null,
      },
    });
    const stored = await acme.get(`/attestations/${acme.org}/${made?.attestation_id}/attachments/0/text`);
    expect((stored.json as { text: string }).text).toBe(file);
  });

  it('takes an envelope with a public key, and forms 0.1 and 0.2', async () => {
    const [made] = madeOf(await acme.send(JSON.stringify(envelope(key)), { signer: 'key' }));
    expect(made).toMatchObject({ grade: 'signed', signer: { name: 'key' }, error: null });
    for (const version of ['0.1', '0.2']) {
      const mediaType = `application/vnd.dev.sigstore.bundle+json;version=${version}`;
      const [other] = madeOf(await acme.send(text({ mediaType, hasProof: version !== '0.1' })));
      expect(other).toMatchObject({ grade: 'logged', signer: { name: 'ci' } });
    }
  });

  it('stores what cannot be verified as stated, and says why in answer, header and record', async () => {
    const answer = await acme.send(text({ identity: { san: { uri: `${SUBJECT}s` } } }), { attestation_name: 'other' });
    const error = `The certificate names '${SUBJECT}s', which no subject of the signer 'ci' matches`;
    expect(madeOf(answer)).toMatchObject([{ grade: 'stated', signer: null, error, artifact_fingerprint: SHA256 }]);
    expect(answer.headers['x-evidence-grade']).toBe('stated');
    const [record] = await acme.named('other');
    expect(record?.['verification']).toMatchObject({ grade: 'stated', error, signer: null, subject: null, claims: {} });
  });

  it('stores nothing of it where a signature is required', async () => {
    const before = await acme.trail();
    const answer = await acme.send(text({}, new OwnRoot()), {}, { query: 'require=signed' });
    expect(errorsOf(answer)).toEqual([
      400,
      { bundle_file: 'Failed to verify certificate chain: no valid certificate path found' },
    ]);
    expect((await acme.trail()).events).toHaveLength(before.events.length);
    expect(madeOf(await acme.send(text(), {}, { query: 'require=signed' }))).toMatchObject([{ grade: 'logged' }]);
  });

  it('stores an attestation for each of several bundles in one transaction, with the least grade in the header', async () => {
    const sbom = JSON.stringify(statement({ predicateType: 'https://spdx.dev/Document/v2.3', predicate: {} }));
    const file = `${text()}\n${text({ payload: sbom })}\n${text({ hasPromise: false })}\n`;
    const answer = await acme.send(file, {
      attestation_name: 'several',
      repo_info: aRepo(),
      git_commit_info: aCommit(),
    });
    expect(madeOf(answer).map(({ attestation_type, grade }) => [attestation_type, grade])).toEqual([
      ['provenance', 'logged'],
      ['sbom', 'logged'],
      ['provenance', 'stated'],
    ]);
    expect(answer.headers).toMatchObject({ 'x-evidence-grade': 'stated' });
    expect(answer.headers['x-resource-id']).toBeUndefined();
    expect(answer.headers['evidence-moment']?.split(', ')).toHaveLength(3);
    const named = await acme.named('several');
    expect(named.map(({ repo_info: repo }) => repo)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ id: '4711' })),
    );
    expect((await acme.trail()).repo_ids).toHaveLength(1);
  });

  it('binds a bundle to every artifact of the trail that it names, or to the one that the report names', async () => {
    await acme.report(anArtifact('second'));
    const file = text(
      about([SHA256, fingerprintOf('second'), fingerprintOf('third')].map((sha256) => ({ digest: { sha256 } }))),
    );
    expect(madeOf(await acme.send(file)).map(({ artifact_fingerprint: one }) => one)).toEqual([
      SHA256,
      fingerprintOf('second'),
    ]);
    const [only, ...others] = madeOf(await acme.send(file, { artifact_fingerprint: fingerprintOf('second') }));
    expect([only?.artifact_fingerprint, others]).toEqual([fingerprintOf('second'), []]);
  });

  it('binds the commit of the trail to the trail', async () => {
    await acme.begin({ git_commit_info: aCommit('trail') }, { trail: 'commits' });
    const of = (sha: string) => text(about([{ digest: { gitCommit: sha } }]));
    const [made] = madeOf(await acme.send(of(shaOf('trail')), {}, { trail: 'commits' }));
    expect(made).toMatchObject({ artifact_fingerprint: null, grade: 'logged' });
    expect(madeOf(await acme.send(of(shaOf('c'))))).toMatchObject([{ artifact_fingerprint: null }]);
    expect(errorsOf(await acme.send(of(shaOf('c')), {}, { trail: 'commits' }))).toEqual([
      400,
      {
        bundle_file: `No subject of the bundle is an artifact or a commit of the trail 'commits'. It names gitCommit:${shaOf('c')}`,
      },
    ]);
  });

  it('refuses a bundle about nothing in the trail, with the digests that it names, and creates nothing', async () => {
    const answer = await acme.send(text(), {}, { trail: 'elsewhere' });
    expect(errorsOf(answer)).toEqual([
      400,
      {
        bundle_file: `No subject of the bundle is an artifact or a commit of the trail 'elsewhere'. It names sha256:${SHA256}`,
      },
    ]);
    expect((await acme.get(`/trails/${acme.org}/web/elsewhere`)).status).toBe(404);
  });

  it('keeps a file that is no bundle as stated at the trail', async () => {
    const [made] = madeOf(await acme.send('{"mediaType":"text/plain"}', { attestation_name: 'none' }));
    expect(made).toMatchObject({
      attestation_type: 'statement',
      artifact_fingerprint: null,
      grade: 'stated',
      error: expect.stringMatching(/^The bundle has the media type 'text\/plain'/),
    });
  });

  it('takes a bundle that was uploaded before, larger than a part of a form may be', async () => {
    const file = `${text({ payload: JSON.stringify(statement({ predicate: 'x'.repeat(6_000_000) })) })}\n`;
    const json = {
      filename: 'b.json',
      size: Buffer.byteLength(file),
      sha256: digestOf(file),
      content_type: 'application/json',
    };
    const announced = await acme.call('POST', `/attachments/${acme.org}`, { json });
    const { attachment_id: id, upload } = announced.json as {
      attachment_id: string;
      upload: { url: string; fields: Record<string, string> };
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
    form.append('file', new Blob([file]), 'b.json');
    await (await fetch(upload.url, { method: 'POST', body: form })).arrayBuffer();
    const report = { attestation_name: 'build', attachments: [id] };
    const answer = await acme.call('POST', `/attestations/${acme.org}/web/trail/run/bundle`, { json: report });
    expect(madeOf(answer)).toMatchObject([{ grade: 'logged', bundle_digest: digestOf(file) }]);
  });

  it('repeats its answer with the header for the same Idempotency-Key, and stores nothing again', async () => {
    const file = text();
    const headers = { 'idempotency-key': 'bundle-1' };
    const first = await acme.send(file, { attestation_name: 'once' }, { headers });
    const second = await acme.send(file, { attestation_name: 'once' }, { headers });
    expect([second.json, second.headers['x-evidence-grade']]).toEqual([first.json, 'logged']);
    expect(await acme.named('once')).toHaveLength(1);
  });

  it.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
    ['no name', text(), { attestation_name: undefined }, { attestation_name: 'Field required [input: None]' }],
    ['an empty file', '', {}, { bundle_file: 'The file is empty' }],
    ['no text', '\u0000', { signer: 'nobody' }, { signer: 'There is no such signer [input: nobody]' }],
    ['too many bundles', `${text()}\n{}\n`.repeat(11), {}, { bundle_file: 'The file has 22 bundles. The most are 20' }],
    [
      'names of artifacts',
      text(),
      { target_artifacts: ['app'], git_commit_info: aCommit() },
      { target_artifacts: expect.stringMatching(/^The subjects of the bundle say which artifacts it is about/) },
    ],
    [
      'an artifact that the bundle does not name',
      text(about([{ digest: { sha256: '0'.repeat(64) } }])),
      { artifact_fingerprint: SHA256 },
      {
        artifact_fingerprint: expect.stringMatching(
          /^Input should be the SHA-256 of a subject of the bundle\. It names sha256:0{64} \[input: /,
        ),
      },
    ],
    [
      'a file and an upload',
      text(),
      { attachments: ['01a226b4-285a-5d93-fa89-fe38e0dc'] },
      { attachments: expect.stringMatching(/^Send one file: the part bundle_file/) },
    ],
  ])('refuses %s', async (_, file, fields, errors) => {
    expect(errorsOf(await acme.send(file, fields))).toEqual([400, errors]);
  });

  it('refuses a report without a bundle, another value of require, and an unknown artifact', async () => {
    const path = `/attestations/${acme.org}/web/trail/run/bundle`;
    const json = { attestation_name: 'build' };
    expect(errorsOf(await acme.call('POST', path, { json }))).toEqual([
      400,
      { bundle_file: 'Field required [input: None]' },
    ]);
    const [status, errors] = errorsOf(await acme.send(text(), {}, { query: 'require=logged' }));
    expect([status, Object.keys(errors)]).toEqual([400, ['query.require']]);
    const unknown = await acme.send(text(), { artifact_fingerprint: fingerprintOf('unknown') });
    expect(unknown.status).toBe(404);
  });

  it('refuses bundles that would be more than one transaction can store', async () => {
    const file = Array.from({ length: 13 }, () => text()).join('\n');
    const answer = await acme.send(file);
    expect([answer.status, (answer.json as { message: string }).message]).toEqual([
      400,
      expect.stringMatching(
        /^The bundles are about 13 artifacts of the trail together, and one request stores at most 12/,
      ),
    ]);
    expect(madeOf(await acme.send(file.split('\n').slice(1).join('\n'), { attestation_name: 'most' }))).toHaveLength(
      12,
    );
  });

  it('gives each of several writers of one trail its own moment', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => acme.send(text(), { attestation_name: `raced-${name}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ headers }) => headers['evidence-moment'])).size).toBe(3);
  });
});

describe('GET /attestations/{org} by grade', () => {
  it('finds evidence of a lesser grade', async () => {
    const beta = await signingOrganization(api);
    await beta.send(text(), { attestation_name: 'logged' });
    await beta.send(JSON.stringify(envelope(key)), { attestation_name: 'signed' });
    await beta.send(text({}, new OwnRoot()), { attestation_name: 'failed' });
    await beta.attest('generic', { attestation_name: 'generic' });
    const names = async (least: string) => {
      const { json } = await beta.get(`/attestations/${beta.org}`, `grade_below=${least}`);
      return (json as { data: { attestation_name: string }[] }).data.map(({ attestation_name: name }) => name);
    };
    expect(await names('signed')).toEqual(['generic', 'failed']);
    expect(await names('logged')).toEqual(['generic', 'failed', 'signed']);
    expect(await names('identified')).toEqual(['generic', 'failed']);
    expect(await names('stated')).toEqual([]);
    expect(errorsOf(await beta.get(`/attestations/${beta.org}`, 'grade_below=good'))).toEqual([
      400,
      { 'query.grade_below': expect.stringMatching(/^Input should be 'stated', 'identified', 'signed', 'logged' or/) },
    ]);
  });
});

describe('the calls of a request with a bundle', () => {
  /** The least of three: now and then a request also reads again who calls. */
  const callsOf = async (send: () => Promise<TestAnswer>) => {
    const found: number[] = [];
    for (const _ of [1, 2, 3]) {
      const { length } = api.entries;
      expect((await send()).status).toBe(201);
      found.push(Number(api.entries.slice(length).at(-1)?.['aws_calls']));
    }
    return Math.min(...found);
  };

  it('are one more than those of a generic attestation with a file, and two more with a stored trust root', async () => {
    const beta = await environmentsOfOrganization(api);
    const put = (path: string, json: object) => beta.call('PUT', path, { json });
    await put(`/signers/${beta.org}/ci`, { trust_root: 'sigstore-public', issuer: ISSUER, subjects: [SUBJECT] });
    await beta.report(anArtifact('app', { fingerprint: SHA256 }));
    const fields = { attestation_name: 'build', artifact_fingerprint: SHA256 };
    const generic = await callsOf(() => beta.attest('generic', fields, { files: { attachment_file: 'x' } }));
    const withPublicRoot = await callsOf(() => sender(beta)(text()));
    await put(`/trust-roots/${beta.org}/key`, { kind: 'public-key', public_key: publicPem(key) });
    await put(`/signers/${beta.org}/key`, { trust_root: 'key' });
    const withStoredRoot = await callsOf(() => sender(beta)(text()));
    expect([withPublicRoot - generic, withStoredRoot - generic]).toEqual([1, 2]);
  });
});

describe('an environment policy that asks for a signature', () => {
  it('accepts a signed artifact, and refuses one that somebody only stated, with the reason', async () => {
    await acme.putEnvironment('prod');
    const policy = await acme.putPolicy(
      'signed',
      policyText('attestations: [{type: provenance, signed_by: ci, grade: logged}]'),
    );
    const attached = await acme.attach('prod', 'signed');
    expect([policy.status, attached.status], policy.text).toEqual([201, 200]);
    const assertion = async () => {
      const { json } = await acme.get(
        `/asserts/${acme.org}/fingerprint/${fingerprintOf('policy')}`,
        'environment_name=prod',
      );
      return json as { compliant: boolean; policy_evaluations: unknown[] };
    };
    await acme.report(anArtifact('policy', { trail_name: 'release' }));
    const signedBy = (root: OwnRoot) => text(about([{ digest: { sha256: fingerprintOf('policy') } }]), root);
    const release = { trail: 'release' };
    await acme.send(signedBy(new OwnRoot()), {}, release);
    const refused = await assertion();
    expect(refused.compliant).toBe(false);
    expect(refused.policy_evaluations).toMatchObject([
      {
        status: 'NON-COMPLIANT',
        rule_evaluations: [
          {},
          {},
          { satisfied: false, resolutions: [{ type: 'missing_attestation', context: { found_grade: 'stated' } }] },
        ],
      },
    ]);
    await acme.send(signedBy(own), {}, release);
    expect(await assertion()).toMatchObject({ compliant: true });
  });

  it('accepts an artifact whose trail has a signed statement about its commit', async () => {
    const place = { trail: 'of-a-commit' };
    await acme.report(anArtifact('of-a-commit', { trail_name: place.trail }));
    await acme.putEnvironment('stage');
    await acme.putPolicy('vetted', policyText('attestations: [{type: provenance, name: source, signed_by: ci}]'));
    await acme.attach('stage', 'vetted');
    const query = 'environment_name=stage';
    const assertion = () => acme.get(`/asserts/${acme.org}/fingerprint/${fingerprintOf('of-a-commit')}`, query);
    expect((await assertion()).json).toMatchObject({ compliant: false });
    await acme.send(text(about([{ digest: { gitCommit: shaOf('c') } }])), { attestation_name: 'source' }, place);
    expect((await assertion()).json).toMatchObject({ compliant: true });
  });
});
