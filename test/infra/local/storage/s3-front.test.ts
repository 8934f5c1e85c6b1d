import { createHash } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { type ObjectsServer, startObjectsServer } from '#infra/local/storage/objects-server.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { testId } from '#test/support/ids.ts';

const ORG = testId<OrganizationId>('00000000-0000-0000-0000-00000001');
const UPLOAD = '00000000-0000-0000-0000-00000002';
const text = Buffer.from('evidence to keep');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let server: ObjectsServer;
let s3: S3Client;
let objects: Objects;
let elapsedMillis = 0;

beforeAll(async () => {
  server = await startObjectsServer({ now: () => Date.now() + elapsedMillis });
  s3 = clientWith(LOCAL.credentials);
  objects = new Objects(s3, LOCAL.bucketName);
});

afterAll(async () => {
  s3.destroy();
  await server.stop();
});

const clientWith = (credentials: { accessKeyId: string; secretAccessKey: string }) =>
  new S3Client({ ...localClient(server.s3), credentials: { ...credentials }, forcePathStyle: true });

const later = async <T>(millis: number, work: () => Promise<T>): Promise<T> => {
  elapsedMillis = millis;
  try {
    return await work();
  } finally {
    elapsedMillis = 0;
  }
};

interface Upload {
  fields?: (fields: Record<string, string>) => Record<string, string>;
  bytes?: Buffer;
  url?: string;
}

const presign = (bytes: Buffer = text) =>
  objects.presignUpload(ORG, UPLOAD, { size: bytes.length, sha256: sha256(bytes), contentType: 'text/plain' });

async function send(
  post: { url: string; fields: Record<string, string> },
  { fields = (f) => f, bytes = text, url }: Upload,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields(post.fields))) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'report.txt');
  const response = await fetch(url ?? post.url, { method: 'POST', body: form });
  const body = await response.text();
  return { status: response.status, code: /<Code>(.*)<\/Code>/.exec(body)?.[1], body };
}

const upload = async (what: Upload = {}) => send(await presign(), what);

describe('an upload form', () => {
  it('is stored with its checksum, type and size', async () => {
    expect(await upload()).toMatchObject({ status: 204 });
    expect(await objects.headUpload(ORG, UPLOAD)).toEqual({ size: text.length, sha256: sha256(text), version: null });
    const head = await s3.send(new HeadObjectCommand({ Bucket: LOCAL.bucketName, Key: `uploads/${ORG}/${UPLOAD}` }));
    expect(head.ContentType).toBe('text/plain');
  });

  it('may contain an empty file', async () => {
    const empty = Buffer.alloc(0);
    expect(await send(await presign(empty), { bytes: empty })).toMatchObject({ status: 204 });
    expect(await objects.headUpload(ORG, UPLOAD)).toEqual({ size: 0, sha256: sha256(empty), version: null });
  });

  it('may contain a file of 10 MiB, which can be copied with its checksum', async () => {
    const large = Buffer.alloc(10 * 1024 * 1024, 'x');
    expect(await send(await presign(large), { bytes: large })).toMatchObject({ status: 204 });
    await objects.keepUpload(ORG, UPLOAD, sha256(large), null);
    const kept = await fetch(await objects.presignDownload(ORG, sha256(large), null, 'large', 'text/plain'));
    expect(sha256(await kept.bytes())).toBe(sha256(large));
    const key = `evidence/${ORG}/${sha256(large)}`;
    const head = await s3.send(new HeadObjectCommand({ Bucket: LOCAL.bucketName, Key: key, ChecksumMode: 'ENABLED' }));
    expect(head.ChecksumSHA256).toBe(Buffer.from(sha256(large), 'hex').toString('base64'));
  });

  const without = (name: string) => (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
  const changed = (name: string, value: string) => (fields: Record<string, string>) => ({ ...fields, [name]: value });

  const refusals: [string, Upload, number, string][] = [
    ['a file that is longer than announced', { bytes: Buffer.concat([text, text]) }, 400, 'EntityTooLarge'],
    ['a file that is shorter than announced', { bytes: text.subarray(1) }, 400, 'EntityTooSmall'],
    ['other bytes of the same length', { bytes: Buffer.from('evidence to burn') }, 400, 'BadDigest'],
    ['another key', { fields: changed('key', `uploads/${ORG}/other`) }, 403, 'AccessDenied'],
    ['another content type', { fields: changed('Content-Type', 'text/html') }, 403, 'AccessDenied'],
    ['no content type', { fields: without('Content-Type') }, 403, 'AccessDenied'],
    ['another checksum', { fields: changed('x-amz-checksum-sha256', 'A'.repeat(43).concat('=')) }, 403, 'AccessDenied'],
    ['a field that the policy does not know', { fields: changed('x-amz-meta-more', '1') }, 403, 'AccessDenied'],
    ['another signature', { fields: changed('X-Amz-Signature', '0'.repeat(64)) }, 403, 'SignatureDoesNotMatch'],
    ['no signature', { fields: without('X-Amz-Signature') }, 400, 'InvalidArgument'],
    ['no policy', { fields: without('Policy') }, 403, 'AccessDenied'],
    ['a policy that the service did not sign', { fields: changed('Policy', 'e30=') }, 403, 'SignatureDoesNotMatch'],
    ['another access key', { fields: changed('X-Amz-Credential', 'OTHER/x') }, 403, 'InvalidAccessKeyId'],
    ['no key', { fields: without('key') }, 400, 'InvalidArgument'],
  ];
  it.each(refusals)('is refused with %s', async (_, what, status, code) => {
    expect(await upload(what)).toMatchObject({ status, code });
  });

  it('is refused after its expiry', async () => {
    const post = await presign();
    expect(await later(3_601_000, () => send(post, {}))).toMatchObject({ status: 403, code: 'AccessDenied' });
  });

  it('is refused for another bucket', async () => {
    expect(await upload({ url: `${server.s3}/elsewhere` })).toMatchObject({ status: 403, code: 'AccessDenied' });
  });

  it('is refused above the size limit of the endpoint, after the body was read', async () => {
    expect(await upload({ bytes: Buffer.alloc(13 * 1024 * 1024) })).toMatchObject({
      status: 400,
      code: 'EntityTooLarge',
    });
  });

  it('is refused if its signed key leaves the bucket through ..', async () => {
    const post = await createPresignedPost(s3, { Bucket: LOCAL.bucketName, Key: 'uploads/../../evil' });
    expect(await send(post, {})).toMatchObject({ status: 400, code: 'InvalidURI' });
  });

  it('is refused if its body ends too early', async () => {
    const response = await fetch((await presign()).url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf of',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('<Code>MalformedPOSTRequest</Code>');
  });

  it('may be sent by a web page of any origin', async () => {
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'POST' };
    const response = await fetch((await presign()).url, { method: 'OPTIONS', headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a download address', () => {
  const stored = async () => {
    await objects.putFile(ORG, sha256(text), text);
    return objects.presignDownload(ORG, sha256(text), null, 'ä report.txt', 'text/plain');
  };
  const codeOf = async (response: Response) => [response.status, /<Code>(.*)<\/Code>/.exec(await response.text())?.[1]];

  it('returns the file with its name and type, which no browser may store', async () => {
    const response = await fetch(await stored());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%A4%20report.txt");
    expect(await response.text()).toBe(text.toString());
  });

  it('is refused after five minutes', async () => {
    const url = await stored();
    expect((await later(299_000, () => fetch(url))).status).toBe(200);
    expect(await codeOf(await later(301_000, () => fetch(url)))).toEqual([403, 'AccessDenied']);
  });

  it('is refused for another key, another parameter, another method and another signature', async () => {
    const url = await stored();
    const other = [url.replace(sha256(text), sha256(Buffer.from('x'))), url.replace('text%2Fplain', 'text%2Fhtml')];
    for (const address of [...other, url.replace(/X-Amz-Signature=..../, 'X-Amz-Signature=0000')]) {
      expect(await codeOf(await fetch(address))).toEqual([403, 'SignatureDoesNotMatch']);
    }
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  });

  it('is refused without a signature', async () => {
    const [bare = ''] = (await stored()).split('?');
    expect(await codeOf(await fetch(bare))).toEqual([403, 'AccessDenied']);
    expect(await codeOf(await fetch(`${bare}?X-Amz-Algorithm=AWS4-HMAC-SHA256`))).toEqual([
      400,
      'AuthorizationQueryParametersError',
    ]);
  });

  it('is refused if it is signed with another secret', async () => {
    const stranger = clientWith({ ...LOCAL.credentials, secretAccessKey: 'guessed' });
    const command = new GetObjectCommand({ Bucket: LOCAL.bucketName, Key: `evidence/${ORG}/${sha256(text)}` });
    expect(await codeOf(await fetch(await getSignedUrl(stranger, command)))).toEqual([403, 'SignatureDoesNotMatch']);
    stranger.destroy();
  });
});

describe('the SDK through the front', () => {
  const Bucket = LOCAL.bucketName;

  it('puts, heads, gets, copies, lists and deletes objects', async () => {
    const Key = 'folder/näme (1)+2.txt';
    await s3.send(
      new PutObjectCommand({ Bucket, Key, Body: text, ChecksumAlgorithm: 'SHA256', ContentEncoding: 'gzip' }),
    );
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    expect([head.ContentLength, head.ChecksumSHA256]).toEqual([
      text.length,
      Buffer.from(sha256(text), 'hex').toString('base64'),
    ]);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(got.ContentEncoding).toBe('gzip');
    expect(await got.Body?.transformToString()).toBe(text.toString());
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'folder/copy', CopySource: `${Bucket}/${encodeURI(Key)}` }));
    const list = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'folder/' }));
    expect(list.Contents?.map((entry) => entry.Key).sort()).toEqual(['folder/copy', Key]);
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toMatchObject({ name: 'NotFound' });
    await expect(s3.send(new GetObjectCommand({ Bucket, Key }))).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('lists the one version of an object, and removes it', async () => {
    const digest = sha256(Buffer.from('a file of its own'));
    expect(await objects.versions('evidence', ORG, digest)).toEqual([]);
    await objects.putFile(ORG, digest, text);
    await objects.putFile(ORG, `${digest}0`, text);
    expect(await objects.versions('evidence', ORG, digest)).toEqual([{ version: 'null', at: expect.any(Number) }]);
    const [version] = await objects.versions('evidence', ORG, digest);
    expect(Math.abs((version?.at ?? 0) / 1000 - Date.now())).toBeLessThan(3_600_000);
    expect(await objects.versions('bodies', ORG, digest)).toEqual([]);
    for (let i = 0; i < 2; i += 1) expect(await objects.removeVersion('evidence', ORG, digest, 'null')).toBe(true);
    expect(await objects.versions('evidence', ORG, digest)).toEqual([]);
    expect(await objects.versions('evidence', ORG, `${digest}0`)).toHaveLength(1);
  });

  it.each([
    ['Access Denied because object protected by object lock.', false],
    ['User: role is not authorized to perform: s3:DeleteObjectVersion', 'thrown'],
  ])('a client receives %j when a version is not removed', async (message, outcome) => {
    const refusing = clientWith(LOCAL.credentials);
    const refuse = () => () => Promise.reject(Object.assign(new Error(message), { name: 'AccessDenied' }));
    refusing.middlewareStack.add(refuse, { step: 'initialize' });
    const removed = new Objects(refusing, LOCAL.bucketName).removeVersion('evidence', ORG, sha256(text), 'v1');
    expect(await removed.catch(() => 'thrown')).toBe(outcome);
    refusing.destroy();
  });

  it('gets errors for a wrong checksum, a second conditional put, and a wrong secret', async () => {
    const Key = 'refused/once';
    const wrong = new PutObjectCommand({ Bucket, Key, Body: text, ChecksumSHA256: `${'A'.repeat(43)}=` });
    await expect(s3.send(wrong)).rejects.toMatchObject({ name: 'BadDigest' });
    const once = { Bucket, Key, Body: text, IfNoneMatch: '*' };
    await s3.send(new PutObjectCommand(once));
    await expect(s3.send(new PutObjectCommand(once))).rejects.toMatchObject({ name: 'PreconditionFailed' });
    const stranger = clientWith({ accessKeyId: LOCAL.credentials.accessKeyId, secretAccessKey: 'guessed' });
    await expect(stranger.send(new PutObjectCommand(once))).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    stranger.destroy();
  });

  it('gets errors for another bucket and for a key that leaves the bucket', async () => {
    await expect(s3.send(new GetObjectCommand({ Bucket: 'elsewhere', Key: 'a' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
    const { hostname, port } = new URL(server.s3);
    const status = await new Promise((resolve, reject) => {
      const path = `/${Bucket}/uploads/..%2f..%2fevil`;
      sendRequest({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });
});
