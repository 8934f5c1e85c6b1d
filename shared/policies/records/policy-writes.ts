import type { OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { LISTED_LIMIT, type PreparedBody, prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { type Covering, lineOf } from '#shared/bodies/covered-lines.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { controlPolicyKey } from '#shared/controls/records/keys.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { POLICIES } from '../rules/series-kinds.ts';
import { policyHeadKey, policyNameKey, policyVersionKey } from './keys.ts';
import type { PolicyVersion } from './policies.ts';
import { type PolicyHead, type PolicyVersionItem, SHOWN_POLICY, SHOWN_VERSION } from './policy-records.ts';

/** Who writes a version, and when. */
interface PolicyStamp {
  at: Micros;
  by: string;
}

/** A version that is ready to be stored. */
interface PreparedVersion {
  text: PreparedBody;
  /** SHA-256 (hex) of the text. A save with the digest of the newest version makes no new version. */
  digest: string;
  comment: string;
  /** Identifiers of the controls that the version names, each once; at most {@link MOST_CONTROLS}. */
  controls: readonly string[];
}

/** Computes the digest by which texts of policies are compared: SHA-256 in hex. */
export const digestOf = (text: string): string => sha256Hex(text);

/** Prepares a version of a policy. The caller uploads its text before it writes the version. */
export function prepareVersion(
  objects: Objects,
  org: OrganizationId,
  policy: PolicyId,
  version: { text: string; comment: string; controls: readonly string[] },
): PreparedVersion {
  const { text, comment, controls } = version;
  return {
    text: prepareBody(objects, org, text, `policy:${policy}`, { limit: LISTED_LIMIT }),
    digest: digestOf(text),
    comment,
    controls,
  };
}

/**
 * Creates a policy with its first version (`rules/policies.md#save-a-policy`).
 * @param id new id, for which the version was prepared
 * @param others returns the request's idempotency claim, which is the first write, so that its refusal decides the outcome,
 *   and the audit entry
 * @returns `again` if another writer took the name first, or what the refused claim returns
 */
export async function createPolicy<C>(
  table: Table,
  org: OrganizationId,
  { id, name, description }: { id: PolicyId; name: string; description: string },
  version: PreparedVersion,
  { at, by }: PolicyStamp,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const { digest, controls, text } = version;
  const head: PolicyHead = { id, name, description, created: at, by, version: 1, digest, rev: 1 };
  const covers = [coverOf('policies/policy', undefined, headLine(head)), versionCover(head, version, { at, by })];
  return table.transact<'again' | C>([
    ...others(covers),
    putIfAbsent({ ...policyNameKey(org, name), v: 1, policy: id }, again),
    putIfAbsent({ ...policyHeadKey(org, id), v: 1, ...head }, again),
    versionWrite(org, head, version, { at, by }),
    ...text.writes,
    catalogueWrite(org, POLICIES, id, { n: name }),
    ...controls.map((control) => controlReferenceWrite(org, control, id)),
  ]);
}

/** The changes of a policy. `version` has the new version and the newest one that is stored. */
export interface PolicyChange {
  description: string;
  version?: { prepared: PreparedVersion; newest: Pick<PolicyVersion, 'controls' | 'at'> } | undefined;
}

/**
 * Changes the description of a policy, and adds a version if the change has one (`rules/policies.md#versions`).
 * @param head the head as it was read
 * @returns as {@link createPolicy}
 */
export async function changePolicy<C>(
  table: Table,
  org: OrganizationId,
  head: PolicyHead,
  { description, version }: PolicyChange,
  { at: now, by }: PolicyStamp,
  others: Covering<C>,
): Promise<'done' | 'again' | C> {
  const changed: PolicyHead = { ...head, description, rev: head.rev + 1 };
  const headCover = (next: PolicyHead) => coverOf('policies/policy', headLine(head), headLine(next));
  if (!version) return table.transact<'again' | C>([...others([headCover(changed)]), headWrite(org, head, changed)]);
  const { prepared, newest } = version;
  const next: PolicyHead = { ...changed, version: head.version + 1, digest: prepared.digest };
  const previous = new Set(newest.controls);
  const current = new Set(prepared.controls);
  const stamp = { at: after(newest.at, now), by };
  return table.transact<'again' | C>([
    ...others([headCover(next), versionCover(next, prepared, stamp)]),
    headWrite(org, head, next),
    versionWrite(org, next, prepared, stamp),
    ...prepared.text.writes,
    ...[...current.difference(previous)].map((control) => controlReferenceWrite(org, control, head.id)),
    ...[...previous.difference(current)].map((control) => ({ remove: controlPolicyKey(org, control, head.id) })),
  ]);
}

/** Replaces the head that was read, if its `rev` is still the same. */
const headWrite = (org: OrganizationId, before: PolicyHead, head: PolicyHead): Write<'again'> => ({
  put: { ...policyHeadKey(org, head.id), v: 1, ...head },
  ...onlyIf(unchanged(before, 'rev')),
  refused: again,
});

const headLine = (head: PolicyHead) => lineOf(SHOWN_POLICY, head, { policy: head.id });

const versionCover = (head: PolicyHead, version: PreparedVersion, stamp: PolicyStamp): Cover =>
  coverOf(
    'policies/version',
    undefined,
    lineOf(SHOWN_VERSION, versionItem(version, stamp), { policy: head.id, number: head.version }),
  );

const versionItem = (
  { text, comment, controls }: PreparedVersion,
  { at, by }: PolicyStamp,
): Omit<PolicyVersionItem, 'sk'> => ({ body: text.body, comment, at, by, controls: [...controls] });

/** A version is written once and never overwritten (`rules/policies.md#versions`). */
const versionWrite = (
  org: OrganizationId,
  { id, version }: PolicyHead,
  prepared: PreparedVersion,
  stamp: PolicyStamp,
): Write<'again'> =>
  putIfAbsent({ ...policyVersionKey(org, id, version), v: 1, ...versionItem(prepared, stamp) }, again);

/** Records that the newest version of a policy names a control. */
const controlReferenceWrite = (org: OrganizationId, control: string, policy: PolicyId): Write => ({
  put: { ...controlPolicyKey(org, control, policy), v: 1 },
});
