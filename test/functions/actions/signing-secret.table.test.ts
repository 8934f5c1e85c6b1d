import { describe, expect, it } from 'vitest';
import { readSecrets, SECRET_GRACE, signingSecrets } from '#shared/notifications/records/action-secrets.ts';
import { describeAccess } from '#test/support/access.ts';
import { actionsApi, anAction, aWebhook, NOT_FOUND, newOrganization, refusal, refused } from './actions-api.ts';

const api = await actionsApi();
const { table, clock } = api.services;
type Own = Awaited<ReturnType<typeof newOrganization>>;
interface SecretJson {
  secret: string;
  previous_secret: string | null;
  previous_expires_at: number;
}

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/;
const OWN_SECRET = `whsec_${Buffer.from('0123456789012345678901234567').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('7654321098765432109876543210').toString('base64')}`;

async function withAction(overrides: Record<string, unknown> = {}): Promise<Own> {
  const own = await newOrganization(api);
  await own.put(anAction(overrides));
  return own;
}
const secretOf = async (own: Own) => (await own.call('GET', own.at('1/signing-secret'))).json as SecretJson;
const rotate = async (own: Own, headers: Record<string, string> = {}) =>
  (await own.call('POST', own.at('1/signing-secret/rotate'), { text: 'null', headers })).json as SecretJson;

describe('GET /actions/{org}/{action_number}/signing-secret', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/actions/${org}/1/signing-secret`, needs: 'admin' });

  it('answers the secret that the first save made, one per action', async () => {
    const own = await withAction();
    const secret = await secretOf(own);
    expect(secret).toEqual({ secret: expect.stringMatching(SECRET), previous_secret: null, previous_expires_at: 0 });
    await own.put(anAction({ triggers: ['ON_RELEASE'] }));
    expect(await secretOf(own)).toEqual(secret);
    expect((await secretOf(await withAction())).secret).not.toBe(secret.secret);
  });

  it('answers the secret that a target brought, and keeps it over saves without one', async () => {
    const own = await withAction({ targets: [aWebhook({ secret: OWN_SECRET })] });
    expect((await secretOf(own)).secret).toBe(OWN_SECRET);
    await own.put(anAction());
    expect((await secretOf(own)).secret).toBe(OWN_SECRET);
  });

  it('treats another secret of a target as a rotation', async () => {
    const own = await withAction({ targets: [aWebhook({ secret: OWN_SECRET })] });
    await own.put(anAction({ targets: [aWebhook({ secret: OTHER_SECRET })] }));
    expect(await secretOf(own)).toMatchObject({ secret: OTHER_SECRET, previous_secret: OWN_SECRET });
    await own.put(anAction({ targets: [aWebhook({ secret: OTHER_SECRET })] }));
    expect(await secretOf(own)).toMatchObject({ secret: OTHER_SECRET, previous_secret: OWN_SECRET });
  });

  it('refuses two different secrets, and no record shows a secret', async () => {
    const own = await withAction({ targets: [aWebhook({ secret: OWN_SECRET })] });
    const two = [
      aWebhook({ secret: OWN_SECRET }),
      aWebhook({ webhook: 'https://b.example.com', secret: OTHER_SECRET }),
    ];
    const answer = await own.put(anAction({ targets: two }));
    expect(refusal(answer)).toEqual(refused({ 'targets[1].secret': expect.any(String) }));
    expect(answer.text).not.toContain(OTHER_SECRET);
    for (const path of [own.at(1), `/actions/${own.org}`]) {
      const { text } = await own.call('GET', path);
      expect(text).not.toMatch(/secret|whsec_/);
    }
  });

  it('answers 404 for an action that does not exist or was deleted', async () => {
    const own = await withAction();
    await own.remove(1);
    for (const number of [1, 2])
      expect(refusal(await own.call('GET', own.at(`${number}/signing-secret`)))).toEqual(NOT_FOUND);
    expect(await readSecrets(table, own.id, 1, clock.now())).toBeNull();
  });
});

describe('POST /actions/{org}/{action_number}/signing-secret/rotate', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/actions/${org}/1/signing-secret/rotate`,
    request: { text: 'null' },
    needs: 'admin',
  });

  it('makes a new secret, and the previous one signs too for 24 hours', async () => {
    const own = await withAction();
    const before = await secretOf(own);
    const asked = clock.now();
    const after = await rotate(own);
    expect(after.secret).toMatch(SECRET);
    expect(after.secret).not.toBe(before.secret);
    expect(after.previous_secret).toBe(before.secret);
    expect(after.previous_expires_at * 1e6).toBeGreaterThan(asked + SECRET_GRACE);
    expect(await secretOf(own)).toEqual(after);
    const signing = async () => {
      const secrets = await readSecrets(table, own.id, 1, clock.now());
      return secrets && signingSecrets(secrets);
    };
    expect(await signing()).toEqual([after.secret, before.secret]);
    clock.advance(SECRET_GRACE);
    expect(await signing()).toEqual([after.secret]);
    expect(await secretOf(own)).toEqual({ secret: after.secret, previous_secret: null, previous_expires_at: 0 });
  });

  it('applies every one of several rotations at once', async () => {
    const own = await withAction();
    const rotated = await Promise.all([rotate(own), rotate(own), rotate(own)]);
    expect(new Set(rotated.map(({ secret }) => secret)).size).toBe(3);
    const last = await secretOf(own);
    expect(rotated).toContainEqual(last);
  });

  it('repeats the same secret under the same Idempotency-Key', async () => {
    const own = await withAction();
    const headers = { 'idempotency-key': 'rotate' };
    const first = await rotate(own, headers);
    expect(await rotate(own, headers)).toEqual(first);
    expect(await secretOf(own)).toEqual(first);
  });

  it('answers 404 for an action that does not exist', async () => {
    const own = await withAction();
    expect(refusal(await own.call('POST', own.at('2/signing-secret/rotate')))).toEqual(NOT_FOUND);
  });
});
