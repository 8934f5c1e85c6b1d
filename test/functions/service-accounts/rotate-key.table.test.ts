import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { BAD_KEY, refusal, refused, SECRET } from '#test/support/admin.ts';
import { HOUR, type KeyJson, keysApi, NO_KEY, NOBODYS } from './keys-api.ts';

const { api, seconds, wait, withRobot } = await keysApi();
const refusing = await withRobot();
const kept = await refusing.issue('robot');

describe('POST …/api-keys/{key_id}/rotate', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/service-accounts/${org}/robot/api-keys/${NOBODYS}/rotate`,
    needs: 'snapshotter',
  });

  it('makes a new secret under the same id; the old secret works for another 24 hours', async () => {
    const { issue, rotate, tryKey, get } = await withRobot();
    const before = await issue('robot', { description: 'kept' });
    await tryKey(before.key);
    const now = seconds();
    const answer = await rotate(before.id);
    const after = answer.json as KeyJson;
    expect(refusal(answer)).toEqual([
      201,
      {
        id: before.id,
        description: 'kept',
        created_at: before.created_at,
        expires_at: 0,
        key: expect.stringMatching(SECRET),
        grace_period_expires_at: expect.any(Number),
      },
    ]);
    expect(after.key).not.toBe(before.key);
    expect(after.grace_period_expires_at - now - 24 * HOUR).toBeLessThan(5);
    expect((await get(before.id)).json).toMatchObject({ last_used_at: expect.any(Number) });
    wait(24 * HOUR - 60);
    for (const key of [before.key, after.key]) expect((await tryKey(key))[0]).toBe(200);
    wait(61);
    expect(await tryKey(before.key)).toEqual(BAD_KEY);
    expect((await tryKey(after.key))[0]).toBe(200);
  });

  it.each([
    [{}, 24],
    [{ grace_period_hours: 1 }, 1],
    [{ grace_period_hours: 720 }, 720],
    [{ grace_period_hours: null }, 24],
  ])('reads the grace of %j as %i hours', async (json, hours) => {
    const { issue, rotate } = await withRobot();
    const { id } = await issue('robot');
    const { grace_period_expires_at } = (await rotate(id, json)).json as KeyJson;
    expect(Math.round((grace_period_expires_at - seconds()) / HOUR)).toBe(hours);
  });

  it('ends the old secret at its own expiry, and keeps the expiry if the request has none', async () => {
    const { issue, rotate } = await withRobot();
    const expires_at = seconds() + HOUR;
    const { id } = await issue('robot', { expires_at });
    expect((await rotate(id)).json).toMatchObject({ expires_at, grace_period_expires_at: expires_at });
    const later = expires_at + 48 * HOUR;
    expect((await rotate(id, { expires_at: later })).json).toMatchObject({
      expires_at: later,
      grace_period_expires_at: expires_at,
    });
    expect((await rotate(id, { expires_at: 0 })).json).toMatchObject({ expires_at: 0 });
  });

  it.each([
    [{ grace_period_hours: 0 }, { grace_period_hours: expect.stringContaining('greater than or equal to 1') }],
    [{ grace_period_hours: 721 }, { grace_period_hours: expect.stringContaining('less than or equal to 720') }],
    [{ grace_period_hours: 1.5 }, { grace_period_hours: expect.stringContaining('valid integer') }],
    [
      { grace_period_hours: 'x' },
      { grace_period_hours: expect.stringContaining('unable to parse string as an integer') },
    ],
    [{ expires_at: 1 }, { expires_at: 'Input should not be in the past [input: 1]' }],
    [{ expires_at: 'x' }, { expires_at: expect.stringContaining('valid integer') }],
  ])('refuses %j field by field, and the secret stays', async (json, errors) => {
    expect(refusal(await refusing.rotate(kept.id, json))).toEqual(refused(errors));
    expect((await refusing.tryKey(kept.key))[0]).toBe(200);
  });

  it('answers 404 for an unknown key', async () => {
    expect(refusal(await refusing.rotate(NOBODYS))).toEqual(NO_KEY);
  });

  it('keeps at most five old secrets in their grace; the oldest ends first', async () => {
    const { issue, rotate, tryKey } = await withRobot();
    const { id, key } = await issue('robot');
    const secrets = [key];
    for (let i = 0; i < 6; i += 1) secrets.push(((await rotate(id)).json as KeyJson).key);
    const [oldest = '', ...others] = secrets;
    expect(await tryKey(oldest)).toEqual(BAD_KEY);
    for (const secret of others) expect((await tryKey(secret))[0]).toBe(200);
  });

  it('gives each of several rotations at the same time a secret that works', async () => {
    const { issue, rotate, tryKey, list } = await withRobot();
    const { id } = await issue('robot');
    const answers = await Promise.all([1, 2, 3].map(() => rotate(id)));
    for (const { json } of answers) expect((await tryKey((json as KeyJson).key))[0]).toBe(200);
    expect(await list()).toHaveLength(1);
  });
});

describe('DELETE …/api-keys/{key_id}', () => {
  describeAccess(api, {
    method: 'DELETE',
    path: (org) => `/service-accounts/${org}/robot/api-keys/${NOBODYS}`,
    needs: 'snapshotter',
  });

  it('ends every secret of the key at once on this function, and no other key', async () => {
    const { issue, rotate, revoke, tryKey, get } = await withRobot();
    const other = await issue('robot');
    const { id, key } = await issue('robot');
    const { key: next } = (await rotate(id)).json as KeyJson;
    for (const secret of [key, next]) expect((await tryKey(secret))[0]).toBe(200);
    expect(refusal(await revoke(id))).toEqual([200, 'revoked']);
    for (const secret of [key, next]) expect(await tryKey(secret)).toEqual(BAD_KEY);
    expect((await tryKey(other.key))[0]).toBe(200);
    expect(refusal(await get(id))).toEqual(NO_KEY);
    expect(refusal(await revoke(id))).toEqual(NO_KEY);
    wait(31);
    expect(await tryKey(next)).toEqual(BAD_KEY);
  });

  it('ends a key that is rotated at the same time, or refuses the rotation', async () => {
    const { issue, rotate, revoke, tryKey } = await withRobot();
    const { id, key } = await issue('robot');
    const [revoked, rotated] = await Promise.all([revoke(id), rotate(id)]);
    expect(refusal(revoked)).toEqual([200, 'revoked']);
    expect([201, 404]).toContain(rotated.status);
    const secrets = rotated.status === 201 ? [key, (rotated.json as KeyJson).key] : [key];
    for (const secret of secrets) expect(await tryKey(secret)).toEqual(BAD_KEY);
  });

  it('gives one answer for every key that is not valid', async () => {
    const { issue, revoke, rotate, call, org } = await withRobot();
    const [revoked, expired, rotatedOut] = [
      await issue('robot'),
      await issue('robot', { expires_at: seconds() + HOUR }),
      await issue('robot'),
    ];
    await revoke(revoked.id);
    await rotate(rotatedOut.id, { grace_period_hours: 1 });
    wait(HOUR + 1);
    const bad = [revoked.key, expired.key, rotatedOut.key, 'dek_', 'a,b', `${revoked.key}x`, 'ü'];
    const answers = await Promise.all(bad.map((key) => call('GET', `/service-accounts/${org}`, { key })));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers.map(refusal)).toEqual(bad.map(() => BAD_KEY));
  });
});

describe('round trips on a warm function', () => {
  /** AWS calls of the last request that waited for each other. */
  const trips = () =>
    (api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as { aws_sequential: number }).aws_sequential;

  it('are none for authentication, one for accounts, and two for keys with their secrets', async () => {
    const { issue, call, account, list, get, rotate, revoke, org } = await withRobot();
    const { id } = await issue('robot');
    await call('GET', `/service-accounts/${org}`);
    const cost: Record<string, number> = {};
    const requests: Record<string, () => Promise<unknown>> = {
      'list accounts': () => call('GET', `/service-accounts/${org}`),
      'get account': () => account('robot'),
      'list keys': list,
      'get key': () => get(id),
      'rotate key': () => rotate(id),
      'revoke key': () => revoke(id),
    };
    for (const [name, send] of Object.entries(requests)) {
      await send();
      cost[name] = trips();
    }
    expect(cost).toEqual({
      'list accounts': 1,
      'get account': 1,
      'list keys': 2,
      'get key': 2,
      'rotate key': 4,
      'revoke key': 4,
    });
  });
});
