import { expect, test } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { familyOf } from '#shared/table/uses.ts';

/** The file of records that holds the items of a family (rules/exports.md#records). */
const EXPORTED: Readonly<Record<string, string>> = {
  '@ORG': 'organization',
  '@KEYS': 'service-account-keys',
  '@KEYUSE': 'service-account-keys',
  MEMBER: 'members',
  ACCOUNT: 'service-accounts',
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
  '@KEY': 'hashes of secrets',
  '@SESSION': 'hashes of secrets',
  '@SESSIONS': 'hashes of secrets, for 12 hours',
  '@USER': 'users belong to no organization',
  '@MEMBEROF': 'says where to look; the memberships are exported',
  ACTIONSECRET: 'secrets',
  '@ORGS': 'work of sweeps',
  '@EVALUATING': 'work of sweeps',
  '@DUE': 'work of sweeps',
  '@NOTIFIED': 'work of sweeps',
  '@ACTIVE': 'work of sweeps',
  '@SWEEPS': 'work of sweeps',
  '@ASIDE': 'work of sweeps',
  '@EXPORTING': 'work of sweeps',
  '@WITNESS': 'logs of others',
  RELAYED: 'work of sweeps',
  EXPANDED: 'work of the expander',
  SERIESLIST: 'work of the relay',
  ERASURE: 'progress of erasures; the audit log says what was erased',
  EXPORT: 'exports themselves',
  UPLOAD: 'uploads that no attestation names',
  IDEMPOTENCY: 'answers of the last 24 hours',
  FLOWNAME: 'follows from flows and the audit log',
  FLOWTAG: 'follows from tags of flows',
  REPOTAG: 'follows from tags of repositories',
  SHA: 'follows from artifacts and snapshots',
  FINGERPRINT: 'follows from artifacts',
  DECISION: 'follows from attestations',
  CONTROLPOLICY: 'follows from versions of policies',
  POLICYNAME: 'follows from policies',
  ENVNAME: 'follows from environments and the audit log',
  RUNNING: 'follows from snapshots',
  FLOWRUNS: 'follows from snapshots',
  ACTIONS: 'counters',
  ACTIONNAME: 'follows from actions',
  CATALOGUE: 'follows from records; times of environments are in their lines',
  MILESTONES: 'follows from series',
};

test('every family of the table is exported or left out for a reason', () => {
  const families = ACCESS_PATTERNS.map(({ example }) => familyOf(typeof example === 'string' ? example : example.pk));
  expect([...Object.keys(EXPORTED), ...Object.keys(LEFT_OUT)].toSorted()).toEqual([...new Set(families)].toSorted());
});
