import type { Fingerprint } from '#shared/base/ids.ts';
import type { ArtifactSlot, AttestationSlot, Scope, TrailState } from './trail-state.ts';

/** The slots of a trail, sorted by what they are bound to (semantics §3.4, §3.5). */
export interface Bindings {
  /** Attestations of the trail as a whole. */
  readonly trail: readonly AttestationSlot[];
  /** Decisions on artifacts that this trail never had (semantics §7.2): they belong to no artifact entry. */
  readonly strangers: readonly AttestationSlot[];
  /** Every fingerprint that was reported, with its reports, oldest first. */
  readonly reports: ReadonlyMap<Fingerprint, readonly ArtifactSlot[]>;
  /** Every attestation that binds to the fingerprint, by itself or by a (name, commit) of one of its reports. */
  bound(fingerprint: Fingerprint): readonly AttestationSlot[];
}

/** Sorts a trail's slots once, so that each artifact finds its own without a look at the others'. */
export function bindingsOf(state: TrailState): Bindings {
  const trail: AttestationSlot[] = [];
  const byFingerprint = new Map<Fingerprint, AttestationSlot[]>();
  const byName = new Map<string, AttestationSlot[]>();
  for (const slot of state.attestations.values()) {
    if (slot.scope.kind === 'trail') trail.push(slot);
    else if (slot.scope.kind === 'fingerprint') push(byFingerprint, slot.scope.fingerprint, slot);
    else push(byName, joinKey(slot.scope.artifact, slot.scope.commit), slot);
  }
  const reports = new Map<Fingerprint, ArtifactSlot[]>();
  for (const report of [...state.artifacts.values()].sort(byNumber)) push(reports, report.fingerprint, report);

  const strangers = [...byFingerprint].flatMap(([fingerprint, slots]) => (reports.has(fingerprint) ? [] : slots));
  return {
    trail,
    strangers,
    reports,
    bound(fingerprint) {
      const own = reports.get(fingerprint) ?? [];
      const joins = new Set(own.map((report) => joinKey(report.name, report.commit)));
      return [...(byFingerprint.get(fingerprint) ?? []), ...[...joins].flatMap((join) => byName.get(join) ?? [])];
    },
  };
}

/**
 * The one attestation that counts per name and type among those of one trail or one artifact: the latest, whatever its
 * way of binding; it keeps the place in the list that the first of them had (semantics §3.5, §3.7).
 * An override of plain `custom` that found nothing counts until a custom report of that name comes (wire flows U18).
 * @returns in first-reported order
 */
export function latestPerSlot(slots: readonly AttestationSlot[]): AttestationSlot[] {
  const latest = new Map<string, AttestationSlot>();
  const newestCustom = new Map<string, number>();
  for (const slot of slots) {
    const key = `${slot.name}#${slot.type}`;
    const other = latest.get(key);
    const winner = other && other.number > slot.number ? other : slot;
    latest.set(key, { ...winner, first: Math.min(slot.first, other?.first ?? slot.first) });
    if (slot.type.startsWith('custom:')) {
      newestCustom.set(slot.name, Math.max(slot.number, newestCustom.get(slot.name) ?? 0));
    }
  }
  const replaced = (slot: AttestationSlot) =>
    slot.type === 'custom' && (newestCustom.get(slot.name) ?? 0) > slot.number;
  return [...latest.values()].filter((slot) => !replaced(slot)).sort((a, b) => a.first - b.first);
}

/** Whether a report's type fills a template's slot (semantics §3.7); a plain `custom` fills any custom slot (wire flows U18). */
export const typeMatches = (slot: string, reported: string): boolean =>
  slot === '*' || slot === reported || (reported === 'custom' && slot.startsWith('custom:'));

/** What an attestation of this scope competes with: the union that {@link latestPerSlot} chooses from. */
export function rivals(state: TrailState, scope: Scope): AttestationSlot[] {
  const bindings = bindingsOf(state);
  if (scope.kind === 'trail') return [...bindings.trail];
  if (scope.kind === 'fingerprint') {
    const strangers = bindings.strangers.filter(
      ({ scope: other }) => other.kind === 'fingerprint' && other.fingerprint === scope.fingerprint,
    );
    return [...bindings.bound(scope.fingerprint), ...strangers];
  }
  const named = [...state.attestations.values()].filter(
    ({ scope: other }) => other.kind === 'named' && other.artifact === scope.artifact && other.commit === scope.commit,
  );
  const joined = [...bindings.reports].filter(([, reports]) =>
    reports.some((report) => report.name === scope.artifact && report.commit === scope.commit),
  );
  return [...named, ...joined.flatMap(([fingerprint]) => bindings.bound(fingerprint))];
}

/** Names and commits hold no colon (semantics §1.2). */
const joinKey = (name: string, commit: string) => `${name}:${commit}`;

export const byNumber = (a: { number: number }, b: { number: number }): number => a.number - b.number;

function push<V>(map: Map<string, V[]>, key: string, value: V) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
