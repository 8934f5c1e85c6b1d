import { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of people, keys, service accounts and the audit log. */
export const ORGANIZATION_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Directory',
    ['Whose API key is this?', 'apiKeyKey', ['{sha-256}'], `${ONE}; trusted for 30 s`],
    [
      'When was this API key last used?',
      'keyUseKey',
      ['{key id}'],
      'Update once an hour per container; BatchGet with the secrets of a key',
    ],
    ['Which keys does a principal have?', 'principalKeyList', ['{principal}'], RANGE],
    ['Which key has this id?', 'principalKeyKey', ['{principal}', '{key id}'], ONE],
    ['Whose session is this?', 'sessionKey', ['{sha-256}'], `${ONE}; trusted for 30 s`],
    ['Which sessions does a principal have?', 'principalSessionList', ['{principal}'], `${RANGE}; at most about 50`],
    ['Which session has this id?', 'principalSessionKey', ['{principal}', '{session id}'], ONE],
    ['Which organization has this name?', 'organizationKey', ['{name}'], `${ONE}; trusted for 30 s`],
    ['Which organizations are there?', 'organizationList', [], 'Query by sweeps: 1 unit per 4 KB'],
    ['Is an organization listed for sweeps?', 'organizationListKey', [ORG], 'Put when it is made'],
    [
      'Which organizations have sign-in rules for this domain or group?',
      'letInList',
      ['domain', '{domain}'],
      'Query of 100 items at most, one per domain and group of a person who signs in',
    ],
    [
      'Does an organization have sign-in rules for this domain or group?',
      'letInKey',
      [keys.letInList('group', '{group}'), ORG],
      'Put and removed with the rules',
    ],
    [
      'Which organizations may name this domain or group in sign-in rules?',
      'grantKey',
      ['domain', '{domain}'],
      'BatchGet by the operator; put and removed with the grants of an organization',
    ],
    ['What was a user offered?', 'offerList', ['{user name}'], `${RANGE}; at most 100`],
    [
      'Was this organization offered to a user, or declined?',
      'offerKey',
      ['{user name}', 'invitation', ORG],
      'Put and removed with the invitation, at a sign-in, and by the user',
    ],
    ['Which user has this verified e-mail address?', 'emailKey', ['{address}'], 'BatchGet at a sign-in'],
    ['Which user is this subject of an issuer?', 'subjectKey', ['{sha-256}'], 'BatchGet at a sign-in'],
    ['Which user has this name?', 'userKey', ['{name}'], ONE],
    [
      'Was this token exchanged before?',
      'usedTokenKey',
      ['{sha-256}'],
      'Put if absent, in the transaction of the key; removed by TTL',
    ],
    [
      'Which trusts accept tokens of this issuer?',
      'trustsOfIssuer',
      '@TRUSTED#{organization name}#{sha-256 of issuer}',
      `${RANGE}; at most 20 per exchange`,
    ],
    [
      'Does this trust accept tokens of this issuer?',
      'trustOfIssuerKey',
      { pk: '@TRUSTED#{organization name}#{sha-256 of issuer}', sk: '{name}' },
      'Put and removed with the trust',
    ],
    ['Which role has a user here?', 'memberKey', [ORG, PrincipalId.parse('{user id}')], `${ONE}; trusted for 30 s`],
    ['Who are the members?', 'memberList', [ORG], RANGE],
    ['Who is invited?', 'invitationList', [ORG], `${RANGE}; at most about 100`],
    ['Is a user of this name invited?', 'invitationKey', [ORG, '{user name}'], ONE],
    [
      'Which organizations does a user have?',
      'memberOfList',
      [PrincipalId.parse('{user id}')],
      'Query of 101 items at most',
    ],
    [
      'Is an organization listed for a user?',
      'memberOfKey',
      [PrincipalId.parse('{user id}'), ORG],
      'Put and removed with the membership',
    ],
  ),
  ...rows(
    'Service accounts',
    ['Which service account has this name?', 'accountKey', [ORG, '{name}'], ONE],
    ['Which service accounts are there?', 'accountList', [ORG], RANGE],
  ),
  ...rows(
    'Trusts',
    [
      'Which trust has this name, and does the trust of a key stand?',
      'trustKey',
      [ORG, '{name}'],
      `${ONE}; trusted for 30 s`,
    ],
    ['Which trusts are there?', 'trustList', [ORG], `${RANGE}; at most 100`],
    [
      'Does the audit log have an entry for these refused tokens?',
      'refusedTokensKey',
      [ORG, '{hour}', '{reason}#{trust}'],
      'Put if absent, once an hour per process; removed by TTL',
    ],
  ),
  ...rows(
    'Audit log',
    [
      'Who changed what, newest first?',
      'auditPartition',
      [ORG, '202611'],
      'Query of six months at once, five times at most',
    ],
    ['What was this change?', 'auditKey', [ORG, '202611', '{entry id}'], 'Put in the transaction of the change'],
  ),
];
