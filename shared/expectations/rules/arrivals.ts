import type { AttestationId, Fingerprint, FlowId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { earliestOf, type Micros } from '#shared/base/time.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { trailSubjectKey } from './gaps/gap.ts';

/** What moments bring that expectations wait for (rules/expectations.md#arrivals). */

/** What arrives in a flow again and again. `value` is the name, the type or the control; empty for trails. */
export interface Arrival {
  sort: 'begun' | 'name' | 'type' | 'control';
  value: string;
  flow: FlowId;
  at: Micros;
  /** The earliest arrival of this sort among the same moments; `at` if there is one only. */
  first: Micros;
  /** The trail that began, or that has the attestation, and the number of its moment. */
  trail: TrailName;
  number: number;
}

/** A trail that was compliant at an instant. */
export interface Completion {
  flow: FlowId;
  id: TrailId;
  trail: TrailName;
  at: Micros;
}

/** The type of decisions in slots. */
const DECISION = 'decision';

/**
 * Returns the ids of the compliant attestations of moments that can be decisions: signed bundles can. Their controls are in their
 * records.
 */
export const decisionsIn = (moments: readonly MomentFacts[]): AttestationId[] => [
  ...new Set(
    moments.flatMap((moment) =>
      compliantIn(moment)
        .filter(({ type, proof }) => type === DECISION || proof?.signature !== undefined)
        .map(({ id }) => id),
    ),
  ),
];

/**
 * Returns the latest arrival of each sort in each flow that moments bring, with the earliest one. The first moment of a trail is its beginning.
 *
 * @param controls the controls of decisions, by attestation
 */
export function arrivalsIn(moments: readonly MomentFacts[], controls: ReadonlyMap<AttestationId, string>): Arrival[] {
  const latest = new Map<string, Arrival>();
  for (const moment of moments) {
    const { flow, name: trail, at, number } = moment;
    const found: [Arrival['sort'], string][] = number === 1 ? [['begun', '']] : [];
    for (const { name, type, id } of compliantIn(moment)) {
      found.push(['name', name], ['type', type]);
      const control = controls.get(id);
      if (control !== undefined) found.push(['control', control]);
    }
    for (const [sort, value] of found) {
      const key = `${flow}#${sort}#${value}`;
      const known = latest.get(key);
      const first = known ? earliestOf(known.first, at) : at;
      if (known && at < known.at) latest.set(key, { ...known, first });
      else latest.set(key, { sort, value, flow, at, first, trail, number });
    }
  }
  return [...latest.values()];
}

/**
 * Returns the keys of the subjects for which moments bring something: flows, the whole scope, and trails that are compliant. Artifacts
 * are not among them: see {@link decidedIn}.
 */
export function arrivingSubjects(moments: readonly MomentFacts[]): string[] {
  const flows = new Set(
    moments.flatMap((one) => (one.number === 1 || compliantIn(one).length > 0 ? [`flow:${one.flow}`] : [])),
  );
  const trails = completionsIn(moments).map(({ flow, id }) => trailSubjectKey(flow, id));
  return [...(flows.size > 0 ? ['scope', ...flows] : []), ...trails];
}

/** Returns the trails that were compliant after one of the moments, each with the first such instant. */
export function completionsIn(moments: readonly MomentFacts[]): Completion[] {
  const first = new Map<string, Completion>();
  for (const { flow, trail: id, name: trail, at, content } of moments) {
    const key = `${flow}#${trail}`;
    if (content.word === 'COMPLIANT' && at < (first.get(key)?.at ?? Number.POSITIVE_INFINITY))
      first.set(key, { flow, id, trail, at });
  }
  return [...first.values()];
}

/** What may have a compliant decision. `trails` stand for all their artifacts. */
export interface Decided {
  fingerprints: ReadonlySet<Fingerprint>;
  trails: readonly Pick<MomentFacts, 'flow' | 'name'>[];
}

/** Returns what moments may have brought a compliant decision to. */
export function decidedIn(moments: readonly MomentFacts[]): Decided {
  const fingerprints = new Set<Fingerprint>();
  const trails = new Map<string, Pick<MomentFacts, 'flow' | 'name'>>();
  for (const moment of moments) {
    const { flow, name, content } = moment;
    for (const change of content.changes) if (change.kind === 'artifact') fingerprints.add(change.fingerprint);
    // Signed bundles of any type can be decisions too.
    for (const { scope } of compliantIn(moment)) {
      if (scope.kind === 'fingerprint') fingerprints.add(scope.fingerprint);
      else trails.set(`${flow}#${name}`, { flow, name });
    }
  }
  return { fingerprints, trails: [...trails.values()] };
}

const compliantIn = ({ content }: MomentFacts) =>
  content.changes.flatMap((change) => (change.kind === 'attestation' && change.compliant ? [change] : []));
