import * as z from 'zod';
import { type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { SHOWN_CONTROL, SHOWN_VERSION as SHOWN_CONTROL_VERSION } from '#shared/controls/records/controls.ts';
import { controlPartition } from '#shared/controls/records/keys.ts';
import { EVALUATIONS, readUnverifiedEvaluations } from '#shared/evaluations/records/evaluations.ts';
import {
  SHOWN_EXPECTATION,
  SHOWN_VERSION as SHOWN_EXPECTATION_VERSION,
} from '#shared/expectations/records/expectations.ts';
import { SHOWN_GAP } from '#shared/expectations/records/gaps.ts';
import { expectationList, expectationVersions, gapList } from '#shared/expectations/records/keys.ts';
import { StatementItem, statementPartitions } from '#shared/log/records/statements.ts';
import { actionPartition, deliveryPartition } from '#shared/notifications/records/keys.ts';
import { targetHealthRange } from '#shared/notifications/records/target-health.ts';
import { Attempt, Delivery, SHOWN_ACTION, ShownTarget, TargetHealth } from '#shared/notifications/rules/records.ts';
import { accountKeyList, readUsedKeys } from '#shared/organizations/records/api-keys.ts';
import { AuditRecord, auditHash } from '#shared/organizations/records/audit.ts';
import { OrganizationRecord, SHOWN_MEMBER } from '#shared/organizations/records/directory-records.ts';
import {
  accountList,
  auditPartition,
  memberList,
  organizationKey,
  trustList,
} from '#shared/organizations/records/keys.ts';
import { SHOWN_ACCOUNT } from '#shared/organizations/records/service-accounts.ts';
import { SHOWN_TRUST } from '#shared/organizations/records/trusts.ts';
import { policyPartition } from '#shared/policies/records/keys.ts';
import { SHOWN_POLICY, SHOWN_VERSION } from '#shared/policies/records/policy-records.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { SHOWN_TAGS } from '#shared/series/tag-items.ts';
import {
  recallList,
  recallVersions,
  signerList,
  signerVersions,
  trustRootList,
  trustRootVersions,
} from '#shared/signers/records/keys.ts';
import {
  SHOWN_RECALL,
  SHOWN_RECALL_VERSION,
  SHOWN_ROOT,
  SHOWN_ROOT_VERSION,
  SHOWN_SIGNER,
  SHOWN_SIGNER_VERSION,
} from '#shared/signers/records/versioned.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { matchList, watchList } from '#shared/watches/records/keys.ts';
import { SHOWN_MATCH } from '#shared/watches/records/matches.ts';
import { SHOWN_WATCH } from '#shared/watches/records/watches.ts';
import type { Section } from '../pages.ts';
import { linesOf, provedLine, provedLines, type Shape } from '../record-lines.ts';
import {
  batchesFamily,
  beginning,
  itemsFamily,
  type Keyed,
  type KeysFrom,
  listFamily,
  oneKey,
  plannedKeys,
  rangesFamily,
  recordKeys,
  whole,
} from '../walk.ts';

const ORGANIZATION: Shape = { item: 'organization', schema: OrganizationRecord };
const organization = listFamily('organization', ({ name }) => organizationKey(name).pk, ORGANIZATION);
const members = listFamily('members', ({ org }) => memberList(org), SHOWN_MEMBER);
const accounts = listFamily('service-accounts', ({ org }) => accountList(org), SHOWN_ACCOUNT);
const trusts = listFamily('trusts', ({ org }) => trustList(org), SHOWN_TRUST);
const actions = listFamily('actions', ({ org }) => actionPartition(org), SHOWN_ACTION);

const ACCOUNTS_AT_ONCE = 8;

/** The keys of service accounts, without their secrets and without the hashes of secrets. */
const accountKeys = batchesFamily({
  name: 'service-account-keys',
  keys: plannedKeys(({ accounts: names }) => names),
  lines: async ({ table, org, now }, keys) => {
    const read = await inParallel(keys, ACCOUNTS_AT_ONCE, ({ id }) =>
      readUsedKeys(table, accountKeyList(org, id), now),
    );
    return read.flatMap((used, i) =>
      used.map(({ current: { id, description, createdAt, expiresAt }, lastUsedAt }) => ({
        file: 'service-account-keys',
        record: { item: 'key', account: keys[i]?.id, id, description, createdAt, expiresAt, lastUsedAt },
      })),
    );
  },
});

const controls = itemsFamily({
  name: 'controls',
  keys: plannedKeys(({ controls: identifiers }) => identifiers),
  ranges: ({ org }, { id }) => [whole(controlPartition(org, id))],
  shapes: [
    { prefix: 'HEAD', ...SHOWN_CONTROL },
    { prefix: 'V#', ...SHOWN_CONTROL_VERSION },
    { prefix: 'TAGS', ...SHOWN_TAGS },
  ],
  more: (_, { id: control }) => ({ control }),
});

const POLICY_SHAPES: readonly Shape[] = [
  { prefix: 'V#', ...SHOWN_VERSION },
  { prefix: 'E#', item: 'attached_to', schema: z.object({}) },
  SHOWN_POLICY,
];

/** All policies share a partition, so sort keys begin with the id of the policy. */
const withoutPolicy = (item: Item): Item => ({
  ...item,
  ...keyIn(item.pk, item.sk.replace(/^[^#]+#/, '')),
});

const policies = rangesFamily({
  name: 'policies',
  keys: plannedKeys(({ policies: ids }) => ids),
  ranges: ({ org }, { id }) => [beginning(policyPartition(org), id)],
  lines: (_, items, { id: policy }) =>
    linesOf('policies', POLICY_SHAPES, items.map(withoutPolicy), ({ sk }) => ({
      policy,
      ...(sk.startsWith('V#') && { number: Number(sk.slice(2)) }),
      ...(sk.startsWith('E#') && { environment: sk.slice(2) }),
    })),
});

const evaluations = batchesFamily({
  name: 'evaluations',
  keys: recordKeys(EVALUATIONS),
  lines: async ({ table, org, logIndexes }, keys) => {
    const ids = keys.map(({ record }) => record);
    const [records, indexes] = await Promise.all([
      readUnverifiedEvaluations(table, org, ids),
      logIndexes(ids.map((evaluation) => ({ kind: 'evaluation', evaluation }))),
    ]);
    const indexOf = new Map(ids.map((id, i) => [id, indexes[i]]));
    return records.map((record) =>
      provedLine({ file: 'evaluations', record: { item: 'evaluation', ...record } }, indexOf.get(record.id)),
    );
  },
});

const trustRoots = itemsFamily({
  name: 'trust-roots',
  keys: oneKey,
  ranges: ({ org }) => [whole(trustRootList(org)), whole(trustRootVersions(org))],
  shapes: [{ prefix: 'V#', ...SHOWN_ROOT_VERSION }, SHOWN_ROOT],
});

const signers = itemsFamily({
  name: 'signers',
  keys: oneKey,
  ranges: ({ org }) => [whole(signerList(org)), whole(signerVersions(org))],
  shapes: [{ prefix: 'V#', ...SHOWN_SIGNER_VERSION }, SHOWN_SIGNER],
});

const recalls = itemsFamily({
  name: 'recalls',
  keys: oneKey,
  ranges: ({ org }) => [whole(recallList(org)), whole(recallVersions(org))],
  shapes: [{ prefix: 'V#', ...SHOWN_RECALL_VERSION }, SHOWN_RECALL],
});

const expectations = itemsFamily({
  name: 'expectations',
  keys: oneKey,
  ranges: ({ org }) => [whole(expectationList(org)), whole(expectationVersions(org))],
  shapes: [{ prefix: 'V#', ...SHOWN_EXPECTATION_VERSION }, SHOWN_EXPECTATION],
});

const gaps = itemsFamily({
  name: 'gaps',
  keys: oneKey,
  ranges: ({ org }) => [whole(gapList(org))],
  shapes: [SHOWN_GAP],
});

const watches = itemsFamily({
  name: 'watches',
  keys: oneKey,
  ranges: ({ org }) => [whole(watchList(org)), whole(matchList(org))],
  shapes: [{ prefix: 'M#', ...SHOWN_MATCH }, SHOWN_WATCH],
});

/** The numbers of actions as keys. They are padded, because keys are walked in the order of their texts. */
const actionNumbers = plannedKeys(({ actions: numbers }) => numbers.map((number) => String(number).padStart(10, '0')));

const health = itemsFamily({
  name: 'target-health',
  keys: actionNumbers,
  ranges: ({ org }, { id }) => {
    const { pk, prefix } = targetHealthRange(org, Number(id));
    return [beginning(pk, prefix)];
  },
  shapes: [{ item: 'target_health', schema: TargetHealth }],
  more: (_, { id }) => ({ action: Number(id) }),
});

const deliveries = rangesFamily({
  name: 'deliveries',
  keys: actionNumbers,
  ranges: ({ org, now }, { id }) =>
    monthsBetween(timeOfId(org), now).map((month) => whole(deliveryPartition(org, Number(id), month))),
  lines: (_, items, { id }) =>
    items.flatMap((item) => {
      const isAttempt = item.sk.includes('#');
      const shape: Shape = isAttempt
        ? { item: 'attempt', schema: Attempt }
        : { item: 'delivery', schema: Delivery.omit({ request: true }).extend({ target: ShownTarget }) };
      return linesOf('deliveries', [shape], [item], () => ({
        action: Number(id),
        ...(isAttempt && { delivery: item.sk.split('#')[0] }),
      }));
    }),
});

/** The SHA-256 of the entry in the log; undefined for an entry that cannot be read. */
const hashOf = (org: OrganizationId, item: Item): string | undefined => {
  const { data } = AuditRecord.safeParse(item);
  return data && auditHash(org, data);
};

const months: KeysFrom<Keyed> = async ({ org, now }, from, limit) =>
  monthsBetween(timeOfId(org), now)
    .filter((month) => from === null || month >= from)
    .slice(0, limit)
    .map((id) => ({ id }));

/** The audit log, which the archive has behind all records that its entries are about (rules/exports.md#order-of-reads). */
export const auditLog = rangesFamily({
  name: 'audit',
  keys: months,
  ranges: ({ org }, { id }) => [whole(auditPartition(org, id))],
  lines: async (context, items) => {
    const shape: Shape = { item: 'audit', schema: AuditRecord };
    const lines = linesOf('audit', [shape], items, (item) => ({ hash: hashOf(context.org, item) }));
    const subjects = items.map(({ sk: entry }) => ({ kind: 'audit' as const, entry }));
    return provedLines(context, lines, subjects);
  },
});

const statements = rangesFamily({
  name: 'statements',
  keys: oneKey,
  ranges: ({ org }) => statementPartitions(org).map(whole),
  lines: async (context, items) => {
    const digests = items.map((item) => Buffer.from(StatementItem.parse(item).digest).toString('hex'));
    // `sent` is work of the service.
    const shape: Shape = { item: 'statement', schema: StatementItem.omit({ sk: true, sent: true }) };
    const lines = linesOf('statements', [shape], items, ({ sk: id }) => ({ id }));
    const subjects = digests.map((digest) => ({ kind: 'statement' as const, digest }));
    return provedLines(context, lines, subjects);
  },
});

export const ADMINISTRATION: readonly Section[] = [
  organization,
  members,
  accounts,
  trusts,
  accountKeys,
  controls,
  policies,
  evaluations,
  expectations,
  gaps,
  watches,
  trustRoots,
  signers,
  recalls,
  actions,
  health,
  deliveries,
  statements,
];
