import { describe, expect, it } from 'vitest';
import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { ARTIFACT, fileBundle, SHA256 } from '#test/shared/signatures/sample-bundles.ts';
import { bundlesApi, digestOf, errorsOf, madeOf, own, signingOrganization, text } from './bundles-api.ts';

/** Bundles that sign a file itself (rules/verified-evidence.md#bundles-over-files). */

const api = await bundlesApi();
const acme = await signingOrganization(api);
const REPORT = Buffer.from('the report of a person');

interface Sent {
  bundle?: string;
  file?: Buffer;
  query?: string;
  path?: string;
}
const send = (name: string, { bundle = JSON.stringify(fileBundle(own)), file, query = '', path }: Sent, more = {}) =>
  acme.call('POST', path ?? `/attestations/${acme.org}/web/trail/run/bundle`, {
    query,
    form: {
      fields: { data_json: JSON.stringify({ attestation_name: name, ...more }) },
      files: { bundle_file: bundle, ...(file && { signed_file: new Uint8Array(file) }) },
    },
  });

describe('a bundle over a file', () => {
  it('is bound to the artifact that is the file, and keeps the file', async () => {
    const answer = await send('archive', { file: ARTIFACT, query: 'require=signed' });
    expect(madeOf(answer)).toMatchObject([
      {
        attestation_type: 'statement',
        artifact_fingerprint: SHA256,
        grade: 'logged',
        signer: { name: 'ci' },
        error: null,
      },
    ]);
    expect(answer.headers).toMatchObject({ 'x-evidence-grade': 'logged' });
    const [record] = await acme.named('archive');
    expect(record).toMatchObject({
      is_compliant: true,
      verification: { predicate_type: null, subjects: [{ name: '', sha256: SHA256 }], subject_count: 1 },
      attachments: [
        { filename: expect.stringMatching(/\.sigstore\.json$/) },
        { sha256: SHA256, size: ARTIFACT.length },
      ],
    });
  });

  it('is about the trail if the file is no artifact, and never about another artifact', async () => {
    const bundle = JSON.stringify(fileBundle(own, REPORT));
    expect(madeOf(await send('report', { bundle, file: REPORT }))).toMatchObject([
      { artifact_fingerprint: null, grade: 'logged' },
    ]);
    expect(errorsOf(await send('report', { bundle, file: REPORT }, { artifact_fingerprint: SHA256 }))).toEqual([
      400,
      { artifact_fingerprint: expect.stringContaining(`It names sha256:${digestOf(REPORT.toString())}`) },
    ]);
    expect(await acme.named('report')).toHaveLength(1);
  });

  it('is stated without its file, with another file, and if somebody else signed it', async () => {
    const stated = { artifact_fingerprint: SHA256, grade: 'stated', signer: null };
    for (const [sent, error] of [
      [{}, /^The bundle signs a file itself/],
      [{ file: REPORT }, /^The digest in the bundle is not the digest of the file/],
      [{ file: ARTIFACT, bundle: JSON.stringify(fileBundle(new OwnRoot())) }, /./],
    ] as const) {
      expect(madeOf(await send('weak', sent))).toMatchObject([{ ...stated, error: expect.stringMatching(error) }]);
      const [status, errors] = errorsOf(await send('weak', { ...sent, query: 'require=signed' }));
      expect([status, errors]).toEqual([400, { bundle_file: expect.stringMatching(error) }]);
    }
    const records = await acme.named('weak');
    // The newest one names the file that came with it.
    expect(records.map((record) => (record as { attachments: object[] }).attachments.length)).toEqual([2, 1, 1]);
  });

  it('takes an uploaded file, and needs no trail', async () => {
    const { json } = await acme.call('POST', `/attachments/${acme.org}`, {
      json: { filename: 'app.tar', size: ARTIFACT.length, content_type: 'application/x-tar', sha256: SHA256 },
    });
    const { attachment_id: id, upload } = json as {
      attachment_id: string;
      upload: { url: string; fields: Record<string, string> };
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(ARTIFACT)]));
    expect((await fetch(upload.url, { method: 'POST', body: form })).ok).toBe(true);

    const path = `/bundles/${acme.org}`;
    expect(madeOf(await send('uploaded', { path }, { signed_file: id }))).toMatchObject([
      { artifact_fingerprint: SHA256, grade: 'logged' },
    ]);
    const [record] = await acme.named('uploaded');
    expect(record).toMatchObject({ attachments: [{}, { filename: 'app.tar', content_type: 'application/x-tar' }] });
    expect(errorsOf(await send('twice', { file: ARTIFACT }, { signed_file: id }))).toEqual([
      400,
      { signed_file: expect.stringMatching(/^Send the signed file once/) },
    ]);
    const unknown = '01a22769-795e-1399-726e-87da099b';
    expect(errorsOf(await send('unknown', {}, { signed_file: unknown }))).toEqual([
      400,
      { signed_file: `Unknown attachment [input: ${unknown}]` },
    ]);
    expect(errorsOf(await send('no-id', {}, { signed_file: 'x'.repeat(2_000) }))).toMatchObject([
      400,
      { signed_file: expect.stringMatching(/^String should match pattern/) },
    ]);
  });

  it('refuses a file that no bundle signs itself', async () => {
    expect(errorsOf(await send('none', { bundle: text(), file: ARTIFACT }))).toEqual([
      400,
      { bundle_file: 'No bundle signs a file itself. Leave signed_file out' },
    ]);
  });
});
