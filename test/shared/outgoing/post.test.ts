import { createHash } from 'node:crypto';
import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressGuard, type Resolve } from '#shared/outgoing/address-guard.ts';
import { ANSWER_LIMIT, type PostOptions, post } from '#shared/outgoing/post.ts';
import { LOOPBACK, rawReceiver, receiver } from './receiver.ts';

const send = (url: string, overrides: Partial<PostOptions> = {}) =>
  post(url, { headers: { 'x-one': '1' }, body: '{"ü":1}', guard: addressGuard(LOOPBACK), ...overrides });

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a request to a target', () => {
  test('is a POST of the body as it is, with the headers that were given', async () => {
    await using target = await receiver();
    const result = await send(target.url);
    expect(result).toMatchObject({ status: 200, outcome: 'delivered', detail: 'The target answered 200' });
    expect(target.received).toHaveLength(1);
    expect(target.received[0]).toMatchObject({ method: 'POST', path: '/hook', body: '{"ü":1}' });
    expect(target.received[0]?.headers).toMatchObject({ 'x-one': '1', 'content-length': '8', connection: 'close' });
  });

  test('keeps of the answer a digest and the first bytes', async () => {
    const said = `no\r\n\u0000way ${'x'.repeat(1000)}`;
    await using target = await receiver((response) => response.writeHead(500).end(said));
    const result = await send(target.url);
    expect(result).toMatchObject({ status: 500, outcome: 'failed', digest: sha256(said) });
    expect(result.firstBytes).toMatch(/^no way x+$/);
    expect(result.firstBytes.length).toBeLessThanOrEqual(200);
    expect(result.detail).toBe(`The target answered 500: ${result.firstBytes}`);
  });

  test('takes its duration from the clock that it is given', async () => {
    await using target = await receiver();
    const ticks = [100, 142.4];
    const result = await send(target.url, { elapsed: () => ticks.shift() ?? 0 });
    expect(result.durationMillis).toBe(42);
  });
});

describe('the outcome', () => {
  test.each([200, 201, 202, 204, 299])('the outcome of %i is delivered', async (status) => {
    await using target = await receiver((response) => response.writeHead(status).end());
    expect(await send(target.url)).toMatchObject({ status, outcome: 'delivered' });
  });

  test.each([400, 401, 404, 429, 500, 503])('the outcome of %i is failed', async (status) => {
    await using target = await receiver((response) => response.writeHead(status).end());
    expect(await send(target.url)).toMatchObject({ status, outcome: 'failed' });
  });

  test('the outcome of 410 is gone', async () => {
    await using target = await receiver((response) => response.writeHead(410).end());
    expect(await send(target.url)).toMatchObject({ status: 410, outcome: 'gone' });
  });

  test.each([301, 302, 303, 307, 308])(
    'the outcome of %i is failed: nobody follows it to the metadata address',
    async (status) => {
      await using other = await receiver();
      await using target = await receiver((response) => {
        response.writeHead(status, { location: status === 302 ? other.url : 'http://169.254.169.254/latest/' }).end();
      });
      expect(await send(target.url)).toMatchObject({
        status,
        outcome: 'failed',
        detail: `The target answered ${status}; redirects are not followed`,
      });
      expect([target.received.length, other.received.length]).toEqual([1, 0]);
    },
  );

  test('carries Retry-After as it came', async () => {
    await using target = await receiver((response) => response.writeHead(503, { 'retry-after': '120' }).end());
    expect(await send(target.url)).toMatchObject({ retryAfter: '120' });
  });
});

describe('a target that behaves badly', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n';

  test('and answers a gigabyte is read up to the bound only', async () => {
    const chunk = 'x'.repeat(16 * 1024);
    let sent = 0;
    const pour = (socket: net.Socket) => {
      while (!socket.destroyed && sent < 2 ** 30 && socket.write(chunk)) sent += chunk.length;
    };
    await using target = await rawReceiver((socket) => {
      socket.write(HEAD);
      socket.on('drain', () => pour(socket));
      pour(socket);
    });
    const result = await send(target.url);
    expect(result).toMatchObject({ outcome: 'delivered', digest: sha256('x'.repeat(ANSWER_LIMIT)) });
    // Buffers of both sides hold some more, never a sizeable part of it.
    expect(sent).toBeLessThan(64 * 2 ** 20);
  });

  test('and never answers is given up at the limit', async () => {
    await using target = await rawReceiver(() => undefined);
    expect(await send(target.url, { timeoutMillis: 60 })).toMatchObject({
      status: null,
      outcome: 'failed',
      detail: 'No answer within 0.06 seconds',
      digest: null,
    });
  });

  test('and never ends its answer is given up at the limit, its status kept', async () => {
    await using target = await rawReceiver((socket) => socket.write(`${HEAD}so far`));
    expect(await send(target.url, { timeoutMillis: 200 })).toMatchObject({
      status: 200,
      outcome: 'delivered',
      firstBytes: 'so far',
      digest: sha256('so far'),
    });
  });

  test('and closes before it answered has failed', async () => {
    await using target = await rawReceiver((socket) => socket.destroy());
    expect(await send(target.url)).toMatchObject({
      status: null,
      outcome: 'failed',
      detail: 'The target closed the connection before it answered',
    });
  });

  test('and closes in the middle of a refusal has refused', async () => {
    await using target = await rawReceiver((socket) => {
      socket.end('HTTP/1.1 500 Oh\r\ncontent-length: 100\r\n\r\nhalf');
    });
    expect(await send(target.url)).toMatchObject({ status: 500, outcome: 'failed', firstBytes: 'half' });
  });

  test.each([
    ['is no HTTP at all', 'SSH-2.0-server\r\n'],
    ['has headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`],
    ['breaks off in its headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ])('and whose answer %s has failed', async (_, answer) => {
    await using target = await rawReceiver((socket) => socket.end(answer));
    expect(await send(target.url)).toMatchObject({ status: null, outcome: 'failed' });
  });

  test('and breaks its chunks after the head is taken at its word', async () => {
    await using target = await rawReceiver((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense');
    });
    expect(await send(target.url)).toMatchObject({ status: 200, outcome: 'delivered' });
  });

  test('and is not there has failed, without its address in the text', async () => {
    const gone = await receiver();
    await gone[Symbol.asyncDispose]();
    const result = await send(gone.url);
    expect(result).toMatchObject({ outcome: 'failed', detail: 'The target refused the connection' });
    expect(result.detail).not.toContain('127.0.0.1');
  });
});

describe('the guard of a request', () => {
  test('lets nothing out to a forbidden address', async () => {
    await using target = await receiver();
    const guard = addressGuard(['10.0.0.0/8']);
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
      expect(await send(target.url.replace('127.0.0.1', host), { guard })).toMatchObject({
        outcome: 'refused',
        status: null,
      });
    }
    expect(target.received).toEqual([]);
  });

  test('judges the address that is connected to, whatever DNS said before', async () => {
    await using target = await receiver();
    const answers = ['127.0.0.1', '169.254.169.254', '127.0.0.1'];
    const resolve: Resolve = (_, __, callback) => callback(null, [{ address: answers.shift() ?? '', family: 4 }]);
    const guard = addressGuard(LOOPBACK, resolve);
    const address = target.url.replace('127.0.0.1', 'hooks.example.com');
    const outcomes = [];
    for (let n = 0; n < 3; n += 1) outcomes.push((await send(address, { guard })).outcome);
    expect(outcomes).toEqual(['delivered', 'refused', 'delivered']);
    expect(target.received.map(({ headers }) => headers.host?.split(':')[0])).toEqual([
      'hooks.example.com',
      'hooks.example.com',
    ]);
  });

  test('gives up on a name that never resolves', async () => {
    const guard = addressGuard(LOOPBACK, () => undefined);
    expect(await send('http://hooks.example.com/', { guard, timeoutMillis: 60 })).toMatchObject({
      outcome: 'failed',
      detail: 'No answer within 0.06 seconds',
    });
  });

  test('is asked for what is no http at all', async () => {
    expect(await send('file:///etc/passwd')).toMatchObject({ outcome: 'refused', status: null });
  });
});
