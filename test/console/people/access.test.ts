import { describe, expect, it } from 'vitest';
import { accountSentence, keyWarning, peopleSentence, rightsOver } from '#console/people/model/access.ts';
import { offerReason } from '#console/people/model/offers.ts';
import type { Account, ApiKey, Member } from '#console/people/operations.ts';

const DAY = 86_400;

describe('people and keys', () => {
  const key = (end: number, description = 'ci') => ({ description, expires_at: end }) as ApiKey;

  it('warns of a key that expires within two weeks, has expired or never expires', () => {
    expect(keyWarning(key(5 * DAY), 0)).toBe('expires in 5 d');
    expect([keyWarning(key(60 * DAY), 0), keyWarning(key(0), 0), keyWarning(key(1), 2)]).toEqual([
      null,
      'never expires',
      'expired',
    ]);
  });

  it('says what a service account may do and which key ends first', () => {
    expect(accountSentence({ privilege: 'member' }, [], 0)).toContain('has no key');
    expect(accountSentence({ privilege: 'reader' }, [key(9 * DAY, 'b'), key(5 * DAY, 'a')], 0)).toBe(
      'Acts as reader with 2 keys. «a» expires in 5 d.',
    );
  });

  it('says who has access', () => {
    const members = [
      { name: 'ann', role: 'admin' },
      { name: 'bob', role: 'reader' },
    ] as Member[];
    expect(peopleSentence(members, [])).toBe('2 people and no service account have access. The only admin is ann.');
    const invited = { name: 'eve', role: 'admin', is_invited: true } as Member;
    expect(peopleSentence([...members, invited], [])).toBe(
      '2 people and no service account have access. 1 is invited. The only admin is ann.',
    );
  });

  it('says why an organization offers the caller to join', () => {
    expect(offerReason({ by: 'domain', name: 'acme.example' })).toBe('lets people of acme.example in');
    expect(offerReason({ by: 'group', name: 'ops' })).toBe('lets people of the group «ops» in');
    expect(offerReason({ by: 'invitation', name: null })).toBe('invited you');
  });

  it('shows the buttons of an account to admins and its creator, and secrets only up to their own role', () => {
    const account = { creating_user_id: 'u1', privilege: 'member' } as Account;
    expect(rightsOver(account, undefined)).toEqual({ revoke: false, issue: false });
    expect(rightsOver(account, { id: 'u2', role: 'admin' })).toEqual({ revoke: true, issue: true });
    expect(rightsOver(account, { id: 'u2', role: 'member' })).toEqual({ revoke: false, issue: false });
    expect(rightsOver(account, { id: 'u1', role: 'snapshotter' })).toEqual({ revoke: true, issue: false });
    expect(rightsOver(account, { id: 'u1', role: 'reader' })).toEqual({ revoke: false, issue: false });
  });
});
