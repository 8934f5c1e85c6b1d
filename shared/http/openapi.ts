import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { asksForRole, type Endpoint, type EndpointGroup } from './endpoint.ts';
import { INLINE_LIMIT } from './multipart.ts';
import { type DocumentNode, describeParameters } from './openapi/descriptions.ts';
import { describeEmptyValues } from './openapi/empty-values.ts';
import { requireKnownFields } from './openapi/known-fields.ts';
import { type Linked, linksFrom } from './openapi/links.ts';
import { sayPlainForms } from './openapi/plain-forms.ts';
import { refusalsOf, successesOf } from './openapi/responses.ts';
import type { BodyRule, FileRule } from './request.ts';

/** Version of the API's description (rules/requests.md#versioning). */
const VERSION = '2.0';

const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[!-~]{1,255}$/)
    .optional()
    .meta({ description: 'Repeating a write with the same key within 24 hours gives its first answer again' }),
});

const ABOUT = `Evidence of how software is delivered: what was built, which checks it passed, what runs where, and whether it may.

Send an API key as \`Authorization: Bearer …\`. What was answered with success is stored for good and seen by the next
request; what was refused left nothing behind. An answer with \`Retry-After\` may be tried again after that time. With the
same \`Idempotency-Key\`, a repeated write does nothing twice. A read whose \`If-None-Match\` names the \`ETag\` of an earlier
answer gets 304 if the answer is still the same. A query parameter without a value counts as absent.`;

/** Anybody, beside those with a key. */
const NO_SCHEME: Record<string, string[]> = {};
/** Every operation that needs a credential takes it in each of these forms (rules/requests.md#authentication). */
const SCHEMES: Record<string, string[]>[] = [{ bearer: [] }, { basic: [] }, { session: [] }];

/** What the endpoint definitions do not say: descriptions of common parameters, and links between operations. */
export interface Supplements {
  /** By name of the parameter, or by `operation.name`. */
  parameters: Readonly<Record<string, string>>;
  links: readonly Linked[];
}

const NO_SUPPLEMENTS: Supplements = { parameters: {}, links: [] };

/** Builds the OpenAPI 3.1 document of endpoints from their definitions (rules/requests.md#openapi-document). */
export function openApiDocument(groups: readonly EndpointGroup[], supplements = NO_SUPPLEMENTS) {
  const paths: ZodOpenApiPathsObject = {};
  const all = groups.flatMap(({ endpoints }) => endpoints);
  for (const { name, endpoints } of groups) {
    for (const endpoint of endpoints) {
      const path = endpoint.path.replace(/^root:/, '').replace('+}', '}');
      const links = linksFrom(endpoint, all, supplements.links);
      paths[path] = {
        ...paths[path],
        ...(endpoint.path.startsWith('root:') && { servers: [{ url: '/' }] }),
        [endpoint.method.toLowerCase()]: operationOf(name, endpoint, links),
      };
    }
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Delivery-evidence service API', version: VERSION, description: ABOUT },
      servers: [{ url: BASE_PATH }],
      security: SCHEMES,
      tags: groups.map(({ name, about }) => ({ name, ...(about !== undefined && { description: about }) })),
      paths,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
          basic: { type: 'http', scheme: 'basic', description: 'An API key as the user name; the password is ignored' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-session',
            description:
              'A session from `POST /user/session`, for web pages of this service: without `Authorization`, and with `Sec-Fetch-Site: same-origin`. Over http the cookie is named `session`',
          },
        },
      },
    },
    { override: withoutSafeIntegers },
  );
  // The library types the document member by member. The functions below walk it as a tree.
  const tree = document as DocumentNode;
  requireKnownFields(tree);
  sayPlainForms(tree);
  describeEmptyValues(tree);
  describeParameters(tree, supplements.parameters);
  return document;
}

/**
 * Removes the bounds of exact integers from answers, where no number comes near them. In requests they stay, because
 * the service refuses larger numbers.
 */
function withoutSafeIntegers({ jsonSchema, io }: { jsonSchema: { minimum?: number; maximum?: number }; io: string }) {
  if (io !== 'output') return;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function operationOf(tag: string, endpoint: Endpoint, links: ReturnType<typeof linksFrom>): ZodOpenApiOperationObject {
  const { operation, summary, deprecated, access, feature, openWith, params, query, body } = endpoint;
  const description = descriptionOf(endpoint);
  const requestBody = requestBodyOf(body);
  return {
    operationId: operation,
    summary,
    tags: [tag],
    ...(description !== '' && { description }),
    ...(deprecated && { deprecated }),
    ...(feature && { 'x-beta': true, 'x-feature': feature }),
    security: access === 'public' ? [] : [...SCHEMES, ...(openWith ? [NO_SCHEME] : [])],
    requestParams: {
      path: params,
      query,
      ...(isRepeatable(endpoint) && { header: IdempotencyHeader }),
    },
    ...(requestBody && { requestBody }),
    responses: { ...successesOf(endpoint, links), ...refusalsOf(endpoint, isRepeatable(endpoint)) },
  };
}

/** Adds to the description what follows from the definition: beta, authentication, limits of files. */
function descriptionOf({ description, feature, openWith, access, body }: Endpoint): string {
  const sentences = [
    description,
    feature &&
      `**Beta**: if the organization does not have the feature \`${feature}\`, the answer is 403 \`Forbidden\`.`,
    access !== 'public' && 'Takes the API key as a bearer token, or as the user name of HTTP Basic authentication.',
    openWith && `If the organization has the feature \`${openWith}\`, the endpoint answers everybody, without a key.`,
    body.kind === 'multipart' && FILES_IN_REQUESTS,
  ];
  return sentences.filter(Boolean).join('\n\n');
}

const FILES_IN_REQUESTS = `A file inside the request may have ${INLINE_LIMIT} bytes (4 MB). If the whole request is larger than the platform takes (about 4.4 MB of files, at most 10 MB), it does not reach the service, and the gateway answers 413 with exactly \`{"message":"Request Too Long"}\`.`;

const isRepeatable = ({ method, access }: Endpoint) => method !== 'GET' && asksForRole(access);

function requestBodyOf(rule: BodyRule): ZodOpenApiOperationObject['requestBody'] {
  if (rule.kind === 'none') return undefined;
  if (rule.kind === 'text') return { required: true, content: { 'text/plain': { schema: rule.schema } } };
  const isOptional = rule.kind === 'json' && rule.optional === true;
  const json = { 'application/json': { schema: isOptional ? rule.schema.nullable() : rule.schema } };
  if (rule.kind === 'json') {
    const form = rule.alsoForm && { 'application/x-www-form-urlencoded': { schema: rule.schema } };
    return { required: !isOptional, content: { ...form, ...json } };
  }
  const form = z.strictObject({
    // The component that the part refers to has the rules in `allOf`.
    [rule.part]: rule.schema.meta({ description: 'The JSON document, as text', allOf: undefined }),
    ...Object.fromEntries(rule.files.flatMap((file) => namesOf(file).map((name) => [name, filePart(file)]))),
  });
  const patterns = rule.files.flatMap((file) =>
    typeof file.part === 'string' ? [] : [[file.part.source, binary(file)]],
  );
  const schema = patterns.length === 0 ? form : form.meta({ patternProperties: Object.fromEntries(patterns) });
  return {
    required: true,
    content: {
      'multipart/form-data': { schema, encoding: { [rule.part]: { contentType: 'application/json' } } },
      ...(rule.plainJson && json),
    },
  };
}

/** The name of a part. For a pattern such as `attachment_file.N`: the name without a number, and with the first numbers. */
function namesOf({ part }: FileRule): string[] {
  if (typeof part === 'string') return [part];
  const start = /^\^?([\w-]+)/.exec(part.source)?.[1] ?? part.source;
  return [start, `${start}.0`, `${start}.1`].filter((name) => part.test(name));
}

const binary = ({ description, limit }: FileRule) => ({
  type: 'string' as const,
  format: 'binary',
  description: `${description} (at most ${limit} bytes)`,
});

function filePart(file: FileRule) {
  const part = z.unknown().meta({ override: binary(file) });
  return file.required ? part : part.optional();
}
