import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { Statement } from '#infra/local/rights/evaluate.ts';
import { SECRET_FAMILIES } from '#infra/secret-families.ts';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { actionKey, actionSecretKey } from '#shared/notifications/records/keys.ts';
import {
  apiKeyKey,
  emailKey,
  grantKey,
  invitationKey,
  keyUseKey,
  memberKey,
  memberOfKey,
  organizationKey,
  sessionKey,
  subjectKey,
  trustKey,
} from '#shared/organizations/records/keys.ts';
import type { Key } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { byFunction, may, readsOf, writesOf } from './granted.ts';

const readersOf = (key: Key): string[] =>
  [...byFunction]
    .filter(([, statements]) => readsOf(key).some((accesses) => may(statements, accesses)))
    .map(([name]) => name)
    .toSorted();

const isOfData = ({ actions }: Statement) => actions.some((action) => !/^(?:logs|xray):/.test(action));

const writersOf = (key: Key): string[] =>
  [...byFunction]
    .filter(([, statements]) => writesOf(key).some((accesses) => may(statements, accesses)))
    .map(([name]) => name)
    .toSorted();

describe('items that authentication trusts', () => {
  const org = testId<OrganizationId>('0192f0a1-b2c3-d4e5-f607-18293a4b');

  it('can be written only by the functions that manage them', () => {
    expect(writersOf(apiKeyKey('f'.repeat(64)))).toEqual(['operator', 'service-accounts', 'token', 'user']);
    // The operator's function ends sessions.
    expect(writersOf(sessionKey('f'.repeat(64)))).toEqual(['operator', 'sign-in', 'user']);
    expect(writersOf(emailKey('ann@example.com'))).toEqual(['operator', 'sign-in']);
    expect(writersOf(subjectKey('f'.repeat(64)))).toEqual(['operator', 'sign-in']);
    expect(writersOf(trustKey(org, 'release'))).toEqual(['service-accounts', 'token']);
    expect(writersOf(organizationKey('acme'))).toEqual(['operator', 'organizations']);
    expect(writersOf(memberKey(org, testId<PrincipalId>('user')))).toEqual(
      ['operator', 'organizations', 'service-accounts'].toSorted(),
    );
    const joined = memberOfKey(testId<PrincipalId>('user'), org);
    expect(writersOf(joined)).toEqual(['operator', 'organizations', 'user']);
    expect(writersOf(grantKey('domain', 'acme.example'))).toEqual(['operator']);
    expect(writersOf(invitationKey(org, 'ann'))).toEqual(['operator', 'organizations']);
  });

  it('are not the recorded uses of keys, which every endpoint function updates and only updates', () => {
    const authenticating = groups.filter(({ endpoints }) => endpoints.some(({ access }) => access !== 'public'));
    expect(writersOf(keyUseKey('1'))).toEqual(authenticating.map(({ name }) => name).toSorted());
    for (const name of ['console', 'reference']) expect(byFunction.get(name)?.filter(isOfData)).toEqual([]);
    const [put, , remove, batch] = writesOf(keyUseKey('1'));
    for (const statements of byFunction.values()) {
      for (const accesses of [put, remove, batch]) expect(may(statements, accesses ?? [])).toBe(false);
    }
  });
});

describe('items with secrets', () => {
  const org = testId<OrganizationId>('0192f0a1-b2c3-d4e5-f607-18293a4b');

  it('can be read only by the functions that sign webhooks, show secrets or rotate them', () => {
    expect(readersOf(actionSecretKey(org, 1))).toEqual(['actions', 'environment-notifications', 'notifier']);
    expect(readersOf(actionKey(org, 1, 1)).length).toBeGreaterThan(30);
  });

  it('are all families that hold a secret in plain text', () => {
    expect(SECRET_FAMILIES).toEqual(['ACTIONSECRET']);
  });
});
