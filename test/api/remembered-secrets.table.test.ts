import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { asksForRole } from '#shared/http/endpoint.ts';
import { openApiDocument } from '#shared/http/openapi.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import { itemsOf } from '#test/support/relay.ts';

/** What is remembered under an Idempotency-Key contains no secret (rules/organizations.md#idempotent-key-requests). */

const api = await testApi(groups);
const { name: org, id, keys } = await organizationWith(api.services, ['admin']);
const key = keys.admin;
const send = async (method: string, path: string, json: unknown, headers: Record<string, string> = {}) => {
  const { status, text, json: answer } = await api.call(method, path, { key, json, headers });
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return { status, text, json: answer as Record<string, unknown> };
};

await send('POST', `/service-accounts/${org}`, { name: 'ci', privilege: 'member' });
const { json: issued } = await send('POST', `/service-accounts/${org}/ci/api-keys`, { description: 'build' });
const target = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/a' };
await send('PUT', `/actions/${org}/flows`, { name: 'tell', triggers: ['ON_ATTESTATION'], targets: [target] });

interface SecretAnswer {
  path: string;
  json?: unknown;
  /** Reads the answer of a repetition: whether it is right without what the claim must not have. */
  repeated: (first: Record<string, unknown>) => Record<string, unknown>;
}

/** The writes of an organization whose answers contain secrets. */
const SECRETS: Readonly<Record<string, SecretAnswer>> = {
  issueServiceAccountKey: {
    path: `/service-accounts/${org}/ci/api-keys`,
    json: { description: 'other' },
    repeated: (first) => ({ ...first, key: '' }),
  },
  rotateServiceAccountKey: {
    path: `/service-accounts/${org}/ci/api-keys/${String(issued['id'])}/rotate`,
    repeated: (first) => ({ ...first, key: '' }),
  },
  rotateSigningSecret: { path: `/actions/${org}/1/signing-secret/rotate`, repeated: (first) => first },
};

const SECRET_NAME = /key|secret|token|password|credential/i;
/** Fields of answers that are made to be shown to everybody. */
const PUBLIC_NAME = /^public_key$/;
/** A recall names a public key by its digest. */
const DIGESTS = new Set(['putRecall.key', 'deleteRecall.key', 'tryRecall.key']);

/** `<operation>.<field>` of each field of an answer of a write that is named like a secret. */
function fieldsNamedLikeSecrets(): string[] {
  const document = JSON.parse(JSON.stringify(openApiDocument(groups))) as {
    paths: Record<string, Record<string, { operationId: string; responses?: Record<string, unknown> }>>;
    components: { schemas: Record<string, unknown> };
  };
  const namesIn = (schema: unknown, seen = new Set<string>()): string[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    const { $ref, properties = {} } = schema as { $ref?: string; properties?: object };
    if ($ref !== undefined) {
      if (seen.has($ref)) return [];
      seen.add($ref);
      return namesIn(document.components.schemas[$ref.split('/').at(-1) ?? ''], seen);
    }
    return [...Object.keys(properties), ...Object.values(schema).flatMap((one) => namesIn(one, seen))];
  };
  return Object.values(document.paths).flatMap((methods) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'get' && method !== 'parameters')
      .flatMap(([, { operationId, responses = {} }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, answer]) => namesIn(answer))
          .filter((name) => SECRET_NAME.test(name) && !PUBLIC_NAME.test(name))
          .map((name) => `${operationId}.${name}`)
          .filter((field) => !DIGESTS.has(field)),
      ),
  );
}

const endpoints = new Map(groups.flatMap((group) => group.endpoints.map((one) => [one.operation, one] as const)));
/** Only writes of an organization take an Idempotency-Key. */
const isRemembered = (operation: string): boolean => {
  const found = endpoints.get(operation);
  return found !== undefined && asksForRole(found.access);
};

describe('what an Idempotency-Key remembers', () => {
  it('is tested for every write of an organization whose answer has a field named like a secret', () => {
    const operations = fieldsNamedLikeSecrets()
      .map((field) => field.split('.')[0] ?? '')
      .filter(isRemembered);
    expect([...new Set(operations)].toSorted()).toEqual(Object.keys(SECRETS).toSorted());
  });

  it.each(Object.keys(SECRETS))(
    'contains no secret of %s, and the repeated request gets a right answer',
    async (operation) => {
      const { path, json, repeated } = SECRETS[operation] as SecretAnswer;
      const headers = { 'idempotency-key': operation };
      const first = await send('POST', path, json ?? null, headers);
      const secrets = first.text.match(/(?:dek|whsec)_[\w+/=-]+/g) ?? [];
      expect(secrets.length).toBeGreaterThan(0);

      const items = await itemsOf(api.services.table.name, id);
      const claims = items.filter(({ pk }) => String(pk).includes('#IDEMPOTENCY#'));
      expect(claims.length).toBeGreaterThan(0);
      for (const secret of secrets) expect(JSON.stringify(claims)).not.toContain(secret);

      const again = await send('POST', path, json ?? null, headers);
      expect([again.status, again.json]).toEqual([first.status, repeated(first.json)]);
    },
  );

  it('shows the present secrets to a repeated rotation, if another rotation came between', async () => {
    const path = `/actions/${org}/1/signing-secret/rotate`;
    await send('POST', path, null, { 'idempotency-key': 'early' });
    const { json: present } = await send('POST', path, null);
    expect((await send('POST', path, null, { 'idempotency-key': 'early' })).json).toEqual(present);
  });

  it('answers a rotation that loses against itself with the secret that is in force', async () => {
    const path = `/actions/${org}/1/signing-secret/rotate`;
    const headers = { 'idempotency-key': 'twice' };
    const answers = await Promise.all([send('POST', path, null, headers), send('POST', path, null, headers)]);
    const present = (await api.call('GET', `/actions/${org}/1/signing-secret`, { key })).json;
    for (const { json } of answers) expect(json).toEqual(present);
  });
});
