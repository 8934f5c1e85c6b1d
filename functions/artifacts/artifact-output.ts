import * as z from 'zod';
import { RuntimeHistory } from '#functions/forms/runtime-history.ts';
import { absolute } from '#shared/base/addresses.ts';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import type { ArtifactsPage } from '#shared/environments/artifacts/list-artifacts.ts';
import type { ShownArtifact } from '#shared/environments/artifacts/shown-artifacts.ts';
import { type RunsIn, runtimeHistory } from '#shared/environments/rules/presence.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import type { Request } from '#shared/http/request.ts';

const Presence = z.object({
  environment_name: z.string().describe('Name of the environment'),
  snapshot_index: z.int().describe('Number of the snapshot'),
});

/** An artifact as clients read it (rules/artifacts.md#artifact-as-read). */
export const ArtifactOut = z
  .object({
    artifact_id: z.string().describe('Id of the report of the artifact'),
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    filename: z.string().describe('Name of the file'),
    flow_name: z.string().describe('Name of the flow'),
    trail_name: z.string().describe('Name of the trail'),
    template_reference_name: z.string().describe('Name of the artifact in the template of the trail'),
    git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
    git_commit_info: z.looseObject({}).nullable().describe('The commit of the report'),
    commits_list: z.array(z.looseObject({})).meta({ description: 'The commits of the report, in its order' }),
    repo_info: z.looseObject({}).nullable().describe('The source repository of the report'),
    commit_url: z.string().describe('Address of the commit'),
    build_url: z.string().describe('Address of the build'),
    repo_url: z.string().describe('Address of the repository'),
    html_url: z.string().describe('Address of a page for people'),
    state: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']).describe('The verdict in one word'),
    is_compliant: z.boolean().describe('Whether it is compliant'),
    description: z.string().describe('A text for people'),
    annotations: z.record(z.string(), z.string()).describe('Texts by name. A name has letters, digits and `_`'),
    external_urls: z
      .record(z.string(), z.looseObject({}))
      .nullable()
      .describe('Links by label. A label contains neither `.` nor `=`. A link is an address, or an object with `href`'),
    template: z
      .union([z.string(), z.array(z.string())])
      .nullable()
      .meta({ description: 'The legacy field `template` of the report; null if it had none' }),
    user_data: z.unknown().describe('Any JSON. It is stored and answered as it was sent'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    identity: CallerIdentity,
    running: z.array(Presence).describe('Environments in which the artifact runs'),
    exited: z.array(Presence).describe('Environments in which the artifact ran and runs no longer'),
    history: RuntimeHistory,
    erased: ErasureOut,
  })
  .meta({ id: 'Artifact' });

export const artifactUrl = (host: string, org: string, flow: string, fingerprint: string, id?: string): string =>
  absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`) + (id === undefined ? '' : `?artifact_id=${id}`);

export function artifactOut(shown: ShownArtifact, at: Pick<Request, 'host' | 'org'>): z.input<typeof ArtifactOut> {
  const { record, facts, verdict, flow } = shown;
  return {
    ...facts,
    artifact_id: record.id,
    fingerprint: record.fingerprint,
    flow_name: flow,
    trail_name: record.trail,
    template_reference_name: record.name,
    git_commit: record.commit,
    git_commit_info: facts.git_commit_info && { ...facts.git_commit_info },
    html_url: artifactUrl(at.host, at.org.name, flow, record.fingerprint, record.id),
    state: verdict.status,
    is_compliant: verdict.is_compliant,
    description: facts.description ?? '',
    commits_list: facts.commits_list ?? [],
    template: facts.template ?? null,
    annotations: facts.annotations ?? {},
    created_at: toSeconds(record.at),
    created_by: record.by,
    identity: record.identity ?? null,
    ...erasedOut(record.facts.erased),
    ...presenceOf(shown),
  };
}

/** The environments in which an artifact runs or ran, and its history, oldest first (rules/artifacts.md#history). */
function presenceOf({
  record: { fingerprint, name, at },
  runs: { byFingerprint, environments },
  runtime,
}: ShownArtifact) {
  const runs = byFingerprint.get(fingerprint) ?? [];
  const nameOf = (environment: EnvironmentId) => environments.get(environment)?.name ?? '';
  const presence = ({ environment, index }: RunsIn) => ({
    environment_name: nameOf(environment),
    snapshot_index: index,
  });
  const startsAndStops = runtime
    .filter((event) => event.fingerprint === fingerprint)
    .map(({ environment, index, at: when, type }) => ({ environment, index, at: when, running: type === 'started' }));
  const history = runtimeHistory([...runs, ...startsAndStops], nameOf).map(
    (event) => [`${event.at} ${event.event}`, event] as const,
  );
  return {
    running: runs.filter(({ running }) => running).map(presence),
    exited: runs.filter(({ running }) => !running).map(presence),
    history: [
      { event: `${name} reported`, timestamp: toSeconds(at) },
      // Runs and runtime events can both hold the last start and the last stop. The Map keeps each event once.
      ...[...new Map(history).values()].map((event) => ({ event: event.event, timestamp: toSeconds(event.at) })),
    ],
  };
}

export const artifactsAnswer = (
  request: Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>,
  { page, per_page: perPage }: { page: number; per_page: number },
  { total, artifacts }: ArtifactsPage,
) =>
  pageAnswer(
    request,
    { page, perPage, total },
    artifacts.map((one) => artifactOut(one, request)),
  );
