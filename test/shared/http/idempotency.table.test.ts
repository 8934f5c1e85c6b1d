import { beforeAll, describe, expect, test } from 'vitest';
import type { Table } from '#shared/table/table.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call } from '#test/support/gateway.ts';
import { thingsOn } from '#test/support/records/things.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
const setup = () => thingsOn(table);

describe('Idempotency-Key', () => {
  const post = (
    handler: Parameters<typeof call>[0],
    org: string,
    key: string,
    token: string | undefined,
    body: unknown,
  ) =>
    call(handler, {
      method: 'POST',
      path: `/api/v2/things/${org}/new`,
      key,
      body,
      ...(token !== undefined && { headers: { 'idempotency-key': token } }),
    });

  test('repeats the first answer for any white space in the JSON, and writes once', async () => {
    const { services, handler } = setup();
    const { name, keys } = await organizationWith(services, ['member']);
    const first = await post(handler, name, keys.member, 'abc', '{"name":"a"}');
    expect(first).toMatchObject({ status: 201, json: { name: 'a', number: 1 } });
    expect((await post(handler, name, keys.member, 'abc', '{ "name": "a" }')).json).toEqual(first.json);
    expect((await post(handler, name, keys.member, undefined, '{"name":"a"}')).json).toMatchObject({ number: 2 });
  });

  test('refuses another body, and belongs to one principal', async () => {
    const { services, handler } = setup();
    const { name, keys } = await organizationWith(services, ['member', 'admin']);
    await post(handler, name, keys.member, 'abc', { name: 'a' });
    expect(await post(handler, name, keys.member, 'abc', { name: 'b' })).toMatchObject({
      status: 400,
      json: {
        message: 'This Idempotency-Key was used with another request body in the last 24 hours',
        errors: { 'Idempotency-Key': 'Should be a new key for a new request' },
      },
    });
    expect((await post(handler, name, keys.admin, 'abc', { name: 'b' })).json).toMatchObject({ number: 2 });
  });

  test('requests at the same time write once and get one answer', async () => {
    const { services, handler } = setup();
    const { name, keys } = await organizationWith(services, ['member']);
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(handler, name, keys.member, 'same', { name: 'a' })));
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, json: { name: 'a', number: 1 } });
    expect((await post(handler, name, keys.member, 'next', { name: 'a' })).json).toMatchObject({ number: 2 });
  });

  test('is forgotten after 24 hours, and does not remember refusals', async () => {
    const { services, handler, wait } = setup();
    const { name, keys } = await organizationWith(services, ['member']);
    expect((await post(handler, name, keys.member, 'abc', {})).status).toBe(400);
    expect((await post(handler, name, keys.member, 'abc', { name: 'a' })).status).toBe(201);
    wait(24 * 3600 - 60);
    expect((await post(handler, name, keys.member, 'abc', { name: 'a' })).json).toMatchObject({ number: 1 });
    wait(120);
    expect((await post(handler, name, keys.member, 'abc', { name: 'a' })).json).toMatchObject({ number: 2 });
  });

  test.each(['', 'a b', 'x'.repeat(256), 'ä'])('%j is no key', async (token) => {
    const { services, handler } = setup();
    const { name, keys } = await organizationWith(services, ['member']);
    const answer = await post(handler, name, keys.member, token, { name: 'a' });
    expect(answer).toMatchObject({ status: 400, json: { errors: { 'Idempotency-Key': expect.any(String) } } });
  });
});
