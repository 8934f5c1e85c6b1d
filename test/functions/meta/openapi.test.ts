import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { type EndpointGroup, endpoint } from '#shared/http/endpoint.ts';
import { openApiDocument } from '#shared/http/openapi.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { booleanField, listField, pageFields } from '#shared/http/query-fields.ts';

const example: EndpointGroup = {
  name: 'example',
  endpoints: [
    endpoint({
      operation: 'listThings',
      method: 'GET',
      path: '/things/{org}',
      summary: 'Lists things',
      access: 'reader',
      feature: 'controls',
      deprecated: true,
      params: z.object({ org: z.string() }),
      query: z.object({
        ...pageFields({ perPage: 15 }),
        archived: booleanField().optional(),
        tag: listField(z.string()).optional(),
      }),
      body: { kind: 'none' },
      success: { 200: flatPageSchema('things', z.string(), 'The things') },
      errors: [flowNotFound],
      handler: async () => {
        throw flowNotFound();
      },
    }),
    endpoint({
      operation: 'reportThing',
      method: 'POST',
      path: '/things/{org}',
      summary: 'Reports a thing',
      access: 'member',
      params: z.object({ org: z.string() }),
      query: z.object({}),
      body: {
        kind: 'multipart',
        part: 'data_json',
        schema: z.object({ name: z.string() }).meta({ id: 'ThingInput' }),
        files: [{ part: /^attachment_file(\.\d+)?$/, limit: 10 * 1024 * 1024, description: 'Evidence' }],
        plainJson: true,
      },
      success: { 201: z.literal('OK') },
      errors: [],
      handler: async () => ({ status: 201, body: 'OK' as const }),
    }),
  ],
};

interface Document {
  paths: Record<
    string,
    Record<string, { parameters?: { name: string; in: string; schema: unknown }[] } & Record<string, unknown>>
  >;
  components: { schemas: Record<string, unknown> };
}
const documentOf = (all: readonly EndpointGroup[]) => JSON.parse(JSON.stringify(openApiDocument(all))) as Document;

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate({ ...documentOf(groups) });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test('describes every endpoint of every group', () => {
    const { paths } = documentOf(groups);
    for (const { endpoints } of groups) {
      for (const { path, method, operation } of endpoints) {
        const documented = paths[path.replace('root:', '').replace('+}', '}')]?.[method.toLowerCase()];
        expect(documented, `${method} ${path}`).toMatchObject({ operationId: operation });
      }
    }
  });

  test('gives every operation a different id', () => {
    const operations = groups.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation));
    expect(new Set(operations).size).toBe(operations.length);
  });
});

describe('the description of one endpoint', () => {
  const document = documentOf([example]);
  const list = document.paths['/things/{org}']?.get;
  const report = document.paths['/things/{org}']?.post;

  test('is valid', async () => {
    const result = await new Validator().validate({ ...structuredClone(document) });
    expect(result.errors ?? []).toEqual([]);
  });

  test('gives each query parameter the type of its value, not string', () => {
    expect(list?.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'org', in: 'path', schema: { type: 'string' } }),
        expect.objectContaining({
          name: 'page',
          in: 'query',
          schema: expect.objectContaining({ type: 'integer', minimum: 1, default: 1 }),
        }),
        expect.objectContaining({ name: 'archived', in: 'query', schema: { type: 'boolean' } }),
      ]),
    );
  });

  test('shows refusals with their sentences, and marks a deprecated operation', () => {
    expect(list).toMatchObject({
      deprecated: true,
      tags: ['example'],
      responses: {
        401: { headers: { 'WWW-Authenticate': expect.anything() } },
        403: { content: { 'application/json': { examples: { sentence2: { value: { message: 'Forbidden' } } } } } },
        404: { content: { 'application/json': { examples: { sentence1: { value: { message: 'Flow not found' } } } } } },
        503: { headers: { 'Retry-After': expect.anything() } },
      },
    });
  });

  test('shows forms with their file parts, and the plain JSON body', () => {
    expect(report?.requestBody).toMatchObject({
      content: {
        'multipart/form-data': {
          schema: {
            required: ['data_json'],
            properties: { attachment_file: { type: 'string', format: 'binary' } },
          },
        },
        'application/json': { schema: { $ref: '#/components/schemas/ThingInput' } },
      },
    });
    expect(report?.parameters).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }));
    expect(document.components.schemas).toHaveProperty('ThingInput');
  });
});
