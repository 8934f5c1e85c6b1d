import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { parseKeepingRaw, RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { type Runs, readRuns } from '#shared/environments/records/running.ts';
import { type RunsIn, runtimeHistory } from '#shared/environments/rules/presence.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import type { Commit } from '#shared/evidence/rules/shared-fields.ts';
import { placeKey, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import type { Services } from '#shared/http/services.ts';

const Presence = z.object({ environment_name: z.string(), snapshot_index: z.int() });

/** An artifact as clients read it (rules/artifacts.md#artifact-as-read). */
export const ArtifactOut = z
  .object({
    artifact_id: z.string(),
    fingerprint: z.string(),
    filename: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    template_reference_name: z.string(),
    git_commit: z.string(),
    git_commit_info: z.looseObject({}).nullable(),
    commits_list: z.array(z.looseObject({})).meta({ description: 'The commits of the report, in its order' }),
    repo_info: z.looseObject({}).nullable(),
    commit_url: z.string(),
    build_url: z.string(),
    repo_url: z.string(),
    html_url: z.string(),
    state: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
    is_compliant: z.boolean(),
    description: z.string(),
    annotations: z.record(z.string(), z.string()),
    external_urls: z.record(z.string(), z.looseObject({})).nullable(),
    template: z
      .union([z.string(), z.array(z.string())])
      .nullable()
      .meta({ description: 'The legacy field `template` of the report; null if it had none' }),
    user_data: z.unknown(),
    created_at: z.number(),
    created_by: z.string(),
    identity: VerifiedIdentity.nullable(),
    running: z.array(Presence),
    exited: z.array(Presence),
    history: z.array(z.object({ event: z.string(), timestamp: z.number() })),
    erased: ErasureOut.optional(),
  })
  .meta({ id: 'Artifact' });

/** The fields of a report that are stored in a body of their own (rules/artifacts.md#artifact-record). */
interface ArtifactFacts {
  filename: string;
  build_url: string;
  commit_url: string;
  repo_url: string;
  description: string | null;
  annotations: Record<string, string> | null;
  external_urls: Record<string, Record<string, unknown>> | null;
  git_commit_info: Commit | null;
  repo_info: Record<string, unknown> | null;
  /** Nulls of a commit are kept in reports that were stored before nulls were removed. */
  commits_list: Record<string, unknown>[] | null;
  /** Absent in reports that were stored before the field was kept. */
  template?: string | string[] | null;
  user_data: RawJson;
}

/** Shown instead of facts that were erased (rules/artifacts.md#erased-facts). */
const ERASED: ArtifactFacts = {
  filename: '',
  build_url: '',
  commit_url: '',
  repo_url: '',
  description: null,
  annotations: null,
  external_urls: null,
  git_commit_info: null,
  repo_info: null,
  commits_list: null,
  user_data: new RawJson('{}'),
};

export interface Reader {
  host: string;
  orgName: string;
  orgId: OrganizationId;
  flowName: (flow: FlowId) => string;
}

export const artifactUrl = (host: string, org: string, flow: string, fingerprint: string, id?: string): string =>
  absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`) + (id === undefined ? '' : `?artifact_id=${id}`);

/** What the caller has read already, at the same time as the records. The rest is read here. */
export interface ReadAlready {
  judges?: TrailJudges;
  runs?: Runs | Promise<Runs>;
  /** Starts and stops from the trail of the artifact. Only an endpoint that shows a single artifact gives them. */
  runtime?: readonly RuntimeEvent[];
}

/**
 * Shapes records of artifacts for clients, each with its effective verdict (rules/artifacts.md#state) and the
 * environments in which it runs (rules/artifacts.md#where-it-runs).
 * @returns one output per record, in the order of the records
 * @throws Error if an artifact is not in the trail that its record names
 */
export async function artifactsOut(
  services: Services,
  records: readonly ArtifactRecord[],
  reader: Reader,
  alreadyRead: ReadAlready = {},
): Promise<z.input<typeof ArtifactOut>[]> {
  const fingerprints = records.map(({ fingerprint }) => fingerprint);
  const [judges, runs, texts] = await Promise.all([
    alreadyRead.judges ?? readTrailJudges(services, reader.orgId, records),
    alreadyRead.runs ?? readRuns(services.table, reader.orgId, fingerprints),
    Promise.all(records.map((record) => readBody(services.objects, reader.orgId, record.facts))),
  ]);
  return records.map((record, i) => {
    const text = texts[i] ?? null;
    const facts = text === null ? ERASED : (parseKeepingRaw(text, ['user_data']) as unknown as ArtifactFacts);
    const verdict = judges.get(placeKey(record))?.effective(record.fingerprint);
    if (!verdict) throw new Error(`Artifact ${record.id} is not in the trail that its record names`);
    const flow = reader.flowName(record.flow);
    return {
      ...facts,
      artifact_id: record.id,
      fingerprint: record.fingerprint,
      flow_name: flow,
      trail_name: record.trail,
      template_reference_name: record.name,
      git_commit: record.commit,
      git_commit_info: facts.git_commit_info && { ...facts.git_commit_info },
      html_url: artifactUrl(reader.host, reader.orgName, flow, record.fingerprint, record.id),
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
      ...presenceOf(record, runs, alreadyRead.runtime ?? []),
    };
  });
}

/** The environments in which an artifact runs or ran, and its history, oldest first (rules/artifacts.md#history). */
function presenceOf(
  { fingerprint, name, at }: ArtifactRecord,
  { byFingerprint, environments }: Runs,
  runtime: readonly RuntimeEvent[],
) {
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
