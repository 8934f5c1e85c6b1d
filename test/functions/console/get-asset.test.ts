import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { AssetFiles } from '#functions/console/asset-files.ts';
import { assetFolder } from '#functions/console/asset-folder.ts';
import { handler } from '#functions/console/index.ts';
import { verifierFolder } from '#functions/verifier-folder.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { noticesFile } from '#infra/bundles/notices.ts';
import { buildVerifier } from '#infra/bundles/verifier.ts';
import { NOTICES_FILE } from '#shared/console/notices.ts';
import { gatewayEvent } from '#test/support/gateway.ts';

const BUILD_MILLIS = 60_000;
const get = (file: string, headers: Record<string, string> = {}) =>
  handler(gatewayEvent({ path: `/-/assets/${file}`, headers }));

describe('GET /-/assets/{file}', () => {
  let files: string[];
  beforeAll(async () => {
    await Promise.all([buildConsole(), buildVerifier()]);
    files = readdirSync(assetFolder());
  }, BUILD_MILLIS);
  const fileWith = (ending: string) => files.find((name) => name.endsWith(ending)) ?? '';

  it.each([
    ['.js', 'text/javascript; charset=utf-8'],
    ['.css', 'text/css; charset=utf-8'],
  ])('answers a %s file for a year, with its type', async (ending, type) => {
    const file = fileWith(ending);
    expect(file).toMatch(/-[\w-]{8,}\.\w+$/);
    const answer = await get(file);
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      },
    });
    expect(Buffer.from(answer.body ?? '', 'base64')).toEqual(readFileSync(join(assetFolder(), file)));
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
    ['gzip', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['deflate', undefined, (bytes: Buffer) => bytes],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])('answers Accept-Encoding: %s with the coding %s', async (accepted, coding, unpack) => {
    const file = fileWith('.js');
    const { headers, body = '' } = await get(file, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(unpack(Buffer.from(body, 'base64'))).toEqual(readFileSync(join(assetFolder(), file)));
  });

  it('answers the verifier and its SHA-256 under names that stay the same', async () => {
    const names = ['verify.mjs', 'verify.mjs.sha256'];
    const [program, sum] = await Promise.all(names.map((name) => get(name, { 'accept-encoding': 'br, gzip' })));
    const expected = readFileSync(join(verifierFolder(), 'verify.mjs'));
    expect(program).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'no-cache',
        'content-encoding': 'br',
      },
    });
    expect(brotliDecompressSync(Buffer.from(program?.body ?? '', 'base64'))).toEqual(expected);
    expect(sum).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
    });
    expect(Buffer.from(sum?.body ?? '', 'base64').toString()).toBe(`${hash('sha256', expected)}  verify.mjs\n`);
  });

  it('answers the third-party notices as text under a name that stays the same', async () => {
    const { statusCode, headers, body = '' } = await get(NOTICES_FILE, { 'accept-encoding': 'gzip' });
    expect([statusCode, headers]).toMatchObject([
      200,
      { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache', 'content-encoding': 'gzip' },
    ]);
    const text = gunzipSync(Buffer.from(body, 'base64')).toString();
    expect(text).toContain('Third-party software in the functions, the console and the verifier');
    expect(text).toMatch(/^react \d+\.\d+\.\d+ \(MIT\)$/m);
    expect(Buffer.from(text)).toEqual(noticesFile().bytes);
  });

  it('answers 404 in JSON for a file that the release does not have, also to browsers', async () => {
    const packed = fileWith('.js.br');
    for (const file of [
      'nothing.js',
      packed,
      '..',
      '../index.html',
      '%2e%2e',
      '__proto__',
      'constructor.js',
      'a\0.js',
    ]) {
      expect([file, await get(file, { accept: 'text/html' })]).toMatchObject([
        file,
        {
          statusCode: 404,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
          body: '{"message":"Not Found","request_id":"request-1"}',
        },
      ]);
    }
  });
});

it('keeps the files that were asked for when a new build replaces the folder, and finds the new ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assets-'));
  try {
    for (const name of ['read.js', 'unread.js']) writeFileSync(join(folder, name), name);
    const files = new AssetFiles(folder);
    expect(files.read('read.js')?.toString()).toBe('read.js');
    for (const name of ['read.js', 'unread.js']) rmSync(join(folder, name));
    writeFileSync(join(folder, 'new.js'), 'new.js');
    expect(['read.js', 'unread.js', 'new.js'].map((name) => files.read(name)?.toString())).toEqual([
      'read.js',
      undefined,
      'new.js',
    ]);
    rmSync(folder, { recursive: true });
    expect(files.read('unread.js')).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
