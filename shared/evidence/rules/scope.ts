import type { Fingerprint } from '#shared/base/ids.ts';
import type { MomentKind, Scope, TrailState } from './trail-state.ts';

/** What a report says about its target: F, T and C of semantics §3.4. Null is absent. */
export interface Target {
  artifact_fingerprint?: Fingerprint | null | undefined;
  target_artifacts?: readonly string[] | null | undefined;
  git_commit_info?: { sha1: string } | null | undefined;
}

export type ScopeOutcome =
  | { outcome: 'scopes'; scopes: [Scope, ...Scope[]] }
  /** 400: `errors[field] = text`. */
  | { outcome: 'needs_commit'; field: 'target_artifacts'; text: string };

/** Clients look for this phrase (wire flows §6.3). */
export const NEEDS_COMMIT = 'target_artifacts requires at least one of: artifact_fingerprint or git_commit_info.';

/**
 * What a report is bound to (semantics §3.4). With both a fingerprint and names the fingerprint wins, and the names
 * only label it. Several names give one scope each, all of one record.
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
 * Whether the scope's artifact may be attested in this trail: a fingerprint must have been reported in it, except that
 * decisions take any fingerprint that the organization knows (semantics §3.4, §7.2). Other scopes always may.
 * @param anyOfOrganization given for decisions only: whether the organization knows the fingerprint
 */
export function isAttestable(scope: Scope, state: TrailState, anyOfOrganization = false): boolean {
  return scope.kind !== 'fingerprint' || anyOfOrganization || isReportedIn(state, scope.fingerprint);
}

export const isReportedIn = (state: TrailState, fingerprint: Fingerprint): boolean =>
  [...state.artifacts.values()].some((report) => report.fingerprint === fingerprint);

/** The kind of moment that an attestation of this scope makes (semantics §3.4, «Events»). */
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
 * The template name that events show as `target_artifact`: the report's own label, else the name of the fingerprint's
 * latest report in this trail. Several names are joined by commas. Null for a whole trail, and for a fingerprint that
 * this trail does not know.
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
