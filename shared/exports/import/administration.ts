import * as z from 'zod';
import { PolicyId } from '#shared/base/ids.ts';
import { LISTED_LIMIT } from '#shared/bodies/bodies.ts';
import { ControlHead, SHOWN_VERSION as SHOWN_CONTROL_VERSION } from '#shared/controls/records/controls.ts';
import { controlHeadKey, controlTagKey, controlTagsKey, controlVersionKey } from '#shared/controls/records/keys.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { ongoingItem } from '#shared/expectations/records/gaps.ts';
import { expectationKey, expectationVersionKey, expectingKey, gapKey } from '#shared/expectations/records/keys.ts';
import { Expectation } from '#shared/expectations/rules/expectation.ts';
import { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { statementKey } from '#shared/log/records/keys.ts';
import { StatementItem, statementUser } from '#shared/log/records/statements.ts';
import { MemberRecord } from '#shared/organizations/records/directory-records.ts';
import { auditKey, memberKey } from '#shared/organizations/records/keys.ts';
import { type AccountRecord, accountWrites, SHOWN_ACCOUNT } from '#shared/organizations/records/service-accounts.ts';
import { policyVersionKey } from '#shared/policies/records/keys.ts';
import { PolicyHead, PolicyVersionItem } from '#shared/policies/records/policy-records.ts';
import { policyWrites, referenceWrites } from '#shared/policies/records/policy-writes.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import {
  recallKey,
  recallVersionKey,
  signerKey,
  signerVersionKey,
  trustRootKey,
  trustRootVersionKey,
} from '#shared/signers/records/keys.ts';
import { RecallRecord } from '#shared/signers/rules/recall-records.ts';
import { SignerRecord, TrustRootRecord } from '#shared/signers/rules/records.ts';
import type { Item } from '#shared/table/table.ts';
import { matchKey, watchKey } from '#shared/watches/records/keys.ts';
import { Match } from '#shared/watches/rules/match.ts';
import { Watch } from '#shared/watches/rules/watch.ts';
import { groups, type ImportFamily, lineFamily } from './family.ts';
import { tagsItems } from './flows.ts';
import { Hex, putsOf, type Restoring, restoredBody, restoredText, ShownBody } from './restored.ts';
import type { ImportLine } from './source.ts';

/** People and accounts, controls, policies, expectations, trust roots, signers, recalls, statements and the audit log. */

const members = lineFamily('members', {
  // Which users of the region they are is decided when everything else is there.
  member: ({ org }, line) => {
    const member = MemberRecord.parse(line);
    return [{ ...memberKey(org, member.principal), ...member }];
  },
});

const accounts = lineFamily('service-accounts', {
  service_account: ({ org }, line) => {
    const account: AccountRecord = { ...SHOWN_ACCOUNT.schema.parse(line), rev: 1 };
    return putsOf(accountWrites(org, { after: account }).writes);
  },
});

/** Keys of service accounts. Their secrets are in no export, so they are made again. */
const accountKeys: ImportFamily = { name: 'service-account-keys', kinds: ['key'], async *items() {} };

const ControlLine = ControlHead.extend({ content: ShownBody });
const ControlVersionLine = SHOWN_CONTROL_VERSION.schema.extend({ content: ShownBody, control: z.string() });
const ControlTagsLine = z.object({ control: z.string(), tags: z.record(z.string(), z.string()) });
const NamedContent = z.object({ name: z.string() });

async function controlItems(restoring: Restoring, lines: readonly ImportLine[]): Promise<Item[]> {
  const { org } = restoring;
  const of = (kind: string) => lines.filter(({ item }) => item === kind);
  const items: Item[] = [];
  const { content: shown, ...head } = ControlLine.parse(of('control')[0]);
  const { id, identifier, archived } = head;
  const user = `control:${identifier}`;
  const { body: content, items: uses } = await restoredBody(restoring, shown, user);
  const { name } = NamedContent.parse(JSON.parse(await restoredText(restoring, shown)));
  items.push({ ...controlHeadKey(org, identifier), v: 1, ...head, content }, ...uses);
  items.push(...putsOf([catalogueWrite(org, CONTROLS, id, { n: name, i: identifier, a: archived })]));
  for (const line of of('version')) {
    const { content: shown, control: _, ...version } = ControlVersionLine.parse(line);
    const { body: content, items: uses } = await restoredBody(restoring, shown, user);
    items.push({ ...controlVersionKey(org, identifier, version.version), v: 1, ...version, content }, ...uses);
  }
  for (const line of of('tags')) {
    const { tags } = ControlTagsLine.parse(line);
    const entry = (tag: string, value: string) => controlTagKey(org, tag, value, id);
    items.push(...tagsItems({ item: controlTagsKey(org, identifier), entry }, tags));
  }
  return items;
}

const controls: ImportFamily = {
  name: 'controls',
  kinds: ['control', 'version', 'tags'],
  async *items(restoring) {
    const lines = restoring.source.lines('controls');
    for await (const group of groups(lines, ({ control }) => String(control)))
      yield await controlItems(restoring, group);
  },
};

const PolicyLine = PolicyHead.extend({ policy: PolicyId });
const PolicyVersionLine = PolicyVersionItem.omit({ sk: true }).extend({
  policy: PolicyId,
  number: z.int(),
  body: ShownBody,
});

const policies: ImportFamily = {
  name: 'policies',
  // To which environments a policy is attached is written with the environments.
  kinds: ['policy', 'version', 'attached_to'],
  async *items(restoring) {
    const { org } = restoring;
    const lines = restoring.source.lines('policies');
    for await (const group of groups(lines, ({ policy }) => String(policy))) {
      const { policy: id, ...head } = PolicyLine.parse(group.find(({ item }) => item === 'policy'));
      yield putsOf(policyWrites(org, null, head, undefined).writes);
      for (const line of group.filter(({ item }) => item === 'version')) {
        const { policy: _, number, body: shown, ...version } = PolicyVersionLine.parse(line);
        const { body, items } = await restoredBody(restoring, shown, `policy:${id}`, LISTED_LIMIT);
        yield [{ ...policyVersionKey(org, id, number), v: 1, ...version, body }, ...items];
        if (number === head.version) yield putsOf(referenceWrites(org, id, [], version.controls));
      }
    }
  },
};

const expectations = lineFamily('expectations', {
  expectation: ({ org }, line) => {
    const expectation = Expectation.parse(line);
    // The first look at the organization is due at once.
    return [
      { ...expectationKey(org, expectation.name), ...expectation },
      { ...expectingKey(org), v: 1, nextAt: expectation.changedAt },
    ];
  },
  version: ({ org }, line) => {
    const version = Expectation.parse(line);
    return [{ ...expectationVersionKey(org, version.name, version.version), ...version }];
  },
});

const gaps = lineFamily('gaps', {
  gap: ({ org }, line) => {
    const gap = Gap.parse(line);
    return [{ ...gapKey(org, gap.id), ...gap }, ...(gap.until === null ? [ongoingItem(org, gap)] : [])];
  },
});

const watches = lineFamily('watches', {
  watch: ({ org }, line) => {
    const watch = Watch.parse(line);
    return [{ ...watchKey(org, watch.name), ...watch }];
  },
  match: ({ org }, line) => {
    const match = Match.parse(line);
    return [{ ...matchKey(org, match.id), ...match }];
  },
});

const trustRoots = lineFamily('trust-roots', {
  trust_root: ({ org }, line) => {
    const root = TrustRootRecord.parse(line);
    return [{ ...trustRootKey(org, root.name), ...root }];
  },
  version: ({ org }, line) => {
    const version = TrustRootRecord.parse(line);
    return [{ ...trustRootVersionKey(org, version.name, version.version), ...version }];
  },
});

const signers = lineFamily('signers', {
  signer: ({ org }, line) => {
    const signer = SignerRecord.parse(line);
    return [{ ...signerKey(org, signer.name), ...signer }];
  },
  version: ({ org }, line) => {
    const version = SignerRecord.parse(line);
    return [{ ...signerVersionKey(org, version.name, version.version), ...version }];
  },
});

const recalls = lineFamily('recalls', {
  recall: ({ org }, line) => {
    const recall = RecallRecord.parse(line);
    return [{ ...recallKey(org, recall.name), ...recall }];
  },
  version: ({ org }, line) => {
    const version = RecallRecord.parse(line);
    return [{ ...recallVersionKey(org, version.name, version.version), ...version }];
  },
});

const StatementLine = StatementItem.omit({ sk: true, sent: true }).extend({
  id: z.string(),
  payload: ShownBody,
  digest: Hex,
  signature: Hex,
  publicKey: Hex,
});

const statements = lineFamily('statements', {
  async statement(restoring, line) {
    const { id, payload: shown, ...statement } = StatementLine.parse(line);
    const { org, clock } = restoring;
    const { body: payload, items } = await restoredBody(restoring, shown, statementUser(id));
    return [{ ...statementKey(org, id), v: 1, ...statement, payload, sent: clock.now() }, ...items];
  },
});

const AuditLine = z.looseObject({
  id: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  salts: z.object({ entry: Hex, values: Hex.optional() }),
  commitments: z.object({ entry: Hex, values: Hex }),
});

/** Members of a line that its item does not have. */
const ONLY_OF_LINES = ['item', 'log_index', 'hash'];

const valuesText = (values: unknown): string | null => (values === null ? null : JSON.stringify(values));

const audit = lineFamily('audit', {
  audit: ({ org }, line) => {
    const { id, before, after, salts, commitments: pledges, ...rest } = AuditLine.parse(line);
    const lasting = Object.fromEntries(Object.entries(rest).filter(([name]) => !ONLY_OF_LINES.includes(name)));
    const values = { before: valuesText(before), after: valuesText(after) };
    return [{ ...auditKey(org, monthOf(id), id), ...lasting, id, ...values, salts, pledges }];
  },
});

export const ADMINISTRATION_FAMILIES: readonly ImportFamily[] = [
  members,
  accounts,
  accountKeys,
  controls,
  policies,
  expectations,
  gaps,
  watches,
  trustRoots,
  signers,
  recalls,
  statements,
  audit,
];
