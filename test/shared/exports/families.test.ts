import { expect, test } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { familyOf } from '#shared/table/uses.ts';
import { WORK_FAMILIES } from '#test/support/records/work-families.ts';

/** The file of records that holds the items of a family (rules/exports.md#records). */
const EXPORTED: Readonly<Record<string, string>> = {
  '@ORG': 'organization',
  '@KEYS': 'service-account-keys',
  '@KEYUSE': 'service-account-keys',
  MEMBER: 'members',
  ACCOUNT: 'service-accounts',
  TRUST: 'trusts',
  AUDIT: 'audit',
  FLOW: 'flows',
  TRAIL: 'trails',
  MOMENT: 'moments',
  RUNTIME: 'runtime-events',
  ATTESTATION: 'attestations',
  ARTIFACT: 'artifacts',
  REPO: 'repos',
  REPOID: 'repos',
  TYPE: 'custom-types',
  CONTROL: 'controls',
  POLICY: 'policies',
  ENV: 'environments',
  SNAPSHOT: 'snapshots',
  ENVEVENT: 'environment-events',
  DEPLOYMENTS: 'deployments',
  EXPANDED: 'expansions',
  ALLOWED: 'allow-lists',
  EVALUATION: 'evaluations',
  STATEMENT: 'statements',
  ACTION: 'actions',
  HEALTH: 'target-health',
  DELIVERY: 'deliveries',
  BODY: 'templates, and the lines of the records that use a body',
  SERIES: 'builds; the other series list records that are exported',
  LOG: 'data/log',
  LOGGED: 'log_index',
};

/** Why the items of a family are in no export. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ...WORK_FAMILIES,
  '@KEY': 'hashes of secrets',
  '@SESSION': 'hashes of secrets',
  '@SESSIONS': 'hashes of secrets, for 12 hours',
  '@TOKEN': 'digests of tokens, until the tokens end',
  '@TRUSTED': 'follows from trusts',
  REFUSED: 'for two hours; the audit log says what was refused',
  '@IDENTITY': 'users belong to no organization',
  '@LETIN': 'follows from the sign-in rules of organizations',
  '@GRANT': 'follows from the grants of organizations',
  '@OFFER': 'what users were offered, and whether they declined, is not shown to organizations',
  INVITED: 'for 30 days; the audit log says who was invited',
  '@USER': 'users belong to no organization',
  '@MEMBEROF': 'says where to look; the memberships are exported',
  ACTIONSECRET: 'secrets',
  '@ORGS': 'work of sweeps',
  '@STATE': 'about the whole table: maintenance, data format, migration and imports',
  RELAYED: 'work of sweeps',
  SERIESLIST: 'work of the relay',
  ERASURE: 'progress of erasures; the audit log says what was erased',
  EXPORT: 'exports themselves',
  UPLOAD: 'uploads that no attestation names',
  FLOWNAME: 'follows from flows and the audit log',
  FLOWTAG: 'follows from tags of flows',
  REPOTAG: 'follows from tags of repositories',
  CONTROLTAG: 'follows from tags of controls',
  SHA: 'follows from artifacts and snapshots',
  FINGERPRINT: 'follows from artifacts',
  DECISION: 'follows from attestations',
  CONTROLPOLICY: 'follows from versions of policies',
  POLICYNAME: 'follows from policies',
  ENVNAME: 'follows from environments and the audit log',
  RUNNING: 'follows from snapshots',
  FLOWRUNS: 'follows from snapshots',
  ACTIONS: 'counters, and copies of the newest versions of actions',
  ACTIONNAME: 'follows from actions',
  DELIVERIES: 'follows from deliveries',
  CATALOGUE: 'follows from records; times of environments are in their lines',
  MILESTONES: 'follows from series',
};

test('every family of the table is exported or left out for a reason', () => {
  const families = ACCESS_PATTERNS.map(({ example }) => familyOf(typeof example === 'string' ? example : example.pk));
  expect([...Object.keys(EXPORTED), ...Object.keys(LEFT_OUT)].toSorted()).toEqual([...new Set(families)].toSorted());
});
