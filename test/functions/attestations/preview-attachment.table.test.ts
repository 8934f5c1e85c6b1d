import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import { previewAttachment } from '#shared/evidence/attestations/preview-attachment.ts';
import { describeAccess } from '#test/support/access.ts';
import { evidenceApi, fingerprintOf, newOrganization, refusal } from '#test/support/evidence.ts';
import { tarOf } from '#test/support/records/reported-sboms.ts';
import { onlyLocal } from '#test/support/table.ts';

const api = await evidenceApi();
const ID = '01a1fb86-d189-9eec-4784-41f2f629';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const KB = 1024;

const path = (org: string, id = ID, n = '0') => `/attestations/${org}/${id}/attachments/${n}/preview`;
const NOTHING = {
  text: null,
  data: null,
  media_type: null,
  truncated: false,
  files: null,
  file_count: null,
  why: null,
};

/** Attaches files, and returns a function that reads the preview of one by its number. */
async function attached(files: Record<string, string | Uint8Array<ArrayBuffer>>) {
  const acme = await newOrganization(api);
  await acme.attest('generic', { attestation_name: 'check' }, { files });
  const [record] = await acme.named('check');
  const id = String(record?.['attestation_id']);
  const answer = (n: number) => acme.get(path(acme.org, id, String(n)));
  return { acme, id, answer, preview: async (n: number) => (await answer(n)).json };
}

describe('GET /attestations/{org}/{attestation_id}/attachments/{n}/preview', () => {
  describeAccess(api, { method: 'GET', path, needs: 'reader' });

  it('answers a text, and only the beginning of a long one', async () => {
    const long = `${'x'.repeat(256 * KB - 1)}ü and more`;
    const { preview } = await attached({
      'attachment_file.0': 'Grüße <b>',
      'attachment_file.1': long,
      'attachment_file.2': '<svg onload="alert(1)"/>',
    });
    expect(await preview(0)).toEqual({
      ...NOTHING,
      filename: 'attachment_file.0',
      size: Buffer.byteLength('Grüße <b>'),
      content_type: 'application/octet-stream',
      sha256: fingerprintOf('Grüße <b>'),
      kind: 'text',
      text: 'Grüße <b>',
    });
    // The cut is inside of a character, which is left out.
    expect(await preview(1)).toMatchObject({ kind: 'text', text: 'x'.repeat(256 * KB - 1), truncated: true });
    expect(await preview(2)).toMatchObject({ kind: 'text', text: '<svg onload="alert(1)"/>' });
  });

  it('answers a picture by its bytes, and none that is too large', async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(300 * KB)]);
    const { preview } = await attached({
      'attachment_file.0': PNG,
      'attachment_file.1': large,
      'attachment_file.2': Buffer.concat([PNG, Buffer.alloc(KB * KB)]),
      'attachment_file.3': new Uint8Array([0xff, 0xfe, 0x41]),
      'attachment_file.4': 'a\0b',
    });
    expect(await preview(0)).toMatchObject({ kind: 'picture', data: PNG.toString('base64'), media_type: 'image/png' });
    expect(await preview(1)).toMatchObject({ kind: 'picture', data: large.toString('base64') });
    expect(await preview(2)).toMatchObject({ ...NOTHING, kind: 'none', why: 'too_large' });
    expect(await preview(3)).toMatchObject({ ...NOTHING, kind: 'none', why: 'not_text' });
    expect(await preview(4)).toMatchObject({ ...NOTHING, kind: 'none', why: 'not_text' });
  });

  it('answers the files of an archive with at most 256 KB of text', async () => {
    const tar = await tarOf({
      'a.xml': '<a/>',
      'b.bin': Buffer.from([0]),
      'c.txt': 'c'.repeat(300 * KB),
      'd.txt': 'd',
    });
    const { preview } = await attached({
      'attachment_file.0': gzipSync(tar),
      'attachment_file.1': gzipSync('a packed text'),
      'attachment_file.2': gzipSync(tar.subarray(0, 700)),
      'attachment_file.3': gzipSync(tar).subarray(0, 100),
      'attachment_file.4': gzipSync(Buffer.alloc(9 * KB * KB)),
    });
    expect(await preview(0)).toMatchObject({
      ...NOTHING,
      kind: 'archive',
      file_count: 4,
      files: [
        { name: 'a.xml', size: 4, text: '<a/>', truncated: false },
        { name: 'b.bin', size: 1, text: null, truncated: false },
        { name: 'c.txt', size: 300 * KB, text: 'c'.repeat(256 * KB - 4), truncated: true },
        { name: 'd.txt', size: 1, text: null, truncated: true },
      ],
    });
    expect(await preview(1)).toMatchObject({ kind: 'text', text: 'a packed text' });
    expect(await preview(2)).toMatchObject({ kind: 'none', why: 'damaged' });
    expect(await preview(3)).toMatchObject({ kind: 'none', why: 'damaged' });
    expect(await preview(4)).toMatchObject({ kind: 'none', why: 'too_large' });
  });

  it('says that the bucket has another file or none', async () => {
    const { acme, id, preview } = await attached({ 'attachment_file.0': 'one', 'attachment_file.1': PNG });
    const { objects, table } = api.services;
    // The bucket never changes a file, so a changed one is injected.
    const changed = Object.assign(localObjects(onlyLocal(inject('s3'))), {
      findFile: async () => Buffer.from('other'),
    });
    expect((await previewAttachment({ table, objects: changed }, acme.id, id, '0')).preview).toEqual({
      kind: 'none',
      why: 'other_content',
    });
    const [{ version } = { version: '' }] = await objects.versions('evidence', acme.id, fingerprintOf('one'));
    await objects.removeVersion('evidence', acme.id, fingerprintOf('one'), version);
    expect(await preview(0)).toMatchObject({ ...NOTHING, kind: 'none', why: 'missing' });
  });

  it('answers 404 for an unknown attestation, an id of another organization and other numbers', async () => {
    const [{ acme }, { id: foreign }] = [
      await attached({ attachment_file: 'x' }),
      await attached({ attachment_file: 'x' }),
    ];
    for (const id of [ID, foreign, 'x', '..', 'n'.repeat(5000)]) {
      expect(refusal(await acme.get(path(acme.org, id)))).toEqual([404, { message: 'Attestation not found' }]);
    }
    const { acme: other, id } = await attached({ attachment_file: 'x' });
    for (const n of ['1', '-1', '00', '0x0', '__proto__', '1e0']) {
      expect(refusal(await other.get(path(other.org, id, n)))).toEqual([404, { message: 'Attachment not found' }]);
    }
  });
});
