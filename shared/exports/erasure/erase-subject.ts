import { type AttestationId, type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import type { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { retrying } from '#shared/base/retry.ts';
import { type Erasure, pendingWrite, useRemoval } from '#shared/bodies/erasure.ts';
import { type AuditedChange, auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import type { Write } from '#shared/table/table.ts';
import { exportsErasureWrite } from '../erase-exports.ts';
import { type ErasureServices, planSubject, type Subject } from './subjects.ts';

/** Writes of one transaction. */
const WRITES_AT_ONCE = 90;
/** Entries of the log that one audit entry of an erasure names: about 30 KB, so a transaction stays below 4 MB. */
const HASHES_OF_ENTRY = 400;

/**
 * Erases one subject in the table. A subject that is erased already is skipped. The same
 * transactions store which objects are to be removed. The index of components forgets an erased SBOM.
 *
 * @returns what was erased; null if there was nothing to erase
 */
export async function eraseSubject(
  services: ErasureServices,
  org: OrganizationId,
  subject: Subject,
  erased: Erasure,
): Promise<string | null> {
  const { done } = await retrying(async () => {
    const step = await planSubject(services, org, subject, erased);
    if (!step || step.plan.writes.length === 0) return { done: null };
    const { what, writes, objects, upload, removed = {}, covers } = step.plan;
    await upload?.();
    const distinct = [...new Map(objects.map((object) => [JSON.stringify(object), object])).values()];
    const removals = [...new Map(distinct.map((object) => [object.prefix + object.sha256, object])).values()];
    const change: AuditedChange = {
      kind: 'evidence.erased',
      subject: { type: subject.kind, id: idOf(subject), name: what },
      after: { reason: erased.reason },
    };
    const stamp = { at: erased.at, actor: OPERATOR };
    const entries = naming(change, { removed, covers }).map((one) => auditWrite(org, stamp, one));
    // The entries come before the texts go. Without the removals, an interrupted erasure would leave objects that nothing names.
    const all: Write<'again'>[] = [
      exportsErasureWrite(org, erased),
      ...entries,
      ...removals.map((object) => pendingWrite(org, object, erased.at)),
      ...writes,
      ...distinct.map((object) => useRemoval(org, object)),
    ];
    for (const batch of batchesOf(all, WRITES_AT_ONCE)) {
      if ((await services.table.transact(batch)) === 'again') return 'again';
    }
    return { done: what };
  });
  // Also if nothing was left to erase: an interrupted erasure may have left the index as it was.
  if (subject.kind === 'attestation' || subject.kind === 'attachment') {
    await forgetErasedSbom(services, org, subject.id);
  }
  return done;
}

/** Loaded at the first use: the index knows package URLs, which no other part of an erasure needs. */
async function forgetErasedSbom(services: ErasureServices, org: OrganizationId, id: Id): Promise<void> {
  const { forgetSbom } = await import('#shared/components/forget-sbom.ts');
  if (isId<AttestationId>(id)) await forgetSbom(services, org, id);
}

/**
 * Returns the changes of the audit entries that name everything that an erasure removes
 * (rules/erasure.md#audit-of-an-erasure). The first one has the covers.
 */
export function naming(
  change: AuditedChange,
  { removed, covers = [] }: { removed: Removed; covers?: readonly Cover[] | undefined },
): AuditedChange[] {
  const [first = [], ...rest] = batchesOf(Object.entries(removed), HASHES_OF_ENTRY);
  const namesOf = (part: [string, string[]][]) => (part.length > 0 ? { removed: Object.fromEntries(part) } : {});
  return [{ ...change, ...namesOf(first), covers }, ...rest.map((part) => ({ ...change, ...namesOf(part) }))];
}

const idOf = (subject: Subject): Id | undefined => {
  if ('id' in subject) return subject.id;
  return 'flow' in subject ? subject.flow : undefined;
};
