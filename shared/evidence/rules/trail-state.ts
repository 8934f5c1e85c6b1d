import type { AttestationId, Fingerprint, Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';

/**
 * The state of a trail as plain data: what the head and the slots of the store hold, and what folding its moments
 * gives (design §2.5, §2.6). Everything that a verdict depends on is here, beside the template.
 */
export interface TrailState {
  /** Number of the trail's last moment; 0 before the first. */
  number: number;
  /** Time of the last moment; 0 before the first. */
  at: Micros;
  /** Hex digest of the template in force, null = the empty template. */
  template: string | null;
  /** When the template in force came into force. */
  templateAt: Micros;
  /** Hex digest of the trail's own template, null while it inherits the flow's. */
  ownTemplate: string | null;
  /** Hex digest of the trail's own fields (description, user data, commit, URLs); null when none were ever given. */
  fields: string | null;
  /** The latest attestation per slot, by {@link attestationSlotKey}. */
  attestations: ReadonlyMap<string, AttestationSlot>;
  /** The latest report per artifact identity, by {@link artifactSlotKey}. */
  artifacts: ReadonlyMap<string, ArtifactSlot>;
  /** Inner ids of the repositories that reports of this trail named, in order of appearance. */
  repos: readonly Id[];
}

/** What an attestation is bound to (semantics §3.4). */
export type Scope =
  | { kind: 'trail' }
  | { kind: 'fingerprint'; fingerprint: Fingerprint }
  | { kind: 'named'; artifact: string; commit: string };

/** The latest attestation of one (scope, name, type) (semantics §3.5). */
export interface AttestationSlot {
  scope: Scope;
  name: string;
  /** As templates spell it: `generic`, `custom:coverage`, `decision`; an override keeps the type that it overrides. */
  type: string;
  /** Id of the latest record: the override's own id after an override. */
  id: AttestationId;
  compliant: boolean;
  /** Null unless the latest record is an override; then the id of what it overrides, or null if there was nothing. */
  overridden: AttestationId | null;
  /** Number and time of the moment that put the latest record here. */
  number: number;
  at: Micros;
  /** Number of the moment that first filled this slot: unexpected entries are listed in first-reported order. */
  first: number;
}

/** The latest report of one (fingerprint, template name, commit) in the trail. */
export interface ArtifactSlot {
  fingerprint: Fingerprint;
  /** Template reference name. */
  name: string;
  commit: string;
  /** Id of the latest report. */
  id: Id;
  /** False only when the report itself said so (the legacy `is_compliant: false`, semantics §3.8). */
  compliant: boolean;
  number: number;
  at: Micros;
  first: number;
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
    }
  | { kind: 'artifact'; fingerprint: Fingerprint; name: string; commit: string; id: Id; compliant: boolean }
  | { kind: 'repo'; id: Id };

export const MOMENT_KINDS = [
  'trail_reported',
  'trail_updated',
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
  'artifact_creation_reported',
] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** What a moment does to the state; the store adds the record, the commitments and the hash. */
export interface MomentChange {
  kind: MomentKind;
  at: Micros;
  /** Digest of the template in force from this moment on. */
  template: string | null;
  ownTemplate: string | null;
  fields: string | null;
  changes: readonly SlotChange[];
}

export const EMPTY_TRAIL: TrailState = {
  number: 0,
  at: 0,
  template: null,
  templateAt: 0,
  ownTemplate: null,
  fields: null,
  attestations: new Map(),
  artifacts: new Map(),
  repos: [],
};

/** The text of a scope inside keys. Names hold neither `#` nor `:` (semantics §1.2), so it is unambiguous. */
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

/**
 * The state after one more moment: the same fold makes the present state and any past one (design §2.5).
 * Pure; `state` is not changed.
 */
export function applyMoment(state: TrailState, moment: MomentChange): TrailState {
  const number = state.number + 1;
  const { at } = moment;
  const attestations = new Map(state.attestations);
  const artifacts = new Map(state.artifacts);
  let repos = state.repos;
  for (const change of moment.changes) {
    if (change.kind === 'repo') {
      if (!repos.includes(change.id)) repos = [...repos, change.id];
    } else if (change.kind === 'artifact') {
      const { kind: _, ...slot } = change;
      const key = artifactSlotKey(slot);
      artifacts.set(key, { ...slot, number, at, first: artifacts.get(key)?.first ?? number });
    } else {
      const { kind: _, ...slot } = change;
      const key = attestationSlotKey(slot);
      attestations.set(key, { ...slot, number, at, first: attestations.get(key)?.first ?? number });
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
