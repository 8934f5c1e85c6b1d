import type { OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import type { Moment } from './records/moments.ts';
import type { RuntimeEvent } from './records/runtime-events.ts';
import type { EventRepo } from './records/trail-items.ts';
import type { TrailRecord } from './records/trail-records.ts';
import { fieldsFrom } from './rules/trail-report.ts';

/** What the events show of a trail. */
type EventfulTrail = Pick<TrailRecord, 'flow' | 'head' | 'moments' | 'fields' | 'commits' | 'repos'>;

/**
 * Builds the events of a trail as clients read them, ascending by time: one per moment (rules/trails.md#events), and the
 * starts and stops of its artifacts (rules/trails.md#runtime-events).
 */
export function trailEvents(trail: EventfulTrail, runtime: readonly RuntimeEvent[], organization: OrganizationId) {
  /** File name of the latest report so far, by fingerprint. A report of an artifact adds to it. */
  const filenames = new Map<string, string>();
  const moments = trail.moments.map((moment) => momentEvent(moment, trail, filenames, organization));
  const events = [...moments, ...runtime.map((event) => runtimeEvent(event, trail, organization))];
  return events.sort((a, b) => a.timestamp - b.timestamp);
}

function momentEvent(
  moment: Moment,
  { fields, commits, repos }: EventfulTrail,
  filenames: Map<string, string>,
  organization: OrganizationId,
) {
  const { kind, at, flow, trail, content, erased } = moment;
  const commit = content.commit === undefined ? undefined : commits.get(content.commit);
  const repo = content.repo === undefined ? undefined : repos.get(content.repo);
  return {
    type: kind,
    timestamp: toSeconds(at),
    org_id: organization,
    flow_id: flow,
    trail_id: trail,
    git_commit_info: commit === undefined ? null : { author_username: null, parents: null, ...JSON.parse(commit) },
    repo_info: repo ? repoOut(organization, repo) : null,
    ...(kind === 'trail_reported' || kind === 'trail_updated'
      ? reportOfTrail(moment, fields)
      : reportInTrail(moment, filenames)),
    ...erasedOut(erased),
  };
}

const repoOut = (organization: OrganizationId, repo: EventRepo) => ({
  ...repo,
  org_id: organization,
  created_at: toSeconds(repo.created_at),
  last_modified_at: toSeconds(repo.last_modified_at),
});

/** What a report said of the trail itself: the fields that were given; `user_data` is a JSON text. */
function reportOfTrail({ kind, name, content }: Moment, texts: TrailRecord['fields']) {
  const fields = fieldsFrom(content.fields === null ? null : texts.get(content.fields));
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return {
    setting_user_id: content.by.id,
    trail_data_json: { name, ...Object.fromEntries(given) },
    ...(kind === 'trail_updated' && { changes: content.show?.['changes'] }),
  };
}

/** What a report of an artifact or of an attestation said. */
function reportInTrail({ content: { changes, show = {} } }: Moment, filenames: Map<string, string>) {
  const change = changes.find((entry) => entry.kind !== 'repo');
  if (!change) throw new Error('A moment of a report has no slot change');
  if (change.kind === 'artifact') {
    filenames.set(change.fingerprint, String(show['filename']));
    return {
      artifact_fingerprint: change.fingerprint,
      artifact_name: show['filename'],
      artifact_id: change.id,
      template_reference_name: change.name,
      git_commit: change.commit,
    };
  }
  const { scope } = change;
  return {
    attestation_type: show['type'] ?? change.type,
    attestation_id: change.id,
    template_reference_name: change.name,
    is_compliant: change.compliant,
    ...(scope.kind === 'fingerprint' && {
      artifact_fingerprint: scope.fingerprint,
      artifact_name: filenames.get(scope.fingerprint) ?? null,
    }),
    ...(scope.kind !== 'trail' && { target_artifact: show['target'] ?? null }),
  };
}

const runtimeEvent = (event: RuntimeEvent, { flow, head }: EventfulTrail, organization: OrganizationId) => ({
  type: `artifact_${event.type}_running`,
  timestamp: toSeconds(event.at),
  org_id: organization,
  flow_id: flow.id,
  trail_id: head.id,
  git_commit_info: null,
  repo_info: null,
  artifact_fingerprint: event.fingerprint,
  template_reference_name: event.slot,
  environment_id: event.environment,
  environment_name: event.name,
  snapshot_index: event.index,
  ...(event.type === 'started' && { replica_number: event.instances }),
});
