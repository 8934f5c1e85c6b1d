import type { AttestationId } from '#shared/base/ids.ts';

/** A status entry of a trail as it goes on the wire, as far as it matters here. */
interface StatusEntry {
  attestation_name: string;
  attestation_id: AttestationId | null;
}

/** A trail as it goes on the wire (wire flows §4 T2), as far as it is transformed. */
export interface TrailOnWire {
  compliance_status: {
    attestations_statuses: readonly StatusEntry[];
    artifacts_statuses: Readonly<Record<string, { attestations_statuses: readonly StatusEntry[] }>>;
  };
}

/** Full records of attestations by id, as the list of attestations shows them. */
export type AttestationDetails = ReadonlyMap<string, object>;

/**
 * A trail as policies see it (semantics §8.3; wire admin §5.3): the arrays of statuses become maps by attestation name,
 * and each entry has what the full record says beside, under keys that the entry has not itself. Of several entries of
 * one name the last one stays, as the client's own evaluation has it.
 */
export function trailForPolicy<T extends TrailOnWire>(trail: T, details: AttestationDetails): object {
  const { attestations_statuses: own, artifacts_statuses: artifacts, ...status } = trail.compliance_status;
  const byName = (entries: readonly StatusEntry[]) =>
    withoutPrototype(
      entries.map((entry) => {
        const detail = entry.attestation_id === null ? undefined : details.get(entry.attestation_id);
        return [entry.attestation_name, { ...detail, ...entry }];
      }),
    );
  return {
    ...trail,
    compliance_status: {
      ...status,
      attestations_statuses: byName(own),
      artifacts_statuses: withoutPrototype(
        Object.entries(artifacts).map(([name, entry]) => [
          name,
          { ...entry, attestations_statuses: byName(entry.attestations_statuses) },
        ]),
      ),
    },
  };
}

/** `__proto__` is a legal name of an attestation. */
function withoutPrototype(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) object[name] = value;
  return object;
}

/**
 * What a policy is given. One trail is there under both names, since a request does not say which command it came from
 * (semantics §8.3).
 */
export function inputOf(trails: readonly object[]): object {
  const [only] = trails;
  return trails.length === 1 ? { trail: only, trails } : { trails };
}

/** Every attestation that a trail's status names, each once. */
export function attestationsNamed({ compliance_status: status }: TrailOnWire): AttestationId[] {
  const entries = [
    ...status.attestations_statuses,
    ...Object.values(status.artifacts_statuses).flatMap((artifact) => artifact.attestations_statuses),
  ];
  return [...new Set(entries.flatMap(({ attestation_id: id }) => (id === null ? [] : [id])))];
}
