import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { fieldsOf, type Schema, withValue } from '#test/console/browser/hostile-texts.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call, type TestAnswer } from '#test/support/gateway.ts';
import { testServices } from '#test/support/services.ts';

/** Half a surrogate pair in every text that a request can carry (rules/requests.md#well-formed-text). */

const HALF = 'x\ud83d';
const REFUSED = 'String should not contain half of a surrogate pair';

const services = await testServices();
const { name: org, keys } = await organizationWith(services, ['admin']);

const endpoints = groups.flatMap((group) => {
  const handler = groupHandler(group, services, { log: () => undefined });
  return group.endpoints.map((endpoint) => ({ operation: endpoint.operation, endpoint, handler }));
});
type Row = (typeof endpoints)[number];

/** A value that passes the pattern of a parameter. */
function plausible(parameter: string): string {
  if (/fingerprint|sha|^fp$/.test(parameter)) return 'a'.repeat(64);
  if (/number|^n$|index/.test(parameter)) return '1';
  return /id$/.test(parameter) ? '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4' : 'unknown';
}

const pathOf = ({ path }: Endpoint, given: Record<string, string> = {}) =>
  fullPath(path).replace(/\{(\w+)\+?\}/g, (_, name: string) => given[name] ?? (name === 'org' ? org : plausible(name)));

/** Sends a document as the endpoint takes it. JSON escapes the half. */
function send({ endpoint, handler }: Row, document: unknown): Promise<TestAnswer> {
  const request = { method: endpoint.method, path: pathOf(endpoint), key: keys.admin };
  if (endpoint.body.kind === 'json') return call(handler, { ...request, body: JSON.stringify(document) });
  if (endpoint.body.kind !== 'multipart') throw new Error(`${endpoint.operation} takes no document`);
  return call(handler, { ...request, ...form([['', `name="${endpoint.body.part}"`, JSON.stringify(document)]]) });
}

const form = (parts: readonly (readonly [type: string, disposition: string, text: string])[]) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: Buffer.from(
    [
      ...parts.map(
        ([type, disposition, text]) =>
          `--b\r\ncontent-disposition: form-data; ${disposition}\r\n${type}\r\n${text}\r\n`,
      ),
      '--b--\r\n',
    ].join(''),
  ),
});

const errorsOf = ({ json }: TestAnswer) => Object.entries((json as { errors?: Record<string, string> }).errors ?? {});
const withDocument = endpoints.filter(({ endpoint: { body } }) => body.kind === 'json' || body.kind === 'multipart');

describe('half a surrogate pair', () => {
  it.each(withDocument)('is refused in every text of the body of $operation, at its field', async (row) => {
    const { body } = row.endpoint;
    if (body.kind !== 'json' && body.kind !== 'multipart') throw new Error('No document');
    const root = z.toJSONSchema(body.schema, { io: 'input', unrepresentable: 'any' }) as Schema;
    const fields = [{ path: ['any'] }, ...fieldsOf(root, root)].filter(({ path }) => path.length > 0);
    for (const { path } of fields) {
      const answer = await send(row, withValue({}, path, 'key', HALF));
      const [first] = path;
      expect([path.join('.'), answer.status, answer.text.isWellFormed()]).toEqual([path.join('.'), 400, true]);
      expect(
        errorsOf(answer).filter(([field, text]) => field.startsWith(first ?? '') && text.startsWith(REFUSED)),
      ).toHaveLength(1);
      expect(answer.text).not.toMatch(/\\ud83d/i);
    }
    const named = await send(row, { [HALF]: 1 });
    expect([named.status, named.text]).toEqual([400, expect.stringContaining(REFUSED)]);
  });

  const withFiles = endpoints.filter(({ endpoint: { body } }) => body.kind === 'multipart' && body.files.length > 0);
  it.each(withFiles)('is refused in the name of a file of $operation', async ({ endpoint, handler }) => {
    const { body } = endpoint;
    const [rule] = body.kind === 'multipart' ? body.files : [];
    const part = typeof rule?.part === 'string' ? rule.part : 'attachment_file.0';
    const request = { method: endpoint.method, path: pathOf(endpoint), key: keys.admin };
    const disposition = `name="${part}"; filename*=utf-16le''x%00%3D%D8`;
    const answer = await call(handler, {
      ...request,
      ...form([['content-type: text/plain\r\n', disposition, 'text']]),
    });
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)).toContainEqual([part, expect.stringContaining(REFUSED)]);
  });

  const withParams = endpoints.filter(({ endpoint: { path } }) => path.includes('{'));
  it.each(withParams)('is never a fault in the path, the query and the headers of $operation', async (row) => {
    const { endpoint, handler } = row;
    const request = { method: endpoint.method, path: pathOf(endpoint), key: keys.admin };
    for (const [, name = ''] of endpoint.path.matchAll(/\{(\w+)\+?\}/g)) {
      const answer = await call(handler, { ...request, path: pathOf(endpoint, { [name]: HALF }) });
      expect([name, answer.status]).toEqual([
        name,
        expect.toSatisfy((status: number) => status >= 400 && status < 500),
      ]);
    }
    for (const name of Object.keys(endpoint.query.shape)) {
      const answer = await call(handler, { ...request, query: `${name}=x%ED%A0%BD` });
      expect([name, answer.status]).toEqual([name, expect.toSatisfy((status: number) => status < 500)]);
    }
    const headers = { 'idempotency-key': HALF, 'if-none-match': HALF, accept: HALF };
    expect((await call(handler, { ...request, headers })).status).toBeLessThan(500);
  });
});
