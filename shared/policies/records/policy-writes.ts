import type { OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { controlPolicyKey } from '#shared/controls/records/keys.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { policyHeadKey, policyNameKey, policyVersionKey } from './keys.ts';
import type { PolicyVersion } from './policies.ts';
import type { PolicyHead, PolicyVersionItem } from './policy-records.ts';

/**
 * The most controls that one policy may name: a version that names as many others as the one before still fits one
 * transaction, with the request's claim and the policy's own items.
 */
export const MOST_CONTROLS = 45;

/** Who writes a version, and when. */
export interface PolicyStamp {
  at: Micros;
  by: string;
}

/** The text of a version made ready to be kept. */
export interface PreparedVersion {
  text: PreparedBody;
  /** SHA-256 (hex) of the text: the same again makes no new version. */
  digest: string;
  comment: string;
  /** Controls that it names, each once; at most {@link MOST_CONTROLS}. */
  controls: readonly string[];
}

export const digestOf = (text: string): string => sha256Hex(text);

export function prepareVersion(
  objects: Objects,
  org: OrganizationId,
  policy: PolicyId,
  version: { text: string; comment: string; controls: readonly string[] },
): PreparedVersion {
  const { text, comment, controls } = version;
  return {
    text: prepareBody(objects, org, text, `policy:${policy}`),
    digest: digestOf(text),
    comment,
    controls,
  };
}

/**
 * Makes a policy with its first version.
 * @param id minted by the caller: the version was made ready for it
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` where another writer took the name first, or what the refused claim said
 */
export async function createPolicy<C>(
  table: Table,
  org: OrganizationId,
  { id, name, description }: { id: PolicyId; name: string; description: string },
  version: PreparedVersion,
  { at, by }: PolicyStamp,
  claim: readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const { digest, controls, text } = version;
  const head: PolicyHead = { id, name, description, created: at, by, version: 1, digest, rev: 1 };
  return table.transact<'again' | C>([
    ...claim,
    putIfAbsent({ ...policyNameKey(org, name), v: 1, policy: id }, again),
    putIfAbsent({ ...policyHeadKey(org, id), v: 1, ...head }, again),
    versionWrite(org, head, version, { at, by }),
    ...text.writes,
    catalogueWrite(org, 'policy', id, { n: name }),
    ...controls.map((control) => namedWrite(org, control, id)),
  ]);
}

/** What changes of a policy; `version` with the newest one that there is, as it was read. */
export interface PolicyChange {
  description: string;
  version?: { prepared: PreparedVersion; newest: Pick<PolicyVersion, 'controls' | 'at'> } | undefined;
}

/**
 * Changes what is said of a policy, and adds a version where one is given (semantics §6.2).
 * @param head as it was read
 * @returns as {@link createPolicy}
 */
export async function changePolicy<C>(
  table: Table,
  org: OrganizationId,
  head: PolicyHead,
  { description, version }: PolicyChange,
  { at: now, by }: PolicyStamp,
  claim: readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const changed: PolicyHead = { ...head, description, rev: head.rev + 1 };
  if (!version) return table.transact<'again' | C>([...claim, headWrite(org, head, changed)]);
  const { prepared, newest } = version;
  const next: PolicyHead = { ...changed, version: head.version + 1, digest: prepared.digest };
  const [formerly, presently] = [new Set(newest.controls), new Set(prepared.controls)];
  return table.transact<'again' | C>([
    ...claim,
    headWrite(org, head, next),
    versionWrite(org, next, prepared, { at: after(newest.at, now), by }),
    ...prepared.text.writes,
    ...[...presently.difference(formerly)].map((control) => namedWrite(org, control, head.id)),
    ...[...formerly.difference(presently)].map((control) => ({ remove: controlPolicyKey(org, control, head.id) })),
  ]);
}

/** Writes a changed head over the one that was read. */
const headWrite = (org: OrganizationId, before: PolicyHead, head: PolicyHead): Write<'again'> => ({
  put: { ...policyHeadKey(org, head.id), v: 1, ...head },
  ConditionExpression: '#rev = :rev',
  ExpressionAttributeNames: { '#rev': 'rev' },
  ExpressionAttributeValues: { ':rev': before.rev },
  refused: again,
});

/** A number is given once: versions are never written over (design §2.1, §2.3). */
function versionWrite(
  org: OrganizationId,
  { id, version }: PolicyHead,
  { text, comment, controls }: PreparedVersion,
  { at, by }: PolicyStamp,
): Write<'again'> {
  const item: Omit<PolicyVersionItem, 'sk'> = { body: text.body, comment, at, by, controls: [...controls] };
  return putIfAbsent({ ...policyVersionKey(org, id, version), v: 1, ...item }, again);
}

/** Says that the newest version of a policy names a control. */
const namedWrite = (org: OrganizationId, control: string, policy: PolicyId): Write => ({
  put: { ...controlPolicyKey(org, control, policy), v: 1 },
});
