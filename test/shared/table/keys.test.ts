import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { keyPattern, tableDocument } from '#infra/documents/table-document.ts';
import * as bodyKeys from '#shared/bodies/keys.ts';
import * as controlKeys from '#shared/controls/records/keys.ts';
import * as environmentKeys from '#shared/environments/records/keys.ts';
import * as evaluationKeys from '#shared/evaluations/records/keys.ts';
import * as evidenceKeys from '#shared/evidence/records/keys.ts';
import * as exportKeys from '#shared/exports/records/keys.ts';
import * as logKeys from '#shared/log/records/keys.ts';
import * as notificationKeys from '#shared/notifications/records/keys.ts';
import * as organizationKeys from '#shared/organizations/records/keys.ts';
import * as policyKeys from '#shared/policies/records/keys.ts';
import * as seriesKeys from '#shared/series/keys.ts';
import * as sweepKeys from '#shared/sweeps/keys.ts';
import type { Example } from '#shared/table/access-patterns.ts';
import * as tableKeys from '#shared/table/keys.ts';
import { testId, testPartition } from '#test/support/ids.ts';
import { entryItem } from '#test/support/table/entries.ts';

/** Every key as it lies in deployed tables: a change here is a migration there. */
const PINNED: Readonly<Record<string, string>> = {
  apiKeyKey: '@KEY#{sha-256} / KEY',
  keyUseKey: '@KEYUSE#{key id} / USE',
  principalKeyList: '@KEYS#{principal}',
  principalKeyKey: '@KEYS#{principal} / {key id}',
  sessionKey: '@SESSION#{sha-256} / SESSION',
  principalSessionList: '@SESSIONS#{principal}',
  principalSessionKey: '@SESSIONS#{principal} / {session id}',
  memberOfList: '@MEMBEROF#{user id}',
  memberOfKey: '@MEMBEROF#{user id} / {org}',
  organizationKey: '@ORG#{name} / ORG',
  organizationList: '@ORGS',
  organizationListKey: '@ORGS / {org}',
  letInList: '@LETIN#domain#{domain}',
  letInKey: '@LETIN#group#{group} / {org}',
  emailKey: '@IDENTITY#email#{address} / IDENTITY',
  subjectKey: '@IDENTITY#subject#{sha-256} / IDENTITY',
  usedTokenKey: '@TOKEN#{sha-256} / TOKEN',
  trustsOfIssuer: '@TRUSTED#{organization name}#{sha-256 of issuer}',
  trustOfIssuerKey: '@TRUSTED#{organization name}#{sha-256 of issuer} / {name}',
  userKey: '@USER#{name} / USER',
  memberKey: '{org}#MEMBER / {user id}',
  memberList: '{org}#MEMBER',
  flowNameKey: '{org}#FLOWNAME#{name} / NAME',
  flowPartition: '{org}#FLOW#{flow id}',
  flowHeadKey: '{org}#FLOW#{flow id} / HEAD',
  flowFactsKey: '{org}#FLOW#{flow id} / FACTS',
  flowTagsKey: '{org}#FLOW#{flow id} / TAGS',
  flowTagPartition: '{org}#FLOWTAG#{key}#{sha-256}',
  flowTagKey: '{org}#FLOWTAG#{key}#{sha-256} / {flow id}',
  trailPartition: '{org}#TRAIL#{flow id}#{trail}',
  trailHeadKey: '{org}#TRAIL#{flow id}#{trail} / H',
  trailFieldsKey: '{org}#TRAIL#{flow id}#{trail} / G',
  trailPastFieldsKey: '{org}#TRAIL#{flow id}#{trail} / F#0000000003',
  trailCommitKey: '{org}#TRAIL#{flow id}#{trail} / C#{digest}',
  trailRepoKey: '{org}#TRAIL#{flow id}#{trail} / R#{repo id}',
  artifactSlotItemKey: '{org}#TRAIL#{flow id}#{trail} / SA#{fingerprint}#{name}#{commit}',
  attestationSlotItemKey: '{org}#TRAIL#{flow id}#{trail} / SE#T#{name}#{type}',
  momentPartition: '{org}#MOMENT#{flow id}#{trail}',
  momentKey: '{org}#MOMENT#{flow id}#{trail} / 0000000003',
  runtimePartition: '{org}#RUNTIME#{flow id}#{trail}',
  attestationKey: '{org}#ATTESTATION#{id} / RECORD',
  artifactKey: '{org}#ARTIFACT#{id} / RECORD',
  shaPartition: '{org}#SHA#abcde',
  buildKey: '{org}#SHA#abcde / F#abcdef…',
  unreportedFingerprintKey: '{org}#SHA#abcde / U#abcdef…',
  commitEntryKey: '{org}#SHA#abcde / C#abcdef…#{report id}',
  fingerprintPartition: '{org}#FINGERPRINT#{fingerprint}',
  fingerprintFlowKey: '{org}#FINGERPRINT#{fingerprint} / FLOW#{flow id}',
  decisionPartition: '{org}#DECISION#{control}#F#{fingerprint}',
  repoPartition: '{org}#REPO#{external id}',
  repoKey: '{org}#REPO#{external id} / {provider}',
  repoIdKey: '{org}#REPOID#{repo id} / REPO',
  repoTagsKey: '{org}#REPOID#{repo id} / TAGS',
  repoTagPartition: '{org}#REPOTAG#{tag}#1',
  repoTagKey: '{org}#REPOTAG#{tag}#1 / {sha-256}#{repo id}5',
  typePartition: '{org}#TYPE#{name}',
  typeHeadKey: '{org}#TYPE#{name} / HEAD',
  typeVersionKey: '{org}#TYPE#{name} / V#0000000003',
  bodyPartition: '{org}#BODY#{sha-256}',
  bodyKey: '{org}#BODY#{sha-256} / BODY',
  bodyUseKey: '{org}#BODY#{sha-256} / USE#{user}',
  erasurePartition: '{org}#ERASURE',
  erasureKey: '{org}#ERASURE / evidence#{sha-256}',
  uploadKey: '{org}#UPLOAD#{upload id} / UPLOAD',
  cataloguePartition: '{org}#CATALOGUE#{kind}',
  catalogueKey: '{org}#CATALOGUE#{kind} / {id}',
  activityKey: '{org}#CATALOGUE#{kind} / {id}#ACTIVITY',
  seriesPartition: '{org}#SERIES#{series}#202611#0',
  seriesDirectory: '{org}#MILESTONES#{series}',
  seriesMonthsKey: '{org}#MILESTONES#{series} / MONTHS',
  seriesMilestoneKey: '{org}#MILESTONES#{series} / M#0000000512',
  seriesMilestoneIdKey: '{org}#MILESTONES#{series} / I#{entry id}',
  dueSeriesList: '{org}#SERIESLIST',
  dueSeriesKey: '{org}#SERIESLIST / {series}',
  idempotencyKey: '{org}#IDEMPOTENCY#{principal} / {digest}',
  environmentNameKey: '{org}#ENVNAME#{name} / NAME',
  environmentPartition: '{org}#ENV#{environment id}',
  environmentHeadKey: '{org}#ENV#{environment id} / HEAD',
  environmentDetailsPartition: '{org}#ENV',
  environmentFactsKey: '{org}#ENV / {environment id}#FACTS',
  environmentTagsKey: '{org}#ENV / {environment id}#TAGS',
  environmentLinksKey: '{org}#ENV / {environment id}#LINKS',
  environmentGroupKey: '{org}#ENV#{environment id} / IN#{logical id}',
  snapshotPartition: '{org}#SNAPSHOT#{environment id}',
  snapshotKey: '{org}#SNAPSHOT#{environment id} / S#0000000003',
  snapshotContentKey: '{org}#SNAPSHOT#{environment id} / C#0000000003',
  snapshotTimeKey: '{org}#SNAPSHOT#{environment id} / T#01800000000000000',
  snapshotStateKey: '{org}#SNAPSHOT#{environment id} / V#01800000000000000',
  expandedKey: '{org}#EXPANDED#{environment id} / HEAD',
  environmentEventPartition: '{org}#ENVEVENT#{environment id}',
  environmentEventKey: '{org}#ENVEVENT#{environment id} / 0000000003',
  repoEventPartition: '{org}#ENVEVENT#{environment id}#{repo id}',
  repoEventKey: '{org}#ENVEVENT#{environment id}#{repo id} / 0000000003',
  runningPartition: '{org}#RUNNING#{fingerprint}',
  runningKey: '{org}#RUNNING#{fingerprint} / {environment id}',
  flowRunsPartition: '{org}#FLOWRUNS#{flow id}',
  flowRunsKey: '{org}#FLOWRUNS#{flow id} / {environment id}',
  deploymentsPartition: '{org}#DEPLOYMENTS#{environment id}',
  deploymentsKey: '{org}#DEPLOYMENTS#{environment id} / 20261121',
  allowedPartition: '{org}#ALLOWED#{environment id}',
  allowedKey: '{org}#ALLOWED#{environment id} / {fingerprint}',
  allowedEntryKey: '{org}#ALLOWED#{environment id} / {fingerprint}#{entry id}',
  policyNameKey: '{org}#POLICYNAME#{name} / NAME',
  policyPartition: '{org}#POLICY',
  policyHeadKey: '{org}#POLICY / {policy id}',
  policyVersionKey: '{org}#POLICY / {policy id}#V#0000000003',
  policyEnvironmentKey: '{org}#POLICY / {policy id}#E#{environment id}',
  controlPolicyPartition: '{org}#CONTROLPOLICY#{control}',
  controlPolicyKey: '{org}#CONTROLPOLICY#{control} / {policy id}',
  controlPartition: '{org}#CONTROL#{identifier}',
  controlHeadKey: '{org}#CONTROL#{identifier} / HEAD',
  controlVersionKey: '{org}#CONTROL#{identifier} / V#0000000003',
  controlTagsKey: '{org}#CONTROL#{identifier} / TAGS',
  controlTagPartition: '{org}#CONTROLTAG#{tag}',
  controlTagKey: '{org}#CONTROLTAG#{tag} / {sha-256}#{control id}',
  evaluationKey: '{org}#EVALUATION#{id} / RECORD',
  pendingEvaluations: '@EVALUATING',
  pendingEvaluationKey: '@EVALUATING / 01800000000000000#{org}#{id}',
  actionPartition: '{org}#ACTION',
  actionCounterKey: '{org}#ACTIONS / COUNTER',
  notificationCountersKey: '{org}#ACTIONS / TURN',
  currentActionsPartition: '{org}#ACTIONS',
  currentActionKey: '{org}#ACTIONS / C#0000000002',
  actionKey: '{org}#ACTION / 0000000002#0000000001',
  actionNameKey: '{org}#ACTIONNAME#{kind}#{name} / NAME',
  actionSecretKey: '{org}#ACTIONSECRET#2 / SECRET',
  targetHealthPartition: '{org}#HEALTH',
  targetHealthKey: '{org}#HEALTH / 0000000002#{target}',
  deliveryPartition: '{org}#DELIVERY#2#202611',
  deliveryKey: '{org}#DELIVERY#2#202611 / {delivery}',
  attemptKey: '{org}#DELIVERY#2#202611 / {delivery}#001',
  deliveryListPartition: '{org}#DELIVERIES#202611',
  deliveryEntryKey: '{org}#DELIVERIES#202611 / {delivery}',
  duePartition: '@DUE#1',
  dueKey: '@DUE#1 / 01800000000000000#{org}#2#{delivery}1',
  notifiedOrganizations: '@NOTIFIED',
  notifiedOrganizationKey: '@NOTIFIED / {org}',
  positionKey: '{org}#RELAYED / {list}',
  activePartition: '@ACTIVE#1',
  activeKey: '@ACTIVE#1 / {org}1',
  sweepPositionKey: '@SWEEPS / {sweep}',
  setAsideList: '@ASIDE',
  setAsideKey: '@ASIDE / {sha-256}',
  exportPartition: '{org}#EXPORT',
  exportKey: '{org}#EXPORT / {id}',
  latestExportKey: '{org}#EXPORT#LATEST / LATEST',
  exportsErasureKey: '{org}#ERASURE#EXPORTS / EXPORTS',
  runningExports: '@EXPORTING',
  runningExportKey: '@EXPORTING / 01800000000000000#{org}#{id}',
  logPartition: '{org}#LOG',
  checkpointKey: '{org}#LOG / CHECKPOINT',
  cosignedKey: '{org}#LOG / COSIGNED',
  cosignersKey: '{org}#LOG / COSIGNERS',
  logHeadKey: '{org}#LOG / HEAD',
  logBatchKey: '{org}#LOG / B#0000000512',
  tileRootKey: '{org}#LOG / N#1#0000000003',
  walkKey: '{org}#LOG / WALK',
  trailClaimPartition: '{org}#LOGGED#T#{flow id}#{trail id}',
  trailClaimKey: '{org}#LOGGED#T#{flow id}#{trail id} / 0000000003',
  environmentClaimPartition: '{org}#LOGGED#E#{environment id}',
  environmentClaimKey: '{org}#LOGGED#E#{environment id} / 0000000003',
  backfillKey: '{org}#LOG / BACKFILL',
  witnessedKey: '@WITNESS#{SHA-256 of origin} / TREE',
  auditClaimKey: '{org}#LOGGED#A#202611 / {entry id}',
  evaluationClaimKey: '{org}#LOGGED#V#202611 / {evaluation id}',
  statementClaimKey: '{org}#LOGGED#S#ab / abcdef…',
  statementPartition: '{org}#STATEMENT#0',
  statementKey: '{org}#STATEMENT#a / abcdef…',
  accountList: '{org}#ACCOUNT',
  accountKey: '{org}#ACCOUNT / {name}',
  trustList: '{org}#TRUST',
  grantKey: '@GRANT#domain#{domain} / GRANT',
  offerList: '@OFFER#{user name}',
  offerKey: '@OFFER#{user name} / invitation#{org}',
  invitationList: '{org}#INVITED',
  invitationKey: '{org}#INVITED / {user name}',
  trustKey: '{org}#TRUST / {name}',
  refusedTokensKey: '{org}#REFUSED#{hour} / {reason}#{trust}',
  auditPartition: '{org}#AUDIT#202611',
  auditKey: '{org}#AUDIT#202611 / {entry id}',
};

/** What the modules of keys export beside keys and partitions. */
const OTHER = /^(?:sequence|instantSequence|family|directory|keyIn|storedKey|read[A-Z].*)$/;

const ALL_KEYS = {
  ...bodyKeys,
  ...controlKeys,
  ...environmentKeys,
  ...evaluationKeys,
  ...evidenceKeys,
  ...exportKeys,
  ...logKeys,
  ...notificationKeys,
  ...organizationKeys,
  ...policyKeys,
  ...seriesKeys,
  ...sweepKeys,
  ...tableKeys,
};
const partitionOf = (example: Example) => testPartition(typeof example === 'string' ? example : example.pk);
const DIRECTORY_FAMILIES = ['Directory', 'Notifications', 'Evaluations', 'Exports', 'Log', 'Sweeps'];

describe('the keys of the table', () => {
  test.each(ACCESS_PATTERNS.map(({ key, example }) => [key, keyPattern(example)]))('%s is %s', (key, pattern) => {
    expect(pattern).toBe(PINNED[key]);
  });

  test('are all among the access patterns, each once', () => {
    const exported = Object.entries(ALL_KEYS)
      .filter(([name, value]) => ['function', 'string'].includes(typeof value) && !OTHER.test(name))
      .map(([name]) => name);
    expect(ACCESS_PATTERNS.map(({ key }) => key).toSorted()).toEqual(exported.toSorted());
    expect(Object.keys(PINNED).toSorted()).toEqual(exported.toSorted());
  });

  test('begin with the organization and the record family, except for the directory', () => {
    for (const { family, key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      const foreign = DIRECTORY_FAMILIES.includes(family) && pk.startsWith('@');
      expect(foreign || /^\{org\}#[A-Z]+/.test(pk), key).toBe(true);
    }
  });

  test('are all different', () => {
    const patterns = ACCESS_PATTERNS.map(({ example }) => keyPattern(example));
    expect(new Set(patterns).size).toBe(patterns.length);
  });

  test('the keys of the table of decisions distinguish artifacts from trails', () => {
    expect(controlKeys.decisionPartition(testId('org'), 'control', { flow: testId('flow'), trail: 'trail' })).toBe(
      'org#DECISION#control#T#flow#trail',
    );
  });

  test('hold numbers so that text order is number order', () => {
    const numbers = [0, 1, 9, 10, 99, 256, 1e9];
    expect(numbers.map(tableKeys.sequence).toSorted()).toEqual(numbers.map(tableKeys.sequence));
  });

  test('the keys of the table of series and moments can be parsed, and other keys are not parsed as such', () => {
    const { pk } = entryItem(testId('org'), 'attestations?f=1&y=custom%3Aa', {
      id: '019b5f2e-3c00-0000-0000-00000000',
    });
    expect(seriesKeys.readSeriesPartition(pk)).toEqual({
      org: 'org',
      series: 'attestations?f=1&y=custom%3Aa',
      month: expect.stringMatching(/^20\d{4}$/),
    });
    expect(
      evidenceKeys.readMomentPartition(evidenceKeys.momentPartition(testId('org'), testId('flow'), 'trail')),
    ).toEqual({
      org: 'org',
      flow: 'flow',
      trail: 'trail',
    });
    for (const { key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      expect(seriesKeys.readSeriesPartition(pk) !== null, key).toBe(key === 'seriesPartition');
      expect(evidenceKeys.readMomentPartition(pk) !== null, key).toBe(key.startsWith('moment'));
    }
  });

  test('the keys of the table of subjects of the relay can be parsed, and other keys are not parsed as such', () => {
    const subjects =
      /^(?:snapshot|environment(?!Name|Event|Claim|Details|Facts|Tags|Links)|allowed|flow(?!Name|Tag[KP]|Runs))/;
    for (const { key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      const read = environmentKeys.readSubjectPartition(pk);
      expect(read !== null, key).toBe(subjects.test(key));
      if (read) expect(pk).toBe(`${read.org}#${read.family}#${read.subject}`);
      expect(policyKeys.readPolicyPartition(pk) !== null, key).toBe(/^policy(?!Name)/.test(key));
    }
  });
});

describe('docs/table.md', () => {
  test('equals the generated text; `npx node infra/write-table-document.ts` regenerates it', () => {
    expect(readFileSync(new URL('../../../docs/table.md', import.meta.url), 'utf8')).toBe(tableDocument());
  });
});
