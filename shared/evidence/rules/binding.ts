import type { Fingerprint } from '#shared/base/ids.ts';
import type { ArtifactSlot, AttestationSlot, RecalledSlot, Scope, TrailState } from './trail-state.ts';

/** The slots of a trail, grouped by what they are bound to (rules/trails.md#scope-and-binding). */
export interface Bindings {
  /** Attestations of the trail as a whole. */
  readonly trail: readonly AttestationSlot[];
  /** Decisions on artifacts that this trail never had (rules/trails.md#decisions-on-other-artifacts). */
  readonly foreignDecisions: readonly AttestationSlot[];
  /** By fingerprint, its reports, oldest first. */
  readonly reports: ReadonlyMap<Fingerprint, readonly ArtifactSlot[]>;
  /** Returns all attestations that bind to the fingerprint: directly, or by name and commit of one of its reports. */
  bound(fingerprint: Fingerprint): readonly AttestationSlot[];
  /** Returns the recalled records that bind to the fingerprint; with null, those of the trail as a whole. */
  recalled(fingerprint: Fingerprint | null): readonly RecalledSlot[];
}

/** Groups a trail's slots in one pass, so that the slots of each artifact are found without a scan of all slots. */
export function bindingsOf(state: TrailState): Bindings {
  const trail: AttestationSlot[] = [];
  const byFingerprint = new Map<Fingerprint, AttestationSlot[]>();
  const byName = new Map<string, AttestationSlot[]>();
  for (const slot of state.attestations.values()) {
    if (slot.scope.kind === 'trail') trail.push(slot);
    else if (slot.scope.kind === 'fingerprint') push(byFingerprint, slot.scope.fingerprint, slot);
    else push(byName, nameAndCommit(slot.scope.artifact, slot.scope.commit), slot);
  }
  const reports = new Map<Fingerprint, ArtifactSlot[]>();
  for (const report of [...state.artifacts.values()].sort(byNumber)) push(reports, report.fingerprint, report);

  const foreignDecisions = [...byFingerprint].flatMap(([fingerprint, slots]) =>
    reports.has(fingerprint) ? [] : slots,
  );
  const namesOf = (fingerprint: Fingerprint) =>
    new Set(reports.get(fingerprint)?.map((report) => nameAndCommit(report.name, report.commit)));
  return {
    trail,
    foreignDecisions,
    reports,
    recalled(fingerprint) {
      if (!state.recalled) return [];
      const names = fingerprint === null ? new Set<string>() : namesOf(fingerprint);
      return state.recalled.filter(({ scope }) => {
        if (scope.kind === 'trail') return fingerprint === null;
        if (scope.kind === 'fingerprint') return scope.fingerprint === fingerprint;
        return names.has(nameAndCommit(scope.artifact, scope.commit));
      });
    },
    bound(fingerprint) {
      const keys = namesOf(fingerprint);
      return [...(byFingerprint.get(fingerprint) ?? []), ...[...keys].flatMap((key) => byName.get(key) ?? [])];
    },
  };
}

/**
 * Selects the latest attestation per name and type (rules/trails.md#latest-report). It keeps the place in the list that
 * the first report of this name and type had. An override with the plain type `custom` counts until a report of a
 * custom type with its name comes (rules/attestations.md#plain-custom).
 *
 * @param slots all attestations of one trail or of one artifact
 * @returns in the order in which name and type were first reported
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

/**
 * Whether a report of this type fills a template's slot (rules/trails.md#matching-slots). Plain `custom` fills any
 * custom slot.
 */
export const typeMatches = (slot: string, reported: string): boolean =>
  slot === '*' || slot === reported || (reported === 'custom' && slot.startsWith('custom:'));

/** Whether a rule of a policy asks for attestations of this name and type. `*` in a rule means any. */
export const isAskedFor = (
  { name, type }: { name: string; type: string },
  entry: { attestation_name: string; attestation_type: string },
): boolean => (name === '*' || name === entry.attestation_name) && typeMatches(type, entry.attestation_type);

/** Returns the attestations that an override of this scope may replace (rules/trails.md#overrides). */
export function competingSlots(state: TrailState, scope: Scope): AttestationSlot[] {
  const bindings = bindingsOf(state);
  if (scope.kind === 'trail') return [...bindings.trail];
  if (scope.kind === 'fingerprint') {
    const foreignDecisions = bindings.foreignDecisions.filter(
      ({ scope: other }) => other.kind === 'fingerprint' && other.fingerprint === scope.fingerprint,
    );
    return [...bindings.bound(scope.fingerprint), ...foreignDecisions];
  }
  const named = [...state.attestations.values()].filter(
    ({ scope: other }) => other.kind === 'named' && other.artifact === scope.artifact && other.commit === scope.commit,
  );
  const artifacts = [...bindings.reports].filter(([, reports]) =>
    reports.some((report) => report.name === scope.artifact && report.commit === scope.commit),
  );
  return [...named, ...artifacts.flatMap(([fingerprint]) => bindings.bound(fingerprint))];
}

/** Names and commits contain no colon (rules/requests.md#names). */
const nameAndCommit = (name: string, commit: string) => `${name}:${commit}`;

export const byNumber = (a: { number: number }, b: { number: number }): number => a.number - b.number;

function push<V>(map: Map<string, V[]>, key: string, value: V) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
