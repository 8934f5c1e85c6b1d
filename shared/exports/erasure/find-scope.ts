import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Erasure, type ErasurePlan, isFileUse, usesOf } from '#shared/bodies/erasure.ts';
import { evaluationsSince, type PinnedEvaluation } from '#shared/evaluations/erase-evaluation.ts';
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

/** Why nothing is erased (rules/erasure.md#other-uses-of-the-content). */
export type ScopeRefusal =
  | { refused: 'no record' }
  /** The evaluation has not ended. */
  | { refused: 'pending' }
  /** Other records use the same content, and the caller did not ask to erase it in all of them. */
  | { refused: 'other uses'; users: string[] }
  /** The content is used by what no erasure reaches. */
  | { refused: 'not erasable'; user: string }
  /** The text is also a template. */
  | { refused: 'template' }
  /** The content was stored so recently that a running request may still be about to use it. */
  | { refused: 'fresh' };

/**
 * Finds all records that contain copies of a subject's texts. Reads only.
 *
 * @param allUses whether other records that use the same content are erased too
 * @returns a refusal if nothing may be erased
 */
export async function findScope(
  services: ErasureServices,
  org: OrganizationId,
  target: Subject,
  { allUses, erased }: { allUses: boolean; erased: Erasure },
): Promise<Scope | ScopeRefusal> {
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
      if (!step && next === target) return { refused: 'no record' };
      if (!step) continue;
      known.set(subjectKey(next), next);
      if (step.isPending && next.kind === 'evaluation') {
        if (next === target) return { refused: 'pending' };
        pending.add(next.id);
        known.delete(subjectKey(next));
        continue;
      }
      plans.push(step.plan);
      queue.push(...step.copies, ...(step.readBy ? await evaluations.of(step.readBy) : []));
    }
    const others = await otherUses(services, org, plans);
    if (others === 'template') return { refused: 'template' };
    if (others.length > 0 && !allUses) return { refused: 'other uses', users: others.map(({ user }) => user) };
    for (const { user, sha256 } of others) {
      const subject = subjectOfUse(user, sha256);
      const use = `${sha256} ${user}`;
      // A use that is left after its record was planned belongs to a part of the record that no command erases.
      if (!subject || followed.has(use)) return { refused: 'not erasable', user };
      followed.add(use);
      queue.push(subject);
    }
  }
  if (await hasFreshObject(services, org, plans, erased.at)) return { refused: 'fresh' };
  return { subjects: [...known.values()], pending: [...pending] };
}

/** @returns uses of planned objects by records that are not planned; `template` if an object is a shared body */
async function otherUses(
  { table }: ErasureServices,
  org: OrganizationId,
  plans: readonly ErasurePlan[],
): Promise<{ user: string; sha256: string }[] | 'template'> {
  const all = plans.flatMap(({ objects }) => objects);
  const planned = new Set(all.map(({ sha256, user }) => `${sha256} ${user}`));
  const found: { user: string; sha256: string }[] = [];
  for (const { prefix, sha256 } of all) {
    const { isShared, users } = await usesOf(table, org, sha256);
    if (isShared && prefix === 'bodies') return 'template';
    for (const user of users) {
      if (isFileUse(user) === (prefix === 'evidence') && !planned.has(`${sha256} ${user}`))
        found.push({ user, sha256 });
    }
  }
  return found;
}

/** Whether an object was stored so recently that a running request may still be about to use it. */
async function hasFreshObject(
  { objects }: ErasureServices,
  org: OrganizationId,
  plans: readonly ErasurePlan[],
  now: Micros,
): Promise<boolean> {
  for (const { prefix, sha256 } of plans.flatMap((plan) => plan.objects)) {
    const versions = await objects.versions(prefix, org, sha256);
    if (versions.some(({ at }) => at > now - SETTLED_AFTER)) return true;
  }
  return false;
}

/** Finds the evaluations that read a trail. All evaluations since an instant are read once. */
class EvaluationsOfTrails {
  readonly #services: ErasureServices;
  readonly #org: OrganizationId;
  readonly #now: Micros;
  #since = Number.POSITIVE_INFINITY;
  #read: PinnedEvaluation[] = [];

  constructor(services: ErasureServices, org: OrganizationId, now: Micros) {
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
