import type { OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { controlPolicyKey } from '#shared/controls/records/keys.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, type Write } from '#shared/table/table.ts';
import { POLICIES } from '../rules/series-kinds.ts';
import { policyHeadKey, policyNameKey, policyVersionKey } from './keys.ts';
import { type PolicyHead, type PolicyVersionItem, SHOWN_POLICY, SHOWN_VERSION } from './policy-records.ts';

/** A version as it is stored. Its number is that of the head. */
type NewVersion = Omit<PolicyVersionItem, 'sk'>;

/**
 * Returns the writes that store a new or a changed policy, and what its audit entry covers. Their outcome is `again` if
 * another writer took the name or changed the head first.
 *
 * @param before the head as it was read; null for a new policy
 * @param version the version that the change adds, if any. A version is never overwritten (`rules/policies.md#versions`)
 */
export function policyWrites(
  org: OrganizationId,
  before: PolicyHead | null,
  head: PolicyHead,
  version: NewVersion | undefined,
): { covers: Cover[]; writes: Write<'again'>[] } {
  const { id, name } = head;
  const line = (one: PolicyHead) => lineOf(SHOWN_POLICY, one, { policy: id });
  const covers = [coverOf('policies/policy', before ? line(before) : undefined, line(head))];
  const item = { ...policyHeadKey(org, id), v: 1, ...head };
  const writes: Write<'again'>[] = before
    ? [{ put: item, ...onlyIf(unchanged(before, 'rev')), refused: again }]
    : [putIfAbsent({ ...policyNameKey(org, name), v: 1, policy: id }, again), putIfAbsent(item, again)];
  if (version) {
    const shown = lineOf(SHOWN_VERSION, version, { policy: id, number: head.version });
    covers.push(coverOf('policies/version', undefined, shown));
    writes.push(putIfAbsent({ ...policyVersionKey(org, id, head.version), v: 1, ...version }, again));
  }
  if (!before || before.silence !== head.silence) writes.push(catalogueWrite(org, POLICIES, id, policyEntry(head)));
  return { covers, writes };
}

/** The entry of the catalogue: name, and `max_silence` if the newest version has it. */
const policyEntry = ({ name, silence }: Pick<PolicyHead, 'name' | 'silence'>) => ({
  n: name,
  ...(silence !== undefined && { q: silence }),
});

/** Returns the writes after which exactly the controls of the newest version refer to the policy. */
export function referenceWrites(
  org: OrganizationId,
  policy: PolicyId,
  previous: readonly string[],
  current: readonly string[],
): Write[] {
  const [before, now] = [new Set(previous), new Set(current)];
  return [
    ...[...now.difference(before)].map((control) => ({ put: { ...controlPolicyKey(org, control, policy), v: 1 } })),
    ...[...before.difference(now)].map((control) => ({ remove: controlPolicyKey(org, control, policy) })),
  ];
}
