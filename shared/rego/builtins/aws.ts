import { createHash, createHmac } from 'node:crypto';
import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { Decimal } from '../values/decimal.ts';
import { canonicalJson } from '../values/text.ts';
import { RegoObject, type Value } from '../values/value.ts';
import { type Args, integerAt, objectAt, payForText } from './operands.ts';
import { type Builtin, theme } from './registry.ts';
import { requestTarget } from './uris.ts';

/** Signing of requests to AWS (Signature Version 4). The request is returned with its signature and is not sent. */
export const AWS: readonly Builtin[] = theme('providers', [
  ['providers.aws.sign_req', ['object', 'object', 'number'], 'object', sign],
]);

/** Parts that a request may have: those of a request that OPA can send. */
const REQUEST_KEYS = new Set([
  ...['method', 'url', 'body', 'raw_body', 'headers', 'enable_redirect', 'force_json_decode', 'force_yaml_decode'],
  ...['tls_use_system_certs', 'tls_ca_cert', 'tls_ca_cert_file', 'tls_ca_cert_env_variable', 'tls_client_cert'],
  ...['tls_client_cert_file', 'tls_client_cert_env_variable', 'tls_client_key', 'tls_client_key_file'],
  ...['tls_client_key_env_variable', 'tls_insecure_skip_verify', 'tls_server_name', 'timeout', 'cache', 'force_cache'],
  ...['force_cache_duration_seconds', 'raise_error', 'caching_mode', 'max_retry_attempts', 'cache_ignored_headers'],
]);

/** Headers that proxies change. */
const UNSIGNED = new Set(['authorization', 'user-agent', 'x-amzn-trace-id']);

function sign(args: Args, run: Run): Value {
  const [request, config] = [objectAt(args, 0), objectAt(args, 1)];
  for (const [name] of request.pairs()) {
    if (typeof name !== 'string' || !REQUEST_KEYS.has(name))
      throw new BuiltinError('operand 1 has an unknown parameter');
  }
  const [method, url] = [text(request, 'method'), text(request, 'url')];
  const [id, secret] = [text(config, 'aws_access_key'), text(config, 'aws_secret_access_key')];
  const [service, region] = [text(config, 'aws_service'), text(config, 'aws_region')];
  const payload = payloadDigest(request, config, run);
  const { host, path, query } = requestTarget(url, run);
  const date = timestamp(args);
  const token = config.get('aws_session_token');
  const added: Record<string, string> = {
    host,
    'x-amz-date': date,
    ...(service === 's3' ? { 'x-amz-content-sha256': payload } : {}),
    ...(token === undefined ? {} : { 'x-amz-security-token': text(config, 'aws_session_token') }),
  };
  const headers = new Map<string, string>([...givenHeaders(request), ...Object.entries(added)]);
  const signed = [
    ...new Map(
      [...Object.entries(added), ...givenHeaders(request)].map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
  ]
    .filter(([name]) => !UNSIGNED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  run.budget.string(url.length + lines.length);
  const canonical = [method, path, query, lines, names, payload].join('\n');
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const signature = scope.split('/').reduce((key: string | Buffer, part) => hmac(key, part), `AWS4${secret}`);
  const seal = hmac(signature, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  headers.set('Authorization', `AWS4-HMAC-SHA256 Credential=${id}/${scope},SignedHeaders=${names},Signature=${seal}`);
  return RegoObject.of([...request.unordered(), ['headers', RegoObject.of([...headers])]]);
}

const sha256 = (data: string) => createHash('sha256').update(data, 'utf8').digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data, 'utf8').digest();

function text(object: RegoObject, name: string): string {
  const value = object.get(name);
  if (typeof value !== 'string') throw new BuiltinError(`${name} is missing or no string`);
  return value;
}

/** Values that are no strings count as empty. */
function givenHeaders(request: RegoObject): [string, string][] {
  const headers = request.get('headers') ?? new RegoObject();
  if (!(headers instanceof RegoObject)) throw new BuiltinError('headers must be an object');
  return headers.pairs().map(([name, value]) => [String(name), typeof value === 'string' ? value : '']);
}

/** A raw body counts before a body. */
function payloadDigest(request: RegoObject, config: RegoObject, run: Run): string {
  const unsigned = config.get('disable_payload_signing') ?? false;
  if (typeof unsigned !== 'boolean') throw new BuiltinError('disable_payload_signing must be a boolean');
  if (unsigned) return 'UNSIGNED-PAYLOAD';
  const [body, raw] = [request.get('body'), request.get('raw_body')];
  if (body !== undefined) payForText(body, run.budget);
  const payload = typeof raw === 'string' ? raw : body === undefined || raw !== undefined ? '' : canonicalJson(body);
  run.budget.string(payload.length);
  return sha256(payload);
}

/** The instant of the signature as `20231114T221320Z`. */
function timestamp(args: Args): string {
  // OPA reads no exponents here.
  if (args[2] instanceof Decimal) throw new BuiltinError('operand 3 is no whole number');
  const date = new Date(1000 * Math.floor(Number(integerAt(args, 2)) / 1e9));
  if (Number.isNaN(date.getTime())) throw new BuiltinError('operand 3 is no instant');
  return `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
