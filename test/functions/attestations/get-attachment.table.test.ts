import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { evidenceApi, fingerprintOf, isTime, newOrganization, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
const ID = '01a1fb86-d189-9eec-4784-41f2f629';

const withFile = async () => {
  const acme = await newOrganization(api);
  await acme.attest('generic', { attestation_name: 'check' }, { files: { attachment_file: 'content' } });
  const [record] = await acme.named('check');
  return { acme, id: String(record?.['attestation_id']) };
};
const EXPECTED = {
  filename: 'attachment_file',
  size: 7,
  content_type: 'application/octet-stream',
  sha256: fingerprintOf('content'),
  download_url: expect.stringMatching(/^http/),
  expires_at: expect.toSatisfy(isTime),
};

describe('GET /attestations/{org}/{attestation_id}/attachments', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/attestations/${org}/${ID}/attachments`, needs: 'reader' });

  it('lists each file with an address, and answers an empty array if there are none', async () => {
    const { acme, id } = await withFile();
    expect((await acme.get(`/attestations/${acme.org}/${id}/attachments`)).json).toEqual([EXPECTED]);
    await acme.attest('generic', { attestation_name: 'bare' });
    const [bare] = await acme.named('bare');
    expect((await acme.get(`/attestations/${acme.org}/${bare?.['attestation_id']}/attachments`)).json).toEqual([]);
  });

  it("answers 404 for an unknown id, a malformed id and another organization's id", async () => {
    const [{ acme }, { id }] = [await withFile(), await withFile()];
    for (const unknown of [ID, id, 'x', '..', 'a#b', 'n'.repeat(5000)]) {
      const path = `/attestations/${acme.org}/${unknown}/attachments`;
      expect(refusal(await acme.get(path))).toEqual([404, { message: 'Attestation not found' }]);
      expect(refusal(await acme.get(`${path}/0`))).toEqual([404, { message: 'Attestation not found' }]);
    }
  });
});

describe('GET /attestations/{org}/{attestation_id}/attachments/{n}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/attestations/${org}/${ID}/attachments/0`, needs: 'reader' });

  it('answers one file by its number from 0, and 404 for other numbers', async () => {
    const { acme, id } = await withFile();
    const read = (n: string) => acme.get(`/attestations/${acme.org}/${id}/attachments/${n}`);
    expect((await read('0')).json).toEqual(EXPECTED);
    for (const n of ['1', '-1', '00', '0x0', 'length', '__proto__', '1e0', '9'.repeat(400)]) {
      expect(refusal(await read(n))).toEqual([404, { message: 'Attachment not found' }]);
    }
  });
});

describe('GET /attestations/{org}/{attestation_id}/attachments/{n}/text', () => {
  const path = (org: string, id = ID, n = '0') => `/attestations/${org}/${id}/attachments/${n}/text`;
  describeAccess(api, { method: 'GET', path, needs: 'reader' });

  it('answers a file of text, and says why another file has none', async () => {
    const acme = await newOrganization(api);
    const files = {
      'attachment_file.0': 'Grüße <b>',
      'attachment_file.1': new Uint8Array([0xff, 0xfe, 0x41]),
      'attachment_file.2': 'a\0b',
      'attachment_file.3': 'x'.repeat(256 * 1024 + 1),
    };
    await acme.attest('generic', { attestation_name: 'check' }, { files });
    const [record] = await acme.named('check');
    const read = async (n: string) => (await acme.get(path(acme.org, String(record?.['attestation_id']), n))).json;
    expect(await read('0')).toEqual({
      filename: 'attachment_file.0',
      size: Buffer.byteLength(files['attachment_file.0']),
      content_type: 'application/octet-stream',
      sha256: fingerprintOf(files['attachment_file.0']),
      text: 'Grüße <b>',
      no_text: null,
    });
    expect(await read('1')).toMatchObject({ text: null, no_text: 'not_text' });
    expect(await read('2')).toMatchObject({ text: null, no_text: 'not_text' });
    expect(await read('3')).toMatchObject({ text: null, no_text: 'too_large' });
    expect(await read('4')).toEqual({ message: 'Attachment not found' });
  });

  it('answers 404 for an unknown attestation', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.get(path(acme.org)))).toEqual([404, { message: 'Attestation not found' }]);
  });
});
