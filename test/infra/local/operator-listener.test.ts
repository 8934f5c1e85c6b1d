import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalServer } from '#infra/local/http.ts';
import { startOperatorListener } from '#infra/local/operator-listener.ts';

let operator: LocalServer;

beforeAll(async () => {
  operator = await startOperatorListener(async (command) => {
    if (command === 'fail') throw new Error('secret reason');
    return { ok: true, command };
  });
});

afterAll(() => operator.stop());

const json = { 'content-type': 'application/json' };
const send = async (headers: Record<string, string>, body = '{"command":"x"}') => {
  const response = await fetch(operator.endpoint, { method: 'POST', headers, body });
  return [response.status, await response.json()];
};

describe('the listener for operator commands', () => {
  it('runs a command and returns its outcome', async () => {
    expect(await send(json)).toEqual([200, { ok: true, command: { command: 'x' } }]);
    expect(await send({ 'content-type': 'application/json; charset=utf-8' }, 'null')).toEqual([
      200,
      { ok: true, command: null },
    ]);
  });

  it('refuses requests of web pages and requests with another host name', async () => {
    expect(await send({ ...json, origin: 'https://example.org' })).toMatchObject([403, { ok: false }]);
    expect(await send({ 'content-type': 'text/plain' })).toMatchObject([403, { ok: false }]);
    expect(await send({})).toMatchObject([403, { ok: false }]);
  });

  it('refuses requests that are no command', async () => {
    expect(await send(json, '{')).toMatchObject([400, { ok: false }]);
    expect(await send(json, ' '.repeat(1024 * 1024 + 1))).toMatchObject([400, { ok: false }]);
    expect((await fetch(operator.endpoint, { headers: json })).status).toBe(405);
  });

  it('answers 500 without the reason if a command fails', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const [status, answer] = await send(json, '"fail"');
    expect(status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
  });
});
