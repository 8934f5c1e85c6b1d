import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  type EvidenceOfOrganization,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  isTime,
  newOrganization,
  OK,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const MEGABYTE = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Presigned {
  attachment_id: string;
  upload: { method: string; url: string; fields: Record<string, string> };
  expires_at: number;
}

const bytesOf = (size: number, seed = 1) => new Uint8Array(size).fill(seed);
const announce = (
  acme: EvidenceOfOrganization,
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
) =>
  acme.call('POST', `/attachments/${acme.org}`, {
    json: { filename: 'report.txt', size: 1, sha256: fingerprintOf('x'), content_type: 'text/plain', ...fields },
    headers,
  });

async function presigned(acme: EvidenceOfOrganization, bytes: Uint8Array, filename = 'report.txt'): Promise<Presigned> {
  const { json } = await announce(acme, { filename, size: bytes.length, sha256: sha256(bytes) });
  return json as Presigned;
}

async function send({ upload }: Presigned, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const form = new FormData();
  for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
  form.append('file', new Blob([bytes]), 'report.txt');
  const response = await fetch(upload.url, { method: upload.method, body: form });
  await response.arrayBuffer();
  return response.status;
}

const attest = (acme: EvidenceOfOrganization, attachments: unknown, name = 'check') =>
  acme.attest('generic', { attestation_name: name, attachments });

/** Reads the attachments of an attestation: metadata, and the digest and size of the downloaded bytes. */
async function attachments(acme: EvidenceOfOrganization, name = 'check') {
  const [record] = await acme.named(name);
  const { json } = await acme.get(`/attestations/${acme.org}/${record?.['attestation_id']}/attachments`);
  return Promise.all(
    (json as { download_url: string; sha256: string; filename: string; size: number }[]).map(async (file) => {
      const response = await fetch(file.download_url);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const disposition = response.headers.get('content-disposition');
      return { ...file, status: response.status, digest: sha256(bytes), received: bytes.length, disposition };
    }),
  );
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('POST /attachments/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/attachments/${org}`,
    request: { json: { filename: 'a', size: 1, sha256: fingerprintOf('x'), content_type: 'text/plain' } },
    needs: 'member',
  });

  it.each([0, 1, 10 * MEGABYTE])(
    'takes a file of %i bytes, and gives it back from the attestation that names it',
    async (size) => {
      const acme = await newOrganization(api);
      const bytes = bytesOf(size);
      const { json, status } = await announce(acme, { size, sha256: sha256(bytes) });
      expect(status).toBe(201);
      expect(json).toEqual({
        attachment_id: expect.stringMatching(ID),
        upload: { method: 'POST', url: expect.stringMatching(/^http/), fields: expect.any(Object) },
        expires_at: expect.toSatisfy(isTime),
      });
      expect(await send(json as Presigned, bytes)).toBe(204);
      expect(refusal(await attest(acme, [(json as Presigned).attachment_id]))).toEqual(OK);
      expect(await attachments(acme)).toMatchObject([
        {
          filename: 'report.txt',
          size,
          content_type: 'text/plain',
          sha256: sha256(bytes),
          status: 200,
          digest: sha256(bytes),
          received: size,
          disposition: "attachment; filename*=UTF-8''report.txt",
        },
      ]);
      expect(await acme.named('check')).toMatchObject([{ has_audit_package: true, attachments: [{ size }] }]);
    },
  );

  it('refuses more than 10 MB', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    expect(refusal(await announce(acme, { size: 10 * MEGABYTE + 1 }))).toEqual([
      413,
      { message: 'An attachment may have at most 10 MB (10485760 bytes)' },
    ]);
    expect(await acme.stored()).toEqual(before);
  });

  it.each([
    ['filename', 'a/b'],
    ['filename', ''],
    ['filename', 'a\u0000b'],
    ['filename', 'n'.repeat(10_000)],
    ['size', -1],
    ['size', 1.5],
    ['size', '1'],
    ['sha256', 'ABC'],
    ['sha256', undefined],
    ['content_type', 'text'],
    ['content_type', 'text/plain\r\nx: y'],
  ])('refuses %s as %j', async (field, value) => {
    expect(refusal(await announce(refusing, { [field]: value }))).toEqual(
      invalidFields({ [field]: expect.any(String) }),
    );
  });

  it('answers a form that accepts only the announced content', async () => {
    const acme = await newOrganization(api);
    const form = await presigned(acme, bytesOf(10));
    expect(await send(form, bytesOf(10, 2))).toBe(400);
    expect(await send(form, bytesOf(11))).toBe(400);
    expect(await send(form, bytesOf(9))).toBe(400);
    expect(refusal(await attest(acme, [form.attachment_id]))).toEqual(
      invalidFields({
        'attachments[0]': `The file of this attachment was not uploaded [input: ${form.attachment_id}]`,
      }),
    );
    expect(await send(form, bytesOf(10))).toBe(204);
    expect(refusal(await attest(acme, [form.attachment_id]))).toEqual(OK);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const once = (fields: Record<string, unknown>) => announce(acme, fields, { 'idempotency-key': 'once' });
    const answers = await Promise.all([once({}), once({})]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
    expect((await once({ size: 2 })).status).toBe(400);
    expect((await acme.stored()).filter((item) => item.includes('#UPLOAD#'))).toHaveLength(1);
  });
});

describe('an attestation that names uploads', () => {
  it('refuses unknown, malformed and missing uploads and those of another organization, each by its index, and stores nothing', async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    const foreign = await presigned(other, bytesOf(1));
    expect(await send(foreign, bytesOf(1))).toBe(204);
    const missing = await presigned(acme, bytesOf(1));
    const fine = await presigned(acme, bytesOf(2));
    expect(await send(fine, bytesOf(2))).toBe(204);
    const unknown = '01a1fb86-d189-9eec-4784-41f2f629';
    const before = await acme.stored();
    const ids = [fine.attachment_id, foreign.attachment_id, missing.attachment_id, unknown];
    expect(refusal(await attest(acme, ids))).toEqual(
      invalidFields({
        'attachments[1]': `Unknown attachment [input: ${foreign.attachment_id}]`,
        'attachments[2]': expect.stringContaining('was not uploaded'),
        'attachments[3]': `Unknown attachment [input: ${unknown}]`,
      }),
    );
    expect((await attest(acme, ['../../x', 'x'])).json).toMatchObject({
      errors: { 'attachments[0]': expect.any(String), 'attachments[1]': expect.any(String) },
    });
    expect(
      (
        await attest(
          acme,
          Array.from({ length: 21 }, () => fine.attachment_id),
        )
      ).status,
    ).toBe(400);
    expect(await acme.stored()).toEqual(before);
  });

  it('can name an upload that another attestation named before, and one upload twice', async () => {
    const acme = await newOrganization(api);
    const form = await presigned(acme, bytesOf(5), 'größe 流.txt');
    await send(form, bytesOf(5));
    expect(refusal(await attest(acme, [form.attachment_id], 'one'))).toEqual(OK);
    expect(refusal(await attest(acme, [form.attachment_id, form.attachment_id], 'two'))).toEqual(OK);
    const expected = { filename: 'größe 流.txt', status: 200, digest: sha256(bytesOf(5)) };
    expect(await attachments(acme, 'one')).toMatchObject([expected]);
    expect(await attachments(acme, 'two')).toMatchObject([expected, expected]);
  });

  it('refuses an upload that was announced more than two days ago', async () => {
    const acme = await newOrganization(api);
    const form = await presigned(acme, bytesOf(3));
    await send(form, bytesOf(3));
    api.services.clock.advance(2 * 24 * 3600 * 1_000_000);
    expect((await attest(acme, [form.attachment_id])).status).toBe(400);
  });
});
