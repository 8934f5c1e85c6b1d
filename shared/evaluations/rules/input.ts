import type { AttestationId } from '#shared/base/ids.ts';
import { type Micros, secondsOrNull } from '#shared/base/time.ts';

/** The fields of a status entry that this file reads. */
interface StatusEntry {
  attestation_name: string;
  attestation_id: AttestationId | null;
}

/** The fields of a trail, as the API answers it (rules/trails.md#trail-record), that this file reads or changes. */
export interface TrailOnWire {
  compliance_status: {
    attestations_statuses: readonly StatusEntry[];
    artifacts_statuses: Readonly<Record<string, { attestations_statuses: readonly StatusEntry[] }>>;
  };
}

/** Full records of attestations by id, in the form of the list of attestations. */
type AttestationDetails = ReadonlyMap<string, object>;

/**
 * Converts a trail into the form that policies see (rules/evaluations.md#trail-in-the-input). The arrays of statuses become
 * objects by attestation name. Each entry gets the fields of its full record that it does not have itself. Of several
 * entries with one name the last one stays.
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

/** Makes an object without a prototype, because `__proto__` is a legal name of an attestation. */
function withoutPrototype(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) object[name] = value;
  return object;
}

/** Returns the input document: one trail stands under `trail` and `trails` (rules/evaluations.md#input-document). */
export function inputOf(trails: readonly object[], expectations?: object): object {
  const [only] = trails;
  return { ...(trails.length === 1 && { trail: only }), trails, ...(expectations && { expectations }) };
}

/**
 * Whether a policy may read expectations: one of its files has the word (rules/evaluations.md#expectations-in-the-input).
 *
 * @param policy JSON text of the policy files
 */
export const readsExpectations = (policy: string): boolean => policy.includes('expectations');

/** What a policy may read of SBOMs: nothing, their states and counts, or also the lists of their components. */
export type ComponentsRead = 'none' | 'states' | 'lists';

/**
 * Returns what a policy may read of SBOMs, by the words that its files have (rules/evaluations.md#components-in-the-input).
 *
 * @param policy JSON text of the policy files
 */
export function componentsRead(policy: string): ComponentsRead {
  if (policy.includes('component_list')) return 'lists';
  return policy.includes('components') ? 'states' : 'none';
}

interface ListedComponent {
  purl: string | null;
  name: string;
  version: string | null;
  depth: string | null;
}

/** Converts the components of an SBOM into the form that policies see. Digests are left out: they are half of the text. */
export const componentsForPolicy = (components: readonly ListedComponent[]): ListedComponent[] =>
  components.map(({ purl, name, version, depth }) => ({ purl, name, version, depth }));

interface ExpectationFacts {
  name: string;
  met: boolean | null;
  due: Micros | null;
  lastMet: Micros | null;
  openGaps: number;
}

/** Converts expectations into the form that policies see: an object by name, with times in seconds. */
export const expectationsForPolicy = (expectations: readonly ExpectationFacts[]): object =>
  withoutPrototype(
    expectations.map(({ name, met, due, lastMet, openGaps }) => [
      name,
      { met, due_at: secondsOrNull(due), last_met_at: secondsOrNull(lastMet), open_gaps: openGaps },
    ]),
  );

export function attestationsNamed({ compliance_status: status }: TrailOnWire): AttestationId[] {
  const entries = [
    ...status.attestations_statuses,
    ...Object.values(status.artifacts_statuses).flatMap((artifact) => artifact.attestations_statuses),
  ];
  return [...new Set(entries.flatMap(({ attestation_id: id }) => (id === null ? [] : [id])))];
}
