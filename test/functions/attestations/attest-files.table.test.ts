import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type EvidenceOfOrganization, evidenceApi, newOrganization, OK, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
const LIMIT = 4 * 1024 * 1024;
const TOO_LARGE =
  'Request too large. Upload files above 4 MB with POST /attachments/{org} and name them in attachments';
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

interface Part {
  name: string;
  content: string | Uint8Array<ArrayBuffer>;
  filename?: string;
  type?: string;
}

const formOf = (parts: readonly Part[]) => {
  const form = new FormData();
  form.append('data_json', '{"attestation_name":"check"}');
  for (const { name, content, filename = 'evidence.tgz', type = 'application/gzip' } of parts) {
    form.append(name, new Blob([content], { type }), filename);
  }
  return form;
};
const send = (acme: EvidenceOfOrganization, form: FormData, kind = 'generic') =>
  acme.call('POST', `/attestations/${acme.org}/web/trail/run/${kind}`, { form });
const attachments = async (acme: EvidenceOfOrganization) =>
  (await acme.named('check'))[0]?.['attachments'] as { filename: string; size: number; sha256: string }[];

describe('files inside the request', () => {
  it.each([0, 1, LIMIT])('files inside the request of %i bytes are stored', async (size) => {
    const acme = await newOrganization(api);
    const bytes = new Uint8Array(size).fill(7);
    expect(refusal(await send(acme, formOf([{ name: 'attachment_file', content: bytes }])))).toEqual(OK);
    expect(await attachments(acme)).toEqual([
      { filename: 'evidence.tgz', size, content_type: 'application/gzip', sha256: sha256(bytes) },
    ]);
    const [record] = await acme.named('check');
    const { json } = await acme.get(`/attestations/${acme.org}/${record?.['attestation_id']}/attachments/0`);
    const response = await fetch((json as { download_url: string }).download_url);
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  });

  it('files inside the request of one byte more than 4 MB are refused with a sentence that names the upload endpoint, and nothing is stored', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    const form = formOf([{ name: 'attachment_file', content: new Uint8Array(LIMIT + 1) }]);
    expect(refusal(await send(acme, form))).toEqual([413, { message: TOO_LARGE }]);
    expect(await acme.stored()).toEqual(before);
  });

  it('can be several, under every part name that clients use, and keep their order', async () => {
    const acme = await newOrganization(api);
    const names = ['attachment_file', 'attachment_file.0', 'attachment_file.1', 'attachment_file'];
    const parts = names.map((name, i) => ({
      name,
      content: `content ${i}`,
      filename: `f${i}.txt`,
      type: 'text/plain',
    }));
    expect(refusal(await send(acme, formOf(parts)))).toEqual(OK);
    expect(await attachments(acme)).toMatchObject(
      parts.map(({ filename, content }) => ({ filename, sha256: sha256(content), content_type: 'text/plain' })),
    );
  });

  it('keep names in any script, without the path', async () => {
    const acme = await newOrganization(api);
    const names = ['größe 流 🎉.txt', '../../etc/passwd', 'C:\\dir\\x.log', `${'n'.repeat(5000)}.txt`];
    await send(acme, formOf(names.map((filename, i) => ({ name: `attachment_file.${i}`, content: 'x', filename }))));
    const found = (await attachments(acme)).map(({ filename }) => filename);
    expect(found.slice(0, 3)).toEqual(['größe 流 🎉.txt', 'passwd', 'x.log']);
    expect(found[3]).toHaveLength(255);
    const [record] = await acme.named('check');
    const { json } = await acme.get(`/attestations/${acme.org}/${record?.['attestation_id']}/attachments/0`);
    const response = await fetch((json as { download_url: string }).download_url);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('größe 流 🎉.txt')}`,
    );
    await response.arrayBuffer();
  });

  it('files inside the request with the same content share one object, and each keeps its own name', async () => {
    const acme = await newOrganization(api);
    await send(acme, formOf(['a', 'b'].map((filename) => ({ name: 'attachment_file', content: 'same', filename }))));
    expect(await attachments(acme)).toMatchObject([{ filename: 'a' }, { filename: 'b' }]);
  });

  it('files inside the request under a wrong name or as a text refuse the whole report, together with what else is wrong', async () => {
    const acme = await newOrganization(api);
    const form = formOf([
      { name: 'attachment_file.x', content: 'x' },
      { name: 'other', content: 'x' },
      { name: 'attachment_file', content: 'x' },
    ]);
    form.append('attachment_file.1', 'report.txt');
    const answer = await send(acme, form);
    expect([answer.status, (answer.json as { errors: object }).errors]).toEqual([
      400,
      {
        'attachment_file.x': "Unknown part 'attachment_file.x'. The nearest known part is 'attachment_file.0'",
        other: expect.stringMatching(/^Unknown part 'other'/),
        'attachment_file.1':
          "The part 'attachment_file.1' is a text, not a file. Send it with a file name: in curl, -F attachment_file.1=@file",
      },
    ]);
    expect((await acme.get(`/trails/${acme.org}/web/run`)).status).toBe(404);
  });

  it('may be replaced by the empty text field of an interface description', async () => {
    const acme = await newOrganization(api);
    const form = formOf([]);
    form.append('attachment_file', '');
    expect(refusal(await send(acme, form))).toEqual(OK);
    expect(await acme.named('check')).toMatchObject([{ attachments: [], has_audit_package: false }]);
  });

  it('are limited to twenty', async () => {
    const acme = await newOrganization(api);
    const parts = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `attachment_file.${i}`, content: `${i}` }));
    expect((await send(acme, formOf(parts(21)))).status).toBe(400);
    expect(refusal(await send(acme, formOf(parts(20))))).toEqual(OK);
    expect(await attachments(acme)).toHaveLength(20);
  });

  it('can have a content type of any length', async () => {
    const acme = await newOrganization(api);
    const form = formOf([{ name: 'attachment_file', content: 'x', type: `a/${'b'.repeat(5000)}` }]);
    expect(refusal(await send(acme, form))).toEqual(OK);
    expect(await attachments(acme)).toMatchObject([{ content_type: 'application/octet-stream' }]);
  });
});
