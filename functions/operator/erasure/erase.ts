import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import type { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { retrying } from '#shared/base/retry.ts';
import {
  type Erasure,
  type ErasurePlan,
  isFileUse,
  pendingDone,
  pendingWrite,
  readPending,
  useRemoval,
  usesOf,
} from '#shared/bodies/erasure.ts';
import { evaluationsSince, type PinnedEvaluation } from '#shared/evaluations/erase-evaluation.ts';
import { exportsErasureWrite } from '#shared/exports/erase-exports.ts';
import { type AuditedChange, auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import type { Write } from '#shared/table/table.ts';
import {
  type ErasureServices,
  planSubject,
  type ReadTrail,
  type Subject,
  subjectKey,
  subjectOfUse,
} from './subjects.ts';

/** Everything that an erasure covers, before anything is written. */
interface Scope {
  subjects: Subject[];
  /** Ids of evaluations that may still store a copy. */
  pending: string[];
}

/** A request that is still running may store the same content for a record of its own (rules/erasure.md#order-of-steps). */
const SETTLED_AFTER = 60_000_000;
/** Writes of one transaction. */
const WRITES_AT_ONCE = 90;
/** Entries of the log that one audit entry of an erasure names: about 30 KB, so a transaction stays below 4 MB. */
const HASHES_OF_ENTRY = 400;
/** Names that a sentence lists at most. */
const NAMED = 10;

/**
 * Finds all records that contain copies of a subject's texts. Reads only.
 *
 * @param allUses whether other records that use the same content are erased too
 * @returns a sentence if the erasure is refused
 */
export async function findScope(
  services: ErasureServices,
  org: OrganizationId,
  target: Subject,
  { allUses, erased }: { allUses: boolean; erased: Erasure },
): Promise<Scope | string> {
  const queue: Subject[] = [target];
  const known = new Map<string, Subject>();
  const pending = new Set<string>();
  const followed = new Set<string>();
  const evaluations = new EvaluationsOfTrails(services, org, erased.at);
  const plans: ErasurePlan[] = [];
  while (queue.length > 0) {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (known.has(subjectKey(next))) continue;
      const step = await planSubject(services, org, next, erased);
      if (!step && next === target) return 'There is no such record in the organization';
      if (!step) continue;
      known.set(subjectKey(next), next);
      if (step.isPending && next.kind === 'evaluation') {
        if (next === target) return 'The evaluation is pending. Repeat the command when the evaluation has ended';
        pending.add(next.id);
        known.delete(subjectKey(next));
        continue;
      }
      plans.push(step.plan);
      queue.push(...step.copies, ...(step.readBy ? await evaluations.of(step.readBy) : []));
    }
    const others = await otherUses(services, org, plans);
    if (typeof others === 'string') return others;
    const named = others.map(({ user }) => user);
    if (others.length > 0 && !allUses) {
      return `Other records use the same content: ${listed(named)}. To erase it in all of them, give --all-uses`;
    }
    for (const { user, sha256 } of others) {
      const subject = subjectOfUse(user, sha256);
      const use = `${sha256} ${user}`;
      // A use that is left after its record was planned belongs to a part of the record that no command erases.
      if (!subject || followed.has(use)) return `The content is also used by ${user}, which no command erases`;
      followed.add(use);
      queue.push(subject);
    }
  }
  const fresh = await freshObject(services, org, plans, erased.at);
  if (fresh) return fresh;
  return { subjects: [...known.values()], pending: [...pending] };
}

const listed = (names: readonly string[]): string =>
  names.length > NAMED ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more` : names.join(', ');

/** @returns uses of planned objects by records that are not planned; a sentence if one is a shared body */
async function otherUses(
  { table }: ErasureServices,
  org: OrganizationId,
  plans: readonly ErasurePlan[],
): Promise<{ user: string; sha256: string }[] | string> {
  const all = plans.flatMap(({ objects }) => objects);
  const planned = new Set(all.map(({ sha256, user }) => `${sha256} ${user}`));
  const found: { user: string; sha256: string }[] = [];
  for (const { prefix, sha256 } of all) {
    const { isShared, users } = await usesOf(table, org, sha256);
    if (isShared && prefix === 'bodies') return 'The text is also a template. Templates cannot be erased';
    for (const user of users) {
      if (isFileUse(user) === (prefix === 'evidence') && !planned.has(`${sha256} ${user}`))
        found.push({ user, sha256 });
    }
  }
  return found;
}

/** @returns a sentence if an object was stored so recently that a running request may still be about to use it */
async function freshObject(
  { objects }: ErasureServices,
  org: OrganizationId,
  plans: readonly ErasurePlan[],
  now: number,
): Promise<string | undefined> {
  for (const { prefix, sha256 } of plans.flatMap((plan) => plan.objects)) {
    const versions = await objects.versions(prefix, org, sha256);
    if (versions.some(({ at }) => at > now - SETTLED_AFTER)) {
      return 'The content was stored less than a minute ago. Repeat the command in a minute';
    }
  }
  return undefined;
}

/** Finds the evaluations that read a trail. All evaluations since an instant are read once. */
class EvaluationsOfTrails {
  readonly #services: ErasureServices;
  readonly #org: OrganizationId;
  readonly #now: number;
  #since = Number.POSITIVE_INFINITY;
  #read: PinnedEvaluation[] = [];

  constructor(services: ErasureServices, org: OrganizationId, now: number) {
    this.#services = services;
    this.#org = org;
    this.#now = now;
  }

  async of({ flow, trail, number, at }: ReadTrail): Promise<Subject[]> {
    if (at < this.#since) {
      this.#read = await evaluationsSince(this.#services, this.#org, at, this.#now);
      this.#since = at;
    }
    return this.#read
      .filter(({ pins }) => pins.some((pin) => pin.flow === flow && pin.trail === trail && pin.number >= number))
      .map(({ record }) => ({ kind: 'evaluation', id: record.id }));
  }
}

/**
 * Erases one subject in the table. A subject that is erased already is skipped. The removals of objects are noted in the
 * same transactions.
 *
 * @returns what was erased; null if there was nothing to erase
 */
export async function eraseInTable(
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
    const notes = [...new Map(distinct.map((object) => [object.prefix + object.sha256, object])).values()];
    const change: AuditedChange = {
      kind: 'evidence.erased',
      subject: { type: subject.kind, id: idOf(subject), name: what },
      after: { reason: erased.reason },
    };
    const stamp = { at: erased.at, actor: OPERATOR };
    const entries = naming(change, { removed, covers }).map((one) => auditWrite(org, stamp, one));
    // The entries come before the texts go. Without the notes, an interrupted erasure would leave objects that nothing names.
    const all: Write<'again'>[] = [
      exportsErasureWrite(org, erased),
      ...entries,
      ...notes.map((object) => pendingWrite(org, object, erased.at)),
      ...writes,
      ...distinct.map((object) => useRemoval(org, object)),
    ];
    for (const batch of batchesOf(all, WRITES_AT_ONCE)) {
      if ((await services.table.transact(batch)) === 'again') return 'again';
    }
    return { done: what };
  });
  return done;
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

/** The outcome of the removals of objects. */
interface Removals {
  versions: number;
  /** Objects with versions that Object Lock keeps. */
  locked: string[];
  /** Objects that a record uses again, or still. */
  used: string[];
}

/**
 * Removes the noted objects from the bucket, with all versions that were stored before their erasure. An object that a
 * record uses stays noted.
 */
export async function removeObjects({ table, objects }: ErasureServices, org: OrganizationId): Promise<Removals> {
  const removals: Removals = { versions: 0, locked: [], used: [] };
  for (const note of await readPending(table, org)) {
    const { prefix, sha256, at } = note;
    const { users } = await usesOf(table, org, sha256);
    const old = (await objects.versions(prefix, org, sha256)).filter((version) => version.at <= at);
    if (old.length > 0 && users.some((user) => isFileUse(user) === (prefix === 'evidence'))) {
      removals.used.push(`${prefix}/${org}/${sha256}`);
      continue;
    }
    let isLocked = false;
    for (const { version } of old) {
      if (await objects.removeVersion(prefix, org, sha256, version)) removals.versions += 1;
      else isLocked = true;
    }
    if (isLocked) removals.locked.push(`${prefix}/${org}/${sha256}`);
    else await table.write(pendingDone(org, note));
  }
  return removals;
}
