import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { noErrors } from '#shared/base/validation.ts';
import { readBody, validateBody } from '#shared/http/body.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { httpErrorOf } from '#shared/http/errors.ts';
import { readEvent } from '#shared/http/gateway-event.ts';
import { openApiDocument } from '#shared/http/openapi.ts';
import { readQuery } from '#shared/http/query-fields.ts';
import { busy, conflict } from '#shared/http/sentences.ts';
import { gatewayEvent } from '#test/support/gateway.ts';

/** What all endpoints refuse, and how: the definitions of all groups, without their handlers. */

const endpoints = groups.flatMap((group) => group.endpoints);
const named = (some: readonly Endpoint[]) =>
  some.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

/** Another server makes these requests, and may add parameters (rules/sign-in.md#callback). */
const OPEN_QUERIES = ['finishSignIn'];

describe.each(named(endpoints))('%s', (_, { operation, query }) => {
  test.skipIf(OPEN_QUERIES.includes(operation))('refuses an unknown parameter and names a known one', () => {
    const errors = noErrors();
    readQuery('nonsense=1', query, errors);
    const names = Object.keys(query.shape);
    const remedy = names.length === 0 ? 'This endpoint takes no parameters' : 'The nearest known parameter is';
    expect({ ...errors }).toEqual({ 'query.nonsense': expect.stringContaining(remedy) });
  });

  test('takes empty parameters as absent ones', () => {
    const errors = noErrors();
    const empty = Object.keys(query.shape).join('=&');
    expect([{ ...readQuery(empty, query, errors) }, { ...errors }]).toEqual([{}, {}]);
  });
});

/** Sends a document to an endpoint. @returns the wrong fields */
async function problemsOf({ method, body: rule }: Endpoint, document: object): Promise<string[]> {
  const request = readEvent(gatewayEvent({ method, path: '/', ...bodyOf(rule, JSON.stringify(document)) }));
  const errors = noErrors();
  validateBody(await readBody(request, rule, errors), rule, errors);
  return Object.keys(errors);
}

function bodyOf(rule: Endpoint['body'], text: string) {
  if (rule.kind !== 'multipart') return { body: text };
  const part = `--b\r\ncontent-disposition: form-data; name="${rule.part}"\r\n\r\n${text}\r\n--b--\r\n`;
  return { body: part, headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}

const changes = endpoints.filter(({ method }) => method === 'PATCH');
/** Endpoints that speak a protocol with refusals of its own. */
const PROTOCOLS = ['answerAgent'];
const writers = endpoints.filter(({ body, operation }) => body.kind !== 'none' && !PROTOCOLS.includes(operation));

describe.each(named(writers))('%s', (_, endpoint) => {
  test('refuses a document without any known field', async () => {
    expect(await problemsOf(endpoint, { nonsense: 1 })).not.toEqual([]);
  });
});

test.each(named(changes))('%s names the unknown field of a change', async (_, endpoint) => {
  expect(await problemsOf(endpoint, { nonsense: 1 })).toEqual(['nonsense']);
});

const DRAFTS = ['delete /drafts/{org}/{draft_id}', 'post /drafts/{org}/{draft_id}/confirm'];

describe('Retry-After', () => {
  test('is sent with the two sentences that can end by themselves', () => {
    const sentences = new Set([busy, conflict, ...endpoints.flatMap(({ errors }) => errors)]);
    const carriers = [...sentences].filter((sentence) => 'retry-after' in httpErrorOf(sentence).headers);
    expect(carriers).toEqual([busy, conflict]);
  });

  interface Operation {
    responses: Record<string, { description: string; headers: Record<string, { required?: boolean; $ref?: string }> }>;
  }
  const document = JSON.parse(JSON.stringify(openApiDocument(groups))) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.responses ? [[`${method} ${path}`, operation] as const] : [],
    ),
  );

  test.each(operations)('is documented where the service sends it: %s', (name, { responses }) => {
    const carriers = Object.keys(responses).filter((status) => responses[status]?.headers['Retry-After']);
    const { 409: conflicts } = responses;
    // A witness answers 409 with the size that it knows, as its standard demands.
    const isOurs = name !== 'post /witness/add-checkpoint';
    // Only reads say when to ask again. A write answers 202 to what it started.
    const notReady = name.startsWith('get ') ? '202' : '';
    const expected = Object.keys(responses).filter((status) => [notReady, isOurs ? '409' : '', '503'].includes(status));
    expect(carriers).toEqual(expected);
    if (!conflicts || !isOurs) return;
    expect(conflicts.description).toContain(conflict.text);
    const isDemanded = conflicts.headers['Retry-After']?.$ref !== undefined;
    // Some conflicts of these are no lost race: an identifier that is taken, packages that run, a gap that was excused,
    // a draft that ended.
    const taken = ['post /controls/{org}', 'post /packages/{org}', 'post /gaps/{org}/{gap_id}/excuse', ...DRAFTS];
    expect(isDemanded).toBe(!taken.includes(name));
  });
});
