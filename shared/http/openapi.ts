import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { type Sentence, VALIDATION_FAILED } from '#shared/base/errors.ts';
import { CONTENT_TYPES } from './answers.ts';
import { asksForRole, type BodyRule, type Endpoint, type EndpointGroup, type FileRule } from './endpoint.ts';
import { BASE_PATH } from './gateway-event.ts';
import { firstName, INLINE_LIMIT } from './multipart.ts';
import { headersOfPages } from './paging.ts';
import {
  authenticationRequired,
  busy,
  conflict,
  featureOff,
  idempotencyMismatch,
  inlineFileTooLarge,
  internal,
  invalidKey,
  permissionDenied,
  responseTooLarge,
} from './sentences.ts';

/** Version of the API's description (rules/requests.md#versioning). */
const VERSION = '2.0';

const ErrorBody = z
  .object({
    message: z.string(),
    errors: z.record(z.string(), z.string()).optional().meta({ description: 'Field → text, where validation failed' }),
    detail: z.string().optional().meta({ description: 'A longer sentence about the same' }),
  })
  .meta({ id: 'Error', description: 'Every refusal' });

const RequestId = z.string().meta({
  description: 'Id of the request, to be named when asking about it',
  header: { id: 'X-Request-ID' },
});
const RetryAfter = z.string().meta({
  description: 'Seconds to wait before trying again',
  header: { id: 'Retry-After' },
});
const Challenge = z.string().meta({
  description: 'The schemes that are accepted',
  header: { id: 'WWW-Authenticate' },
});

const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'Repeating a write with the same key within 24 hours gives its first answer again' }),
});

const ABOUT = `Evidence of how software is delivered: what was built, which checks it passed, what runs where, and whether it may.

Send an API key as \`Authorization: Bearer …\`. What was answered with success is stored for good and seen by the next
request; what was refused left nothing behind. An answer with the header \`Retry-After\` may be tried again after that many
seconds, with the same \`Idempotency-Key\` without doing anything twice. 429 comes from the gateway, without the header.`;

/** Builds the OpenAPI 3.1 document of endpoints from their definitions alone (rules/requests.md#openapi-document). */
export function openApiDocument(groups: readonly EndpointGroup[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const { name, endpoints } of groups) {
    for (const endpoint of endpoints) {
      const path = endpoint.path.replace(/^root:/, '').replace('+}', '}');
      paths[path] = {
        ...paths[path],
        ...(endpoint.path.startsWith('root:') && { servers: [{ url: '/' }] }),
        [endpoint.method.toLowerCase()]: operationOf(name, endpoint),
      };
    }
  }
  return createDocument({
    openapi: '3.1.1',
    info: { title: 'Delivery-evidence service API', version: VERSION, description: ABOUT },
    servers: [{ url: BASE_PATH }],
    security: [{ bearer: [] }, { basic: [] }],
    tags: groups.map(({ name, about }) => ({ name, ...(about !== undefined && { description: about }) })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
        basic: { type: 'http', scheme: 'basic', description: 'An API key as the user name; the password is ignored' },
      },
    },
  });
}

function operationOf(tag: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operation, summary, description, deprecated, access, params, query, body } = endpoint;
  const requestBody = requestBodyOf(body);
  return {
    operationId: operation,
    summary,
    tags: [tag],
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
    ...(access === 'public' && { security: [] }),
    requestParams: {
      path: params,
      query,
      ...(isRepeatable(endpoint) && { header: IdempotencyHeader }),
    },
    ...(requestBody && { requestBody }),
    responses: { ...successesOf(endpoint), ...refusalsOf(endpoint) },
  };
}

const isRepeatable = ({ method, access }: Endpoint) => method !== 'GET' && asksForRole(access);

function requestBodyOf(rule: BodyRule): ZodOpenApiOperationObject['requestBody'] {
  if (rule.kind === 'none') return undefined;
  const json = { 'application/json': { schema: rule.schema } };
  if (rule.kind === 'json') return { required: !rule.optional, content: json };
  const form = z.object({
    [rule.part]: rule.schema,
    ...Object.fromEntries(rule.files.map((file) => [firstName(file), filePart(file)])),
  });
  return { required: true, content: { 'multipart/form-data': { schema: form }, ...(rule.plainJson && json) } };
}

const filePart = ({ description, limit }: FileRule) =>
  z
    .unknown()
    .meta({ override: { type: 'string', format: 'binary', description: `${description} (at most ${limit} bytes)` } })
    .optional();

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

const successesOf = ({ query, success, produces = 'json', makes }: Endpoint) =>
  Object.fromEntries(
    Object.entries(success).map(([status, schema]) => [
      status,
      {
        description: 'Success',
        headers: z.object({ 'X-Request-ID': RequestId, ...headersOfPages(query), ...(makes && handleOf(makes)) }),
        content: { [CONTENT_TYPES[produces]]: { schema } },
      },
    ]),
  );

/** All error sentences of the endpoint by status, each as an example. */
function refusalsOf(endpoint: Endpoint) {
  const byStatus = new Map<string, Refusal[]>();
  const add = (status: number, text: string, headers: Record<string, string> = {}) => {
    const refusals = byStatus.get(String(status)) ?? [];
    if (!refusals.some((known) => known.text === text)) refusals.push({ text, headers });
    byStatus.set(String(status), refusals);
  };
  add(400, VALIDATION_FAILED);
  for (const { status, text, headers } of [...commonSentences(endpoint), ...endpoint.errors])
    add(status, text, headers);
  add(429, 'Too Many Requests');
  return Object.fromEntries([...byStatus].map(([status, refusals]) => [status, refusal(refusals)]));
}

function* commonSentences(endpoint: Endpoint): Generator<Sentence> {
  const { access, feature, body, method } = endpoint;
  if (access !== 'public') yield* [authenticationRequired, invalidKey];
  if (asksForRole(access) || access === 'user') yield permissionDenied;
  if (feature) yield featureOff;
  if (isRepeatable(endpoint)) yield* [idempotencyMismatch, conflict];
  if (body.kind === 'multipart' && body.files.some(({ limit }) => limit > INLINE_LIMIT)) yield inlineFileTooLarge;
  if (method === 'GET' && access !== 'public') yield responseTooLarge;
  yield* [internal, busy];
}

type Refusal = Pick<Sentence, 'text' | 'headers'>;

const refusal = (refusals: readonly Refusal[]) => ({
  description: refusals.map(({ text }) => text).join('; '),
  headers: z.object({
    'X-Request-ID': RequestId,
    ...headerOf('retry-after', 'Retry-After', RetryAfter, refusals),
    ...headerOf('www-authenticate', 'WWW-Authenticate', Challenge, refusals),
  }),
  content: {
    'application/json': {
      schema: ErrorBody,
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
