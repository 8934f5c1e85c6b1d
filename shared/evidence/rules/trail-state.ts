import type { AttestationId, Fingerprint, Id } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { originOf, type ProvenOrigin, type VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { SlotProof } from './slot-proof.ts';

/**
 * The state of a trail as plain data. The stored head and slots hold it (rules/trails.md#trail-head), and the fold of
 * the trail's moments gives the same (rules/trails.md#as-of-an-instant). A verdict depends on it and on the template
 * only.
 */
export interface TrailState {
  /** Number of the trail's last moment; 0 before the first. */
  number: number;
  /** Time of the last moment; 0 before the first. */
  at: Micros;
  /** Hex digest of the template in force; null is the empty template. */
  template: string | null;
  /** Time of the moment that brought the template in force. */
  templateAt: Micros;
  /** Hex digest of the trail's own template; null while the trail uses the flow's template. */
  ownTemplate: string | null;
  /** Hex digest of the trail's own fields (description, user data, commit, URLs); null if none were ever given. */
  fields: string | null;
  /** The latest attestation per slot, by {@link attestationSlotKey}. */
  attestations: ReadonlyMap<string, AttestationSlot>;
  /** The latest report per artifact identity, by {@link artifactSlotKey}. */
  artifacts: ReadonlyMap<string, ArtifactSlot>;
  /** Inner ids of the repositories that reports of this trail named, in the order of their first report. */
  repos: readonly Id[];
  /**
   * Records that recalls match. Only readers add them: nothing of it is stored. In the present state they do not count any more; a
   * past state stays as it was, and says what was recalled since.
   */
  recalled?: readonly RecalledSlot[];
}

/** The latest record of a slot, which recalls match (rules/verified-evidence.md#effect-of-recalls). */
export interface RecalledSlot {
  scope: Scope;
  name: string;
  type: string;
  id: AttestationId;
  /** By name. */
  recalls: readonly RecallName[];
}

/** Names a recall. */
export interface RecallName {
  name: string;
  version: number;
  /** When this version was saved, in seconds since the epoch. */
  since: number;
}

/** What an attestation is bound to (rules/trails.md#scope-and-binding). */
export type Scope =
  | { kind: 'trail' }
  | { kind: 'fingerprint'; fingerprint: Fingerprint }
  | { kind: 'named'; artifact: string; commit: string };

/** The latest attestation of one scope, name and type (rules/trails.md#attestation-slots). */
export interface AttestationSlot {
  scope: Scope;
  name: string;
  /** As templates spell it: `generic`, `custom:coverage`, `decision`. An override has the type of the original. */
  type: string;
  /** Id of the latest record; after an override, the id of the override. */
  id: AttestationId;
  compliant: boolean;
  /** Id of the attestation that the latest record overrides; null if it is no override or found nothing. */
  overridden: AttestationId | null;
  /** Number and time of the moment that brought the latest record. */
  number: number;
  at: Micros;
  /** Number of the moment that first filled this slot. It decides the order of unexpected entries. */
  first: number;
  /** What an issuer proved about the reporter of the latest record (rules/identities.md#evidence-says-who). */
  origin?: ProvenOrigin;
  /** What is known of the signature of the latest record; absent where the grade follows from the author. */
  proof?: SlotProof;
}

/** The latest report of one fingerprint, template name and commit in the trail. */
export interface ArtifactSlot {
  fingerprint: Fingerprint;
  /** Template reference name. */
  name: string;
  commit: string;
  /** Id of the latest report. */
  id: Id;
  /** False only if the report had the legacy field `is_compliant: false` (rules/artifacts.md#legacy-verdict). */
  compliant: boolean;
  number: number;
  at: Micros;
  first: number;
  origin?: ProvenOrigin;
}

/** One change that a moment makes to the slots. */
export type SlotChange =
  | {
      kind: 'attestation';
      scope: Scope;
      name: string;
      type: string;
      id: AttestationId;
      compliant: boolean;
      overridden: AttestationId | null;
      /** Absent where the grade follows from the author of the moment. */
      proof?: SlotProof;
    }
  | { kind: 'artifact'; fingerprint: Fingerprint; name: string; commit: string; id: Id; compliant: boolean }
  | { kind: 'repo'; id: Id };

export const hasAttestation = (changes: readonly SlotChange[]): boolean =>
  changes.some(({ kind }) => kind === 'attestation');

export const MOMENT_KINDS = [
  'trail_reported',
  'trail_updated',
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
  'artifact_creation_reported',
] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** What a moment changes in the state. The stored moment also has its record, commitments and hash. */
export interface MomentChange {
  kind: MomentKind;
  at: Micros;
  /** Digest of the template in force from this moment on. */
  template: string | null;
  ownTemplate: string | null;
  fields: string | null;
  changes: readonly SlotChange[];
  by?: { identity?: VerifiedIdentity | undefined };
}

export const EMPTY_TRAIL: TrailState = {
  number: 0,
  at: EPOCH,
  template: null,
  templateAt: EPOCH,
  ownTemplate: null,
  fields: null,
  attestations: new Map(),
  artifacts: new Map(),
  repos: [],
};

/**
 * Returns the text of a scope inside keys. It is unambiguous, because names contain neither `#` nor `:`
 * (rules/requests.md#names).
 */
export function scopeKey(scope: Scope): string {
  switch (scope.kind) {
    case 'trail':
      return 'T';
    case 'fingerprint':
      return `F:${scope.fingerprint}`;
    case 'named':
      return `N:${scope.artifact}:${scope.commit}`;
  }
}

export const attestationSlotKey = (slot: { scope: Scope; name: string; type: string }): string =>
  `${scopeKey(slot.scope)}#${slot.name}#${slot.type}`;

export const artifactSlotKey = (slot: { fingerprint: Fingerprint; name: string; commit: string }): string =>
  `${slot.fingerprint}#${slot.name}#${slot.commit}`;

/** Returns the sum of the numbers of all slots. It shows a reader whether slots are missing or older than the head. */
export const sumOfSlots = ({ attestations, artifacts }: TrailState): number =>
  [...attestations.values(), ...artifacts.values()].reduce((sum, { number }) => sum + number, 0);

/**
 * Returns the state after one more moment; `state` itself is not changed. The same function computes the present state
 * and every past state (rules/trails.md#as-of-an-instant).
 */
export function applyMoment(state: TrailState, moment: MomentChange): TrailState {
  const number = state.number + 1;
  const { at } = moment;
  const who = moment.by?.identity ? { origin: originOf(moment.by.identity) } : {};
  const attestations = new Map(state.attestations);
  const artifacts = new Map(state.artifacts);
  let repos = state.repos;
  for (const change of moment.changes) {
    if (change.kind === 'repo') {
      if (!repos.includes(change.id)) repos = [...repos, change.id];
    } else if (change.kind === 'artifact') {
      const { kind: _, ...slot } = change;
      const key = artifactSlotKey(slot);
      artifacts.set(key, { ...slot, ...who, number, at, first: artifacts.get(key)?.first ?? number });
    } else {
      const { kind: _, ...slot } = change;
      const key = attestationSlotKey(slot);
      attestations.set(key, { ...slot, ...who, number, at, first: attestations.get(key)?.first ?? number });
    }
  }
  return {
    number,
    at,
    template: moment.template,
    templateAt: number === 1 || moment.template !== state.template ? at : state.templateAt,
    ownTemplate: moment.ownTemplate,
    fields: moment.fields,
    attestations,
    artifacts,
    repos,
  };
}
