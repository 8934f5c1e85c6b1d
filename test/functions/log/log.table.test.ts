import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { logGroup } from '#functions/log/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { ROLES } from '#shared/callers/roles.ts';
import { keyDigest, parseVerifierKey } from '#shared/tlog/keys.ts';
import { openCheckpoint, parsePolicy } from '#shared/tlog/policy.ts';
import { encodeBundle, encodeTile } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';

const api = await testApi([logGroup, organizationsGroup]);
const { table, clock, objects, keys, origin } = api.services;
const { integrate } = integratorOf(table, { objects, clock, origin, logSigner: keys.log });

/** An organization with so many entries in its log, published. */
async function organizationWithLog(size: number, features: Parameters<typeof organizationWith>[2] = []) {
  const { id, name, keys: callers } = await organizationWith(api.services, ROLES, features);
  const entries = trailEntries(id, 'run', size);
  expect(await integrate(id, entries)).toBe(0);
  const get = (path: string, key: string | undefined = callers.reader) =>
    api.call('GET', `/log/${name}${path}`, key === '' ? {} : { key });
  return { id, name, callers, entries, get };
}

const acme = await organizationWithLog(300);
const EMPTY = await organizationWithLog(0);

describe('GET /log/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/log/${org}`, needs: 'reader' });

  it('describes the log with everything that a verifier needs', async () => {
    const { status, json } = await acme.get('');
    const body = json as { verifier_keys: { key: string }[]; statement_keys: { public_key: string }[]; policy: string };
    const key = parseVerifierKey(body.verifier_keys[0]?.key ?? '');
    expect([status, key.name]).toEqual([200, `${acme.id}.local.log.localhost`]);
    const keyId = keyDigest(key).toString('base64');
    expect(json).toEqual({
      origin: key.name,
      size: 300,
      checkpoint_size: 300,
      verifier_keys: [{ key: expect.any(String), from_size: 0, to_size: null }],
      statement_keys: [{ public_key: expect.stringContaining('BEGIN PUBLIC KEY') }],
      policy: `log ${body.verifier_keys[0]?.key} https://api.example/api/v2/log/${acme.name}\nquorum none\n`,
      trusted_root: {
        mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
        tlogs: [
          {
            baseUrl: `https://${key.name}`,
            hashAlgorithm: 'SHA2_256',
            publicKey: {
              rawBytes: expect.stringMatching(/^MCowBQYDK2VwAyEA/),
              keyDetails: 'PKIX_ED25519',
              validFor: { start: '1970-01-01T00:00:00Z' },
            },
            logId: { keyId },
            checkpointKeyId: { keyId },
          },
        ],
        certificateAuthorities: [],
        ctlogs: [],
        timestampAuthorities: [],
      },
      backfilled_before: null,
    });
    expect(createPublicKey(body.statement_keys[0]?.public_key ?? '').asymmetricKeyDetails).toEqual({
      namedCurve: 'prime256v1',
    });
    const checkpoint = await acme.get('/checkpoint');
    expect(openCheckpoint(checkpoint.text, parsePolicy(body.policy)).size).toBe(300);
  });

  it('names the log before its first entry', async () => {
    expect((await EMPTY.get('')).json).toMatchObject({
      origin: `${EMPTY.id}.local.log.localhost`,
      size: 0,
      checkpoint_size: null,
    });
  });

  it('reads head and checkpoint with one call', async () => {
    await acme.get('');
    expect(api.entries.at(-1)).toMatchObject({ aws_calls: 1, aws_sequential: 1 });
  });
});

describe('GET /log/{org}/checkpoint', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/log/${org}/checkpoint`, needs: 'reader' });

  it('answers the signed note, which nobody may keep', async () => {
    const { status, headers, text } = await acme.get('/checkpoint');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-store',
    ]);
    expect(text.split('\n').slice(0, 2)).toEqual([`${acme.id}.local.log.localhost`, '300']);
  });

  it('answers 404 before the first checkpoint', async () => {
    const { status, json } = await EMPTY.get('/checkpoint');
    expect([status, json]).toEqual([404, { message: `The log of organization '${EMPTY.name}' has no checkpoint yet` }]);
  });
});

describe('GET /log/{org}/tile/{path+}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/log/${org}/tile/0/000`, needs: 'reader' });

  const leaves = acme.entries.map(leafHash);
  it.each<[string, () => Buffer]>([
    ['entries/000', () => encodeBundle(acme.entries.slice(0, 256))],
    ['entries/000.p/3', () => encodeBundle(acme.entries.slice(0, 3))],
    ['entries/001.p/44', () => encodeBundle(acme.entries.slice(256))],
    ['entries/001.p/1', () => encodeBundle(acme.entries.slice(256, 257))],
    ['0/000', () => encodeTile(leaves.slice(0, 256))],
    ['0/000.p/255', () => encodeTile(leaves.slice(0, 255))],
    ['0/001.p/44', () => encodeTile(leaves.slice(256))],
    ['1/000.p/1', () => rootOfLeaves(leaves.slice(0, 256))],
  ])('answers the bytes of %s, which no browser may keep', async (path, bytes) => {
    const { status, headers, bytes: body } = await acme.get(`/tile/${path}`);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/octet-stream',
      'no-store',
    ]);
    expect(body.equals(bytes())).toBe(true);
  });

  it.each([
    ['a width that no checkpoint implied', '0/001.p/45'],
    ['a width that no checkpoint implied', '1/000.p/2'],
    ['a tile that is not full', '0/001'],
    ['a bundle that is not full', 'entries/001'],
    ['an index behind the end', '0/002.p/1'],
    ['a level above the tree', '2/000.p/1'],
    ['the width 0', '0/000.p/0'],
    ['a full width as a part', '0/000.p/256'],
    ['groups that are too short', '0/0'],
    ['an empty leading group', '0/x000/000'],
    ['a missing x', '0/000/000'],
    ['a sign', '0/-01'],
    ['a level that does not exist', '64/000'],
    ['no tile at all', 'checkpoint'],
    ['dots', '../checkpoint'],
  ])('answers 404 for %s: %s', async (_, path) => {
    const { status, json } = await acme.get(`/tile/${path}`);
    expect([status, json]).toEqual([404, { message: `The log of organization '${acme.name}' has no tile '${path}'` }]);
  });

  it('reads the checkpoint, then one object or one partition', async () => {
    for (const path of ['0/000', 'entries/001.p/44', '1/000.p/1']) {
      await acme.get(`/tile/${path}`);
      expect(api.entries.at(-1)).toMatchObject({ aws_calls: 2, aws_sequential: 2 });
    }
  });
});

describe('the feature public_log', () => {
  const PATHS = ['', '/checkpoint', '/tile/0/000.p/2'];

  it('opens the log to everybody, also to keys of others and to wrong keys', async () => {
    const open = await organizationWithLog(2, ['public_log']);
    for (const path of PATHS) {
      const answers = await Promise.all(
        ['', uniqueName('nobody'), acme.callers.reader].map((key) => open.get(path, key)),
      );
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 200, 200, 200]);
    }
  });

  it('lets everybody keep tiles for ever, and asks no credential of anybody', async () => {
    const open = await organizationWithLog(2, ['public_log']);
    for (const key of ['', open.callers.reader]) {
      const { headers } = await open.get('/tile/0/000.p/2', key);
      expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
    }
  });

  it('opens no other endpoint, and no log of another organization', async () => {
    const open = await organizationWithLog(1, ['public_log']);
    expect((await api.call('GET', `/organizations/${open.name}/members`)).status).toBe(401);
    for (const path of PATHS) expect([path, (await acme.get(path, '')).status]).toEqual([path, 401]);
  });

  it('opens nothing while the operator suspends the organization', async () => {
    const open = await organizationWithLog(1, ['public_log']);
    const suspend = (what: string) =>
      runOperator(api.services, {
        command: 'suspend-organization',
        organization: open.name,
        what,
        reason: 'A dispute',
      });
    await suspend('writes');
    expect((await open.get('', '')).status).toBe(200);
    await suspend('everything');
    clock.advance(31_000_000);
    expect((await open.get('', '')).json).toEqual({
      message: `The operator of the service suspended the organization '${open.name}': A dispute`,
    });
  });

  it('is not one of the beta features that an admin switches', async () => {
    const open = await organizationWithLog(1, ['public_log']);
    const put = (isOn: boolean) =>
      api.call('PUT', `/organizations/${open.name}/experimental_features`, {
        key: open.callers.admin,
        json: { experimental_features_enabled: isOn },
      });
    expect((await put(true)).status).toBe(200);
    expect((await put(false)).status).toBe(200);
    expect((await open.get('', '')).status).toBe(200);
    const closed = await organizationWithLog(1);
    await api.call('PUT', `/organizations/${closed.name}/experimental_features`, {
      key: closed.callers.admin,
      json: { experimental_features_enabled: true },
    });
    expect((await closed.get('', '')).status).toBe(401);
  });
});
