import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { Fault } from '#verify/fault.ts';
import { type RemoteOptions, verifyRemote } from '#verify/remote-log.ts';
import { sampleExport } from './sample-export.ts';
import { type Files, logFiles, logKey, otherLog } from './sample-log.ts';

let served: Files;
let entries: Buffer[];
let server: Server;
let url = '';
const dir = mkdtempSync(join(tmpdir(), 'served-log-'));
const kept = join(dir, 'checkpoint');

beforeAll(async () => {
  ({ entries } = await sampleExport());
  server = createServer((request, response) => {
    const bytes = served.get((request.url ?? '').replace('/log/', ''));
    const status = request.headers.authorization !== 'Bearer key' ? 401 : bytes ? 200 : 404;
    response.writeHead(status).end(status === 200 ? bytes : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  served = await logFiles(entries);
});

const verified = (more: Partial<RemoteOptions> = {}) =>
  verifyRemote({ url, policy: policyOf(logKey), token: 'key', ...more }).then(({ counts }) => counts);
async function faultOf(more: Partial<RemoteOptions> = {}): Promise<string> {
  const outcome = await verified(more).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

describe('a served log', () => {
  it('is verified since a kept checkpoint, and the new one is kept', async () => {
    served = await logFiles(entries.slice(0, 100));
    await verified({ keep: kept });
    served = await logFiles(entries);
    expect(await verified({ since: kept, keep: kept, all: true })).toMatchObject({
      entries: 266,
      'appended since': 166,
      'entries verified': 266,
    });
    expect(readFileSync(kept, 'utf8')).toBe(served.get('checkpoint')?.toString());
  });

  it.each<[string, () => Buffer[], string]>([
    ['that became shorter', () => entries.slice(0, 50), 'the log has 50 entries. It had 266 entries'],
    ['of the same size with another entry', () => [...entries.slice(0, -1), Buffer.from('x')], 'does not begin with'],
    ['that grew on another entry', () => [Buffer.from('x'), ...entries], 'does not begin with the 266 entries'],
  ])('a served log %s is refused, and the kept checkpoint stays', async (_, made, fault) => {
    const old = served.get('checkpoint') ?? Buffer.alloc(0);
    writeFileSync(kept, old);
    served = await logFiles(made());
    expect(await faultOf({ since: kept, keep: kept })).toContain(fault);
    expect(readFileSync(kept)).toEqual(old);
  });

  it('is refused if another key signed it', async () => {
    served = await logFiles(entries, otherLog);
    expect(await faultOf()).toContain(`${url}/checkpoint: No given key of the log`);
  });

  it('is refused if a tile is missing', async () => {
    served.delete('tile/0/000');
    expect(await faultOf({ all: true })).toContain('/log/tile/0/000: the server answers 404');
  });

  it('is refused without the key that the server asks for', async () => {
    expect(await faultOf({ token: undefined })).toContain('/checkpoint: the server answers 401');
  });

  it('is refused if nothing answers at the address', async () => {
    expect(await faultOf({ url: 'http://127.0.0.1:1/log' })).toContain('the server cannot be read: ');
  });
});
