import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Forwarded, forward, type LocalServer, startServer } from '../http.ts';
import { readBody } from '../request-body.ts';
import type { FunctionRights } from '../rights/function-rights.ts';
import { BucketGuard } from './bucket-guard.ts';
import { versionList } from './object-versions.ts';
import { parsePostForm } from './post-form.ts';
import { checkPostPolicy } from './post-policy.ts';
import { accessDenied, invalidArgument, S3Failure, xml } from './s3-failure.ts';
import { checkSignature, decodedPath, encodeStrictly } from './signatures.ts';

interface S3FrontOptions {
  /** Address of the emulator that stores the objects. */
  upstream: string;
  /** TCP port. @default any free port */
  port?: number | undefined;
  /** Returns the time in milliseconds since the epoch. */
  now?: (() => number) | undefined;
  /** Rights of functions. Without them every signer may do everything. */
  rights?: FunctionRights | undefined;
}

/** The emulator's limit (rules/storage.md#s3-and-sqs-emulator). No object of the service has more than 10 MiB. */
const BODY_LIMIT = 11 * 1024 * 1024;

/** Headers that belong to one connection; a proxy must not forward them. */
const HOP_HEADERS = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'expect', 'content-length']);

/** The CORS rule of the deployed bucket: any page may send upload forms. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' };

/**
 * Starts an S3 endpoint in front of the emulator. It makes the checks of S3 that the emulator leaves out
 * (rules/storage.md#s3-and-sqs-emulator): signatures, expiry, policies of upload forms, checksums, `..` in keys.
 */
export function startS3Front({ upstream, port, now = Date.now, rights }: S3FrontOptions): Promise<LocalServer> {
  const guard = new BucketGuard(rights);
  return startServer(
    (request, response) => handle(request, response, { upstream, now: now(), guard }),
    answerFailure,
    port,
  );
}

interface Handling {
  upstream: string;
  now: number;
  guard: BucketGuard;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, now, guard }: Handling,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  if (method === 'OPTIONS') return answerPreflight(request, response);
  const body = await readBody(request, BODY_LIMIT);
  const { bucket, key } = parseLocation(decodedPath(url));
  if (body === null) {
    throw new S3Failure(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
      MaxSizeAllowed: BODY_LIMIT,
    });
  }
  if (method === 'POST' && key === '' && isForm(request)) {
    return answerForm(request, response, { upstream, bucket, body, now, guard });
  }
  const { accessKeyId, sha256: signedDigest } = checkSignature({ method, url, headers: request.headers }, now);
  checkDigests(request, body, signedDigest);
  const copied = request.headers['x-amz-copy-source'];
  const copySource = copied === undefined ? undefined : String(copied).replace(/^\//, '');
  if (copySource !== undefined) parseLocation(decodedPath(`/${copySource}`));
  guard.check(accessKeyId, { method, bucket, key, url, copySource });
  if (method === 'PUT' && request.headers['if-none-match'] === '*') await refuseIfPresent(upstream, url);
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  if (method === 'GET' && key === '' && query.has('versions')) {
    return answerVersions(response, upstream, bucket, query);
  }

  const hasBody = method !== 'GET' && method !== 'HEAD';
  const headers = forwardedHeaders(request);
  const answer = await forward(upstream, { method, url, headers, body: hasBody ? body : undefined });
  if (answer.status === 404) guard.hideMissing(accessKeyId, bucket);
  send(response, { ...answer, headers: { ...answer.headers, ...Object.fromEntries(overriddenHeaders(url)) } });
}

const isForm = (request: IncomingMessage) =>
  request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data');

/**
 * Splits a decoded path into bucket and key.
 *
 * @throws S3Failure if the key would leave its bucket through `..`: the emulator stores objects as files
 */
function parseLocation(path: string): { bucket: string; key: string } {
  const [bucket = '', ...rest] = path.slice(1).split('/');
  const leavesBucket = [bucket, ...rest].some((segment) => segment === '..' || segment === '.');
  if (leavesBucket || path.includes('\0') || path.includes('\\')) {
    throw new S3Failure(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
  return { bucket, key: rest.join('/') };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes);

function checkDigests(request: IncomingMessage, body: Buffer, signedDigest: string | undefined): void {
  if (signedDigest !== undefined && sha256(body).digest('hex') !== signedDigest) {
    throw new S3Failure(
      400,
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
  // A body in signed chunks has its checksum at the end. The emulator parses such bodies and stores the checksum.
  if (request.headers['content-encoding']?.includes('aws-chunked')) return;
  const expected = request.headers['x-amz-checksum-sha256'];
  if (expected !== undefined) checkChecksum(body, String(expected));
}

/** @throws S3Failure if the SHA-256 of the bytes, in base64, is not `expected` */
function checkChecksum(bytes: Buffer, expected: string): void {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(expected)) {
    throw new S3Failure(400, 'InvalidRequest', 'Value for x-amz-checksum-sha256 header is invalid.');
  }
  if (sha256(bytes).digest('base64') !== expected) {
    throw new S3Failure(400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.');
  }
}

async function refuseIfPresent(upstream: string, url: string): Promise<void> {
  const { status } = await forward(upstream, { method: 'HEAD', url: url.split('?', 1)[0] ?? '/', headers: {} });
  if (status !== 404) {
    throw new S3Failure(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
}

/** Answers with the versions of the objects whose keys begin with a prefix. */
async function answerVersions(
  response: ServerResponse,
  upstream: string,
  bucket: string,
  asked: URLSearchParams,
): Promise<void> {
  const prefix = asked.get('prefix') ?? '';
  const after = asked.get('key-marker') ?? '';
  const query = new URLSearchParams({ 'list-type': '2', prefix, 'start-after': after });
  const url = `/${encodeStrictly(bucket)}?${query}`;
  const { status, body } = await forward(upstream, { method: 'GET', url, headers: {} });
  response.writeHead(status, { 'content-type': 'application/xml' }).end(versionList(body.toString()));
}

interface FormUpload {
  upstream: string;
  bucket: string;
  body: Buffer;
  now: number;
  guard: BucketGuard;
}

/** Stores the file of an upload form with an ordinary PUT and a checksum, because the emulator checks no forms. */
async function answerForm(request: IncomingMessage, response: ServerResponse, upload: FormUpload): Promise<void> {
  const { fields, file } = await parsePostForm(request.headers, upload.body);
  if (!file) throw invalidArgument('POST requires exactly one file upload per request.', 'file', '0');
  const keyField = fields.get('key');
  if (keyField === undefined || keyField === '')
    throw invalidArgument("Bucket POST must contain a field named 'key'.", 'key', '');
  const signer = checkPostPolicy({ bucket: upload.bucket, fields, size: file.bytes.length }, upload.now);
  const expected = fields.get('x-amz-checksum-sha256');
  if (expected !== undefined) checkChecksum(file.bytes, expected);

  const key = keyField.replaceAll(/\$\{filename\}/g, () => file.name);
  parseLocation(`/${upload.bucket}/${key}`);
  upload.guard.check(signer, { method: 'PUT', bucket: upload.bucket, key, url: '' });
  const path = `/${encodeStrictly(upload.bucket)}/${key.split('/').map(encodeStrictly).join('/')}`;
  const stored = await forward(upload.upstream, {
    method: 'PUT',
    url: path,
    headers: objectHeaders(fields, file.bytes),
    body: file.bytes,
  });
  if (stored.status !== 200) return send(response, stored);
  const etag = stored.headers.etag ?? '';
  const location = `http://${request.headers.host}${path}`;
  const status = Number(fields.get('success_action_status') ?? 204);
  const headers = { ...CORS, etag, location, 'x-amz-request-id': requestId() };
  if (status !== 201) {
    response.writeHead(status === 200 ? 200 : 204, headers).end();
    return;
  }
  const body = xml('PostResponse', { Location: location, Bucket: upload.bucket, Key: key, ETag: etag });
  response.writeHead(201, { ...headers, 'content-type': 'application/xml' }).end(body);
}

const OBJECT_FIELDS = ['content-disposition', 'cache-control', 'content-encoding', 'content-language'];

function objectHeaders(fields: ReadonlyMap<string, string>, bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': fields.get('content-type') ?? 'binary/octet-stream',
    'x-amz-checksum-sha256': sha256(bytes).digest('base64'),
  };
  for (const [name, value] of fields) {
    if (OBJECT_FIELDS.includes(name) || name.startsWith('x-amz-meta-')) headers[name] = value;
  }
  return headers;
}

/** The headers of the answer that a signed address sets with `response-…` parameters, which the emulator ignores. */
function* overriddenHeaders(url: string): Generator<[string, string]> {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  for (const [name, value] of query) {
    const header = /^response-(content-(?:type|disposition|encoding|language)|cache-control|expires)$/.exec(name)?.[1];
    if (header) yield [header, value];
  }
}

const forwardedHeaders = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name, value]) => value !== undefined && !HOP_HEADERS.has(name))
      .map(([name, value]) => [name, String(value)]),
  );

function send(response: ServerResponse, { status, headers, body }: Forwarded): void {
  const forwarded = Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name) || name === 'content-length');
  response.writeHead(status, Object.fromEntries(forwarded)).end(body);
}

function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.headers['access-control-request-method'] !== 'POST')
    throw accessDenied('CORSResponse: This CORS request is not allowed.');
  const headers = { ...CORS, 'access-control-allow-methods': 'POST', 'access-control-allow-headers': '*' };
  response.writeHead(200, { ...headers, 'access-control-max-age': '3600' }).end();
}

const requestId = () => randomBytes(8).toString('hex').toUpperCase();

function answerFailure(error: unknown, response: ServerResponse, request: IncomingMessage): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const id = requestId();
  const failure =
    error instanceof S3Failure
      ? error
      : new S3Failure(500, 'InternalError', 'We encountered an internal error. Please try again.', {}, error);
  if (failure.status >= 500) console.error('The local bucket failed', error);
  const headers = { 'content-type': 'application/xml', 'x-amz-request-id': id, ...(request.method === 'POST' && CORS) };
  response.writeHead(failure.status, headers).end(request.method === 'HEAD' ? undefined : failure.toXml(id));
}
