import type {
  AttestationId,
  EnvironmentId,
  Fingerprint,
  FlowId,
  Id,
  OrganizationId,
  PrincipalId,
  TrailId,
} from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Commit } from './shared-fields.ts';
import type { TrailFields } from './trail-report.ts';

/** The repository that an event's report named. */
export interface EventRepo {
  inner_id: Id;
  /** Id at the provider. */
  repo_id: string;
  name: string;
  url: string;
  provider: string | null;
  description: string | null;
  created_at: Micros;
  last_modified_at: Micros;
}

interface Common {
  at: Micros;
  organization: OrganizationId;
  flow: FlowId;
  trail: TrailId;
  commit: Commit | null;
  repo: EventRepo | null;
}

interface Attested {
  /** Name of the attestation. */
  name: string;
  /** Type of the record: `override` for an override. */
  type: string;
  id: AttestationId;
  compliant: boolean;
}

/** An event of a trail: a moment or a runtime event (rules/trails.md#events). */
export type TrailEvent = Common &
  (
    | { kind: 'trail_reported'; user: PrincipalId; trailName: string; fields: TrailFields }
    | { kind: 'trail_updated'; user: PrincipalId; trailName: string; fields: TrailFields; changes: readonly string[] }
    | { kind: 'trail_attestation_reported'; attestation: Attested }
    | { kind: 'trail_attestation_for_artifact_reported'; attestation: Attested; target: string }
    | {
        kind: 'artifact_creation_reported';
        fingerprint: Fingerprint;
        filename: string;
        artifact: Id;
        templateName: string;
        gitCommit: string;
      }
    | {
        kind: 'artifact_attestation_reported';
        attestation: Attested;
        fingerprint: Fingerprint;
        filename: string | null;
        target: string | null;
      }
    | ({ kind: 'artifact_started_running'; replicas: number } & Runtime)
    | ({ kind: 'artifact_stopped_running' } & Runtime)
  );

interface Runtime {
  fingerprint: Fingerprint;
  templateName: string;
  environment: { id: EnvironmentId; name: string };
  snapshot: number;
}

/** Builds one event of a trail as clients read it. Times become seconds. */
export function trailEventOut(event: TrailEvent): Record<string, unknown> {
  return {
    type: event.kind,
    timestamp: toSeconds(event.at),
    org_id: event.organization,
    flow_id: event.flow,
    trail_id: event.trail,
    git_commit_info: event.commit && { author_username: null, parents: null, ...event.commit },
    repo_info: event.repo && repoOut(event.organization, event.repo),
    ...detailsOf(event),
  };
}

function detailsOf(event: TrailEvent): Record<string, unknown> {
  switch (event.kind) {
    case 'trail_reported':
      return { setting_user_id: event.user, trail_data_json: trailData(event.trailName, event.fields) };
    case 'trail_updated':
      return {
        setting_user_id: event.user,
        trail_data_json: trailData(event.trailName, event.fields),
        changes: event.changes,
      };
    case 'trail_attestation_reported':
      return attested(event.attestation);
    case 'trail_attestation_for_artifact_reported':
      return { ...attested(event.attestation), target_artifact: event.target };
    case 'artifact_creation_reported':
      return {
        artifact_fingerprint: event.fingerprint,
        artifact_name: event.filename,
        artifact_id: event.artifact,
        template_reference_name: event.templateName,
        git_commit: event.gitCommit,
      };
    case 'artifact_attestation_reported':
      return {
        ...attested(event.attestation),
        artifact_fingerprint: event.fingerprint,
        artifact_name: event.filename,
        target_artifact: event.target,
      };
    case 'artifact_started_running':
      return { ...runtime(event), replica_number: event.replicas };
    case 'artifact_stopped_running':
      return runtime(event);
  }
}

const attested = (attestation: Attested) => ({
  attestation_type: attestation.type,
  attestation_id: attestation.id,
  template_reference_name: attestation.name,
  is_compliant: attestation.compliant,
});

const runtime = (event: Runtime) => ({
  artifact_fingerprint: event.fingerprint,
  template_reference_name: event.templateName,
  environment_id: event.environment.id,
  environment_name: event.environment.name,
  snapshot_index: event.snapshot,
});

/** Builds `trail_data_json`: the fields that were given; `user_data` is a JSON text. */
const trailData = (name: string, fields: TrailFields) => ({
  name,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
});

const repoOut = (organization: OrganizationId, repo: EventRepo) => ({
  ...repo,
  org_id: organization,
  created_at: toSeconds(repo.created_at),
  last_modified_at: toSeconds(repo.last_modified_at),
});
