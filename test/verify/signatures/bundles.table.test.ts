import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { parsePolicy } from '#shared/tlog/policy.ts';
import { newKey } from '#test/shared/signatures/own-root.ts';
import { other, own, publicPem } from '#test/shared/signatures/own-trust.ts';
import {
  ARTIFACT,
  bundle,
  envelope,
  fileBundle,
  ISSUER,
  SHA256,
  SUBJECT,
  statement,
} from '#test/shared/signatures/sample-bundles.ts';
import { testApi } from '#test/support/api.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import { withChanged } from '../changed-export.ts';
import { asExport, seal } from '../sample-export.ts';
import type { Files } from '../sample-log.ts';

/** Bundles in an export of the service (rules/verification.md#bundles-of-an-export). */

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const exporter = exporterOf(api.services);
const { privateKey: key } = newKey();

/** Four bundles: of a certificate, of a public key, one of another instance, which is not verified, and one over a file. */
const SIGNED = {
  build: JSON.stringify(bundle(own)),
  review: JSON.stringify(
    envelope(key, { payload: JSON.stringify(statement({ predicateType: 'https://acme.example/review/v1' })) }),
  ),
  forged: JSON.stringify(bundle(other)),
  archive: JSON.stringify(fileBundle(own)),
};

let sample: Files;
/** What the statement of the trail says. */
let predicate: Record<string, unknown>;
beforeAll(async () => {
  const acme = await environmentsOfOrganization(api);
  const put = async (path: string, json: object) => {
    const { status, text } = await acme.call('PUT', path, { json });
    expect(status, text).toBe(201);
  };
  await put(`/trust-roots/${acme.org}/own`, { kind: 'sigstore', trusted_root: JSON.stringify(own.json()) });
  await put(`/trust-roots/${acme.org}/release-key`, { kind: 'public-key', public_key: publicPem(key) });
  await put(`/signers/${acme.org}/ci`, { trust_root: 'own', issuer: ISSUER, subjects: [SUBJECT] });
  await put(`/signers/${acme.org}/key`, { trust_root: 'release-key' });
  await acme.report(anArtifact('app', { fingerprint: SHA256 }));
  for (const [attestation_name, file] of Object.entries(SIGNED)) {
    const { status, text } = await acme.call('POST', `/attestations/${acme.org}/web/trail/run/bundle`, {
      form: {
        fields: { data_json: JSON.stringify({ attestation_name }) },
        files: { bundle_file: file, ...(attestation_name === 'archive' && { signed_file: new Uint8Array(ARTIFACT) }) },
      },
    });
    expect(status, text).toBe(201);
  }
  await logEverything(api.services, acme.id);
  const { json: stated } = await acme.get(`/trails/${acme.org}/web/run/statement`);
  ({ predicate } = JSON.parse(Buffer.from((stated as { payload: string }).payload, 'base64').toString('utf8')));
  await logEverything(api.services, acme.id);
  const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await exporter.run({ org: acme.id, id });
  const done = (await acme.get(`/exports/${acme.org}/${id}`)).json as { download_url: string };
  sample = (await readBag(Buffer.from(await (await fetch(done.download_url)).arrayBuffer()))).files;
});

const verified = (files: Files) => {
  const logKey = String(files.get('data/keys/log.vkey')).trim();
  return verifyFiles(asExport(files), { policy: parsePolicy(`log ${logKey}\nquorum none\n`) });
};

async function faultOf(files: Files): Promise<string> {
  const outcome = await verified(files).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

describe('the statement of a trail with bundles', () => {
  it('names grade and signer of each attestation', () => {
    const [, evidence] = Object.entries(predicate).find(([name]) => name.endsWith('/evidence')) ?? [];
    const attestation = expect.any(String);
    expect(evidence).toEqual([
      { name: 'build', type: 'provenance', attestation, grade: 'logged', signer: { name: 'ci', version: 1 } },
      { name: 'review', type: 'statement', attestation, grade: 'signed', signer: { name: 'key', version: 1 } },
      { name: 'forged', type: 'provenance', attestation, grade: 'stated' },
      { name: 'archive', type: 'statement', attestation, grade: 'logged', signer: { name: 'ci', version: 1 } },
    ]);
  });
});

const fileOf = (text: string) => `data/files/${hash('sha256', text)}`;

describe('the bundles of an export', () => {
  it('are verified again, and what is not verified is counted', async () => {
    const { counts, scope } = await verified(sample);
    expect(counts).toMatchObject({ 'bundles verified': 3, 'bundles not verified': 1 });
    expect(scope.find(({ name }) => name === 'attestations/bundle')).toMatchObject({ lines: 3, follows: 3 });
  });

  it('name the signed file of a bundle without a statement with another byte', async () => {
    const path = `data/files/${SHA256}`;
    const files = new Map([...sample, [path, Buffer.from('another file')]]);
    expect(await faultOf(files)).toContain(path);
    expect(await faultOf(seal(files))).toContain(path);
  });

  it('name the file of a bundle with another byte', async () => {
    const path = fileOf(SIGNED.build);
    const bytes = Buffer.from(sample.get(path) ?? '');
    bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
    const files = new Map([...sample, [path, bytes]]);
    expect(await faultOf(files)).toContain(path);
    expect(await faultOf(seal(files))).toContain(path);
  });

  it.each<
    [
      string,
      string,
      (line: Record<string, unknown>) => boolean,
      (line: Record<string, unknown>) => Record<string, unknown>,
      RegExp,
    ]
  >([
    [
      'a trust root with another certificate authority',
      'trust-roots',
      ({ item, name }) => item === 'version' && name === 'own',
      (line) => ({ ...line, text: JSON.stringify(other.json()), digest: hash('sha256', JSON.stringify(other.json())) }),
      /trust-roots\/version \S*own/,
    ],
    [
      'a trust root with another text under its digest',
      'trust-roots',
      ({ item, name }) => item === 'version' && name === 'own',
      (line) => ({ ...line, text: JSON.stringify(other.json()) }),
      /trust-roots\/version \S*own/,
    ],
    [
      'a signer that matches more',
      'signers',
      ({ item, name }) => item === 'version' && name === 'ci',
      (line) => ({ ...line, subjects: [] }),
      /signers\/version \S*ci/,
    ],
    [
      'an attestation with a higher grade',
      'attestations',
      ({ name }) => name === 'forged',
      (line) => ({ ...line, derived: { verification: { ...Object(line['derived']).verification, grade: 'signed' } } }),
      /attestations-0001\.ndjson: line \d: the text is not the one under the commitment 'findings'/,
    ],
  ])('name %s', async (_, family, isMeant, change, sentence) => {
    const files = withChanged(sample, family, isMeant, (line) => change(line));
    expect(await faultOf(seal(files))).toMatch(sentence);
  });
});
