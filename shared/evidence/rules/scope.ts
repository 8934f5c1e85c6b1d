import type { Fingerprint } from '#shared/base/ids.ts';
import type { MomentKind, Scope, TrailState } from './trail-state.ts';

/** The fields of a report that name its target (rules/attestations.md#target). Null counts as absent. */
export interface Target {
  artifact_fingerprint?: Fingerprint | null | undefined;
  target_artifacts?: readonly string[] | null | undefined;
  git_commit_info?: { sha1: string } | null | undefined;
}

type ScopeOutcome =
  | { outcome: 'scopes'; scopes: [Scope, ...Scope[]] }
  /** 400: `errors[field] = text`. */
  | { outcome: 'needs_commit'; field: 'target_artifacts'; text: string };

/** Clients look for this sentence (rules/trails.md#binding-errors). */
export const NEEDS_COMMIT = 'target_artifacts requires at least one of: artifact_fingerprint or git_commit_info.';

/**
 * Determines the scopes of a report (rules/trails.md#scope-and-binding). If there are both a fingerprint and names, the
 * fingerprint decides and the names are only a label. Several names give one scope each, all of the same record.
 */
export function scopesOf(target: Target): ScopeOutcome {
  const names = [...new Set(target.target_artifacts ?? [])];
  if (target.artifact_fingerprint != null) {
    return { outcome: 'scopes', scopes: [{ kind: 'fingerprint', fingerprint: target.artifact_fingerprint }] };
  }
  const [first, ...others] = names;
  if (first === undefined) return { outcome: 'scopes', scopes: [{ kind: 'trail' }] };
  const commit = target.git_commit_info?.sha1;
  if (commit === undefined) return { outcome: 'needs_commit', field: 'target_artifacts', text: NEEDS_COMMIT };
  const named = (artifact: string): Scope => ({ kind: 'named', artifact, commit });
  return { outcome: 'scopes', scopes: [named(first), ...others.map(named)] };
}

/**
 * Whether an attestation of this scope is accepted in the trail. A fingerprint must have been reported in the trail. A
 * decision may name any fingerprint that the organization knows (rules/trails.md#decisions-on-other-artifacts). Other
 * scopes are always accepted.
 *
 * @param anyOfOrganization true for a decision whose fingerprint the organization knows
 */
export function isAttestable(scope: Scope, state: TrailState, anyOfOrganization = false): boolean {
  return scope.kind !== 'fingerprint' || anyOfOrganization || isReportedIn(state, scope.fingerprint);
}

export const isReportedIn = (state: TrailState, fingerprint: Fingerprint): boolean =>
  [...state.artifacts.values()].some((report) => report.fingerprint === fingerprint);

/** Returns the kind of moment that an attestation of this scope makes (rules/trails.md#what-makes-a-moment). */
export function momentKindOf(scope: Scope): MomentKind {
  switch (scope.kind) {
    case 'trail':
      return 'trail_attestation_reported';
    case 'fingerprint':
      return 'artifact_attestation_reported';
    case 'named':
      return 'trail_attestation_for_artifact_reported';
  }
}

/**
 * Returns the label that events show as `target_artifact` (rules/attestations.md#target-label): the names of the
 * report, joined by commas, else the template name of the fingerprint's latest report in this trail.
 *
 * @returns null for an attestation of the whole trail, and for a fingerprint that this trail does not know
 */
export function targetLabel(target: Target, state: TrailState): string | null {
  const names = [...new Set(target.target_artifacts ?? [])];
  if (names.length > 0) return names.join(',');
  const reports = [...state.artifacts.values()].filter((report) => report.fingerprint === target.artifact_fingerprint);
  const latest = reports.reduce<(typeof reports)[number] | null>(
    (newest, report) => (newest && newest.number > report.number ? newest : report),
    null,
  );
  return latest?.name ?? null;
}
