import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';

/**
 * The answers of the API document have its fields with its types (rules/contract.md). The tests check the schemas, because
 * every answer is built through the schema of its endpoint. What the fields mean is tested with the endpoints.
 */

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $defs?: Record<string, Schema>;
}

const endpoints = groups.flatMap((group) => group.endpoints);

function endpointOf(operation: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.operation === operation);
  if (!found) throw new Error(`No endpoint is called ${operation}`);
  return found;
}

/** Returns the JSON Schema of an answer, or of a member of it, without references at its top. */
function answerOf(operation: string, status: number, ...path: string[]) {
  const schema = endpointOf(operation).success[status];
  if (!schema) throw new Error(`${operation} has no answer ${status}`);
  const whole = z.toJSONSchema(schema) as Schema;
  const resolved = ({ $ref, ...schema }: Schema): Schema => {
    if ($ref === undefined) return schema;
    const target = whole.$defs?.[$ref.replace('#/$defs/', '')];
    if (!target) throw new Error(`${operation} refers to ${$ref}`);
    return resolved(target);
  };
  /** The member of an object, or the items of a list. A member that may be null has the fields of its other form. */
  const member = (schema: Schema, name: string): Schema => {
    const found = name === '[]' ? schema.items : schema.properties?.[name];
    if (!found) throw new Error(`${operation} has no ${path.join('.')}`);
    const [first = found] = (found.anyOf ?? []).filter(({ type }) => type !== 'null');
    return resolved(first);
  };
  const shown = path.reduce(member, resolved(whole));
  /** Says in words which values a schema allows. */
  const words = (schema: Schema): string => {
    const { type, const: only, enum: values, anyOf, oneOf, items } = resolved(schema);
    const variants = anyOf ?? oneOf;
    if (variants) return [...new Set(variants.map(words))].join(' or ');
    if (only !== undefined) return String(only);
    if (values) return values.join(', ');
    if (type === 'array' && items) return `list of ${words(items)}`;
    return [type].flat().join(' or ');
  };
  return {
    words: words(shown),
    variants: (shown.oneOf ?? shown.anyOf ?? []).map(resolved),
    /** The types of the fields. A question mark follows if a field may be absent. */
    fields: fieldsOf(shown, words),
    fieldsOfVariant: (schema: Schema) => fieldsOf(schema, words),
  };
}

const fieldsOf = ({ properties = {}, required = [] }: Schema, words: (schema: Schema) => string) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, words(schema) + (required.includes(name) ? '' : '?')]),
  );

describe('the fields of an answer', () => {
  test('are those of an evaluation', () => {
    expect(answerOf('getEvaluation', 200).fields).toMatchObject({
      id: 'string',
      status: 'pending, completed, failed',
      requested_at: 'number',
      recorded_at: 'number',
      result: 'object or null',
      error: 'object or null',
      decision_attestation_id: 'string or null',
    });
    expect(answerOf('getEvaluation', 200, 'error').fields).toMatchObject({
      kind: expect.stringMatching(/^[a-z_]+(, [a-z_]+)*$/),
      message: 'string',
    });
  });

  test('are those of a service account', () => {
    expect(answerOf('updateServiceAccount', 200).fields).toMatchObject({
      name: 'string',
      display_name: 'string',
      privilege: 'string',
      description: 'string or null',
      creating_user_id: 'string',
      created_at: 'number',
      for_webhook: 'boolean',
    });
  });

  const notified = {
    name: 'string',
    type: 'string',
    number: 'integer',
    targets: 'list of object',
    triggers: 'list of string',
    environments: 'list of string',
    created_by: 'string',
    is_created_from_chat_app: 'boolean',
    last_modified_at: 'number',
    is_failing: 'boolean',
    last_success_timestamp: 'number',
    last_failure_timestamp: 'number',
    created_at: 'number',
  };

  test('are those of an action', () => {
    expect(answerOf('getAction', 200).fields).toMatchObject({ ...notified, flows: 'list of string' });
  });

  test('are those of an environment notification', () => {
    const { created_by: _, ...others } = notified;
    const { fields } = answerOf('getEnvironmentNotification', 200);
    expect(fields).toMatchObject({ ...others, created_by: 'string' });
    expect(fields).not.toHaveProperty('flows');
  });

  test('are those of a chat, a webhook and a mail target', () => {
    for (const operation of ['getAction', 'getEnvironmentNotification']) {
      const { variants, fieldsOfVariant } = answerOf(operation, 200, 'targets', '[]');
      expect(variants.map(fieldsOfVariant)).toMatchObject([
        { type: 'CHAT', webhook: 'string', context: 'object', last_success_at: 'number', last_failure_at: 'number' },
        { type: 'WEBHOOK', webhook: 'string', payload_version: 'string' },
        { type: 'EMAIL', emails: 'list of string' },
      ]);
    }
  });

  const page = { page: 'integer', per_page: 'integer', total_pages: 'integer', total_count: 'integer' };

  test('are those of a page of moments', () => {
    const { fields } = answerOf('listTrailMoments', 200);
    expect(fields).toMatchObject({ ...page, moments: 'list of object', _links: 'object' });
    expect(answerOf('listTrailMoments', 200, 'moments', '[]').fields).toMatchObject({
      moment_number: 'integer',
      created_at: 'number',
    });
  });

  test('are those of a page of builds', () => {
    expect(answerOf('listBuilds', 200).fields).toMatchObject({
      ...page,
      builds: 'list of object',
      _links: 'object',
      has_builds_ever: 'boolean',
    });
    const texts = ['fingerprint', 'flow_name', 'trail_name', 'filename', 'build_url', 'git_commit'];
    expect(answerOf('listBuilds', 200, 'builds', '[]').fields).toMatchObject({
      created_at: 'number',
      ...Object.fromEntries(texts.map((name) => [name, 'string'])),
      repo_info: 'object',
      git_commit_info: 'object',
      _links: 'object',
    });
    expect(answerOf('listBuilds', 200, 'builds', '[]', 'repo_info').fields).toEqual({
      ...{ name: 'string', repo_id: 'string', provider: 'string' },
    });
    expect(answerOf('listBuilds', 200, 'builds', '[]', 'git_commit_info').fields).toMatchObject({
      ...{ sha1: 'string', message: 'string', author: 'string', branch: 'string', url: 'string' },
      timestamp: 'number',
    });
  });

  test('are those of a version of a control', () => {
    expect(answerOf('getControlVersion', 200).fields).toMatchObject({
      identifier: 'string',
      version: 'integer',
      name: 'string',
      created_by: 'string',
      description: 'string',
      links: 'object',
      created_at: 'number',
      archived: 'boolean',
      status: 'created, updated, archived, unarchived',
    });
  });

  test('are those of the summary of a snapshot', () => {
    expect(answerOf('listSnapshots', 200).words).toBe('list of object');
    expect(answerOf('listSnapshots', 200, '[]').fields).toMatchObject({
      index: 'integer',
      from: 'number',
      to: 'number',
      compliant: 'boolean',
      duration: 'number',
    });
  });

  test('are objects in the list of custom attestation types, and an object for the frequency of deployments', () => {
    expect(answerOf('listCustomAttestationTypes', 200).words).toBe('list of object');
    expect(answerOf('getDeploymentFrequency', 200).words).toBe('object');
  });
});
