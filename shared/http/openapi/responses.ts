import * as z from 'zod';
import { type Sentence, VALIDATION_FAILED } from '#shared/base/errors.ts';
import { permissionDenied, responseTooLarge } from '#shared/base/sentences.ts';
import { CONTENT_TYPES } from '#shared/http/answers.ts';
import { asksForRole, changesRecords, type Endpoint, readsTable } from '#shared/http/endpoint.ts';
import { INLINE_LIMIT } from '#shared/http/multipart.ts';
import { headersOfPages } from '#shared/http/paging.ts';
import type { Format } from '#shared/http/request.ts';
import {
  authenticationRequired,
  busy,
  conflict,
  exchangedKeyManagesNoAccess,
  featureOff,
  idempotencyMismatch,
  inlineFileTooLarge,
  internal,
  invalidKey,
  ruleManagesNoAccess,
} from '#shared/http/sentences.ts';
import { inMaintenance, newerFormat } from '#shared/table/table-state.ts';
import { httpErrorOf } from '../errors.ts';
import type { linksFrom } from './links.ts';

const ErrorBody = z
  .object({
    message: z.string().meta({ description: 'What is wrong, in one sentence' }),
    errors: z.record(z.string(), z.string()).optional().meta({ description: 'Field → text, where validation failed' }),
    detail: z.string().optional().meta({ description: 'A longer sentence about the same' }),
    request_id: z
      .string()
      .optional()
      .meta({ description: 'The same as `X-Request-ID`; the gateway itself sends neither' }),
  })
  .meta({ id: 'Error', description: 'Every refusal' });

/** The gateway's own answers have `message` alone. */
const OauthErrorBody = ErrorBody.extend({
  error: z.string().optional().meta({ description: 'Code of OAuth 2.0: `invalid_request`, `unsupported_grant_type`' }),
  error_description: z.string().optional().meta({ description: 'The same as `message`' }),
}).meta({ id: 'OauthError', description: 'A refusal that clients of OAuth 2.0 can read too' });

const RequestId = z.string().meta({
  description: 'Id of the request, to be named when asking about it',
  header: { id: 'X-Request-ID' },
});
const GatewayRequestId = z
  .string()
  .optional()
  .meta({
    description: 'Id of the request. An answer of the gateway itself does not have it',
    header: { id: 'X-Request-ID-of-service' },
  });
const RetryAfter = z.string().meta({
  description: 'Seconds to wait before trying again',
  header: { id: 'Retry-After' },
});
const Challenge = z.string().meta({
  description: 'The schemes that are accepted',
  header: { id: 'WWW-Authenticate' },
});

const Tag = z
  .string()
  .optional()
  .meta({
    description:
      'Tag of a JSON answer. A request that names it in `If-None-Match` gets 304 while the answer is the same',
    header: { id: 'ETag' },
  });
const hasJson = (produces: Format, successAsJson: Endpoint['successAsJson']) =>
  produces === 'json' || successAsJson !== undefined;

/** Statuses that the gateway also answers itself, without the headers of the service. */
const OF_GATEWAY = new Set(['413', '429', '431', '500', '503']);

/** The platform's own answers, word for word (rules/requests.md#size-of-requests). */
const REQUEST_TOO_LONG = 'Request Too Long';
const TOO_MANY_REQUESTS = 'Too Many Requests';
const HEADERS_TOO_LARGE = 'Request Header Fields Too Large';

/** The successes of an operation. @param links where a success leads */
export const successesOf = (
  {
    method,
    query,
    success,
    successAsJson,
    successAs,
    contentTypes,
    produces = 'json',
    headers,
    makes,
    appends,
  }: Endpoint,
  links: ReturnType<typeof linksFrom>,
) =>
  Object.fromEntries(
    Object.entries(success).map(([status, schema]) => [
      status,
      {
        description: (Number(status) >= 400 && schema.description) || 'Success',
        headers: z.object({
          'X-Request-ID': RequestId,
          // Other methods answer 202 to what they started. What it becomes has an address of its own.
          ...(status === '202' && method === 'GET' && { 'Retry-After': RetryAfter }),
          ...(status === '200' && method === 'GET' && hasJson(produces, successAsJson) && { ETag: Tag }),
          ...headersOfPages(query),
          ...Object.fromEntries(
            Object.entries(headers?.descriptions ?? {}).map(([name, description]) => [
              name,
              z.string().meta({ description }),
            ]),
          ),
          ...(makes && handleOf(makes)),
          ...(appends && receiptsOf(appends)),
        }),
        content: {
          [contentTypes?.[Number(status)] ?? CONTENT_TYPES[produces]]: { schema },
          ...(successAsJson && { [CONTENT_TYPES.json]: { schema: successAsJson[Number(status)] } }),
          ...formsOf(schema, Number(status), successAs),
        },
        ...(links && { links }),
      },
    ]),
  );

/** The other forms of a success. A report is JSON as well. */
const formsOf = (schema: z.ZodType, status: number, { csv, report }: Endpoint['successAs'] = {}) => ({
  ...(csv?.[status] && { [CONTENT_TYPES.csv]: { schema: csv[status] } }),
  ...(report?.[status] && { [CONTENT_TYPES.json]: { schema: z.union([schema, report[status]]) } }),
});

/** The headers that name what an operation made. They are absent if it made nothing. */
const handleOf = ({ at, id }: NonNullable<Endpoint['makes']>) => ({
  Location: z
    .string()
    .optional()
    .meta({ description: `Address of what was made: \`${at}\`` }),
  'X-Resource-Id': z
    .string()
    .optional()
    .meta({ description: `The \`${id}\` of what was made` }),
});

/** The headers that name the moments or snapshots that an operation appended. They are absent if it appended none. */
const receiptsOf = (appends: NonNullable<Endpoint['appends']>) => ({
  'Evidence-Moment': z
    .string()
    .optional()
    .meta({ description: 'The hash of each appended moment or snapshot, in hex, separated by commas' }),
  Link: z
    .string()
    .optional()
    .meta({
      description: `Address of the receipt of each appended moment or snapshot, as \`<…>; rel="receipt"\`: \`${appends}\``,
    }),
});

/** All error sentences of an operation by status, each as an example. */
export function refusalsOf(endpoint: Endpoint, isRepeatable: boolean) {
  const byStatus = new Map<string, Refusal[]>();
  const add = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
    const refusals = byStatus.get(String(status)) ?? [];
    if (!refusals.some((known) => known.text === text)) refusals.push({ text, headers });
    byStatus.set(String(status), refusals);
  };
  add(400, VALIDATION_FAILED);
  for (const sentence of [...commonSentences(endpoint, isRepeatable), ...endpoint.errors]) {
    const { status, headers } = httpErrorOf(sentence);
    add(status, sentence.text, headers);
  }
  if (endpoint.body.kind === 'text') add(413, endpoint.body.tooLarge.text);
  if (endpoint.body.kind !== 'none') add(413, REQUEST_TOO_LONG);
  add(429, TOO_MANY_REQUESTS);
  add(431, HEADERS_TOO_LARGE);
  return Object.fromEntries([...byStatus].map(([status, refusals]) => [status, refusal(status, refusals, endpoint)]));
}

function* commonSentences(endpoint: Endpoint, isRepeatable: boolean): Generator<Sentence> {
  const { access, feature, managesAccess, body, method } = endpoint;
  if (access !== 'public') yield* [authenticationRequired, invalidKey];
  if (asksForRole(access) || access === 'user') yield permissionDenied;
  if (feature) yield featureOff;
  if (managesAccess) yield exchangedKeyManagesNoAccess;
  if (managesAccess && asksForRole(access)) yield ruleManagesNoAccess;
  if (isRepeatable) yield* [idempotencyMismatch, conflict];
  if (body.kind === 'multipart' && body.files.some(({ limit }) => limit >= INLINE_LIMIT)) yield inlineFileTooLarge;
  if (method === 'GET' && access !== 'public') yield responseTooLarge;
  yield internal;
  if (changesRecords(endpoint)) yield inMaintenance;
  if (readsTable(endpoint)) yield newerFormat;
  yield busy;
}

interface Refusal {
  text: string;
  headers: Readonly<Record<string, string>>;
}

/** The body of a refusal. An endpoint that speaks a protocol has bodies of that protocol too, where its handler refuses. */
function refusedBody(status: string, { oauthErrors, success }: Endpoint): z.ZodType {
  const own = success[Number(status)];
  const body = oauthErrors ? OauthErrorBody : ErrorBody;
  return own ? z.union([body, own]) : body;
}

const refusal = (status: string, refusals: readonly Refusal[], endpoint: Endpoint) => ({
  description: refusals.map(({ text }) => text).join('; '),
  headers: z.object({
    'X-Request-ID': OF_GATEWAY.has(status) ? GatewayRequestId : RequestId,
    ...headerOf('retry-after', 'Retry-After', RetryAfter, refusals),
    ...headerOf('www-authenticate', 'WWW-Authenticate', Challenge, refusals),
  }),
  content: {
    'application/json': {
      schema: refusedBody(status, endpoint),
      examples: Object.fromEntries(refusals.map(({ text }, i) => [`sentence${i + 1}`, { value: { message: text } }])),
    },
  },
});

/** A header that some sentences of a status carry. It is required if all of them do, else described as theirs. */
function headerOf(name: string, shown: string, schema: z.ZodType, refusals: readonly Refusal[]) {
  const carriers = refusals.filter(({ headers }) => headers[name] !== undefined).map(({ text }) => text);
  if (carriers.length === 0) return {};
  if (carriers.length === refusals.length) return { [shown]: schema };
  const description = `${schema.description}. Only with: ${carriers.join('; ')}`;
  return { [shown]: schema.optional().meta({ description }) };
}
