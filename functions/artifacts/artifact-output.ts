import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { parseKeepingRaw, RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { type Runs, readRuns } from '#shared/environments/records/running.ts';
import { type RunsIn, runtimeHistory } from '#shared/environments/rules/presence.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { Commit } from '#shared/evidence/rules/shared-fields.ts';
import { type TrailJudge, trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { Services } from '#shared/http/services.ts';

const Presence = z.object({ environment_name: z.string(), snapshot_index: z.int() });

/** An artifact as clients read it (wire flows §5 A3). */
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
    user_data: z.unknown(),
    created_at: z.number(),
    created_by: z.string(),
    running: z.array(Presence),
    exited: z.array(Presence),
    history: z.array(z.object({ event: z.string(), timestamp: z.number() })),
  })
  .meta({ id: 'Artifact' });

/** What a report said, as its record keeps it. */
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
  user_data: RawJson;
}

/** What stands where the facts of a report were erased. */
const ERASED: ArtifactFacts = {
  ...{ filename: '', build_url: '', commit_url: '', repo_url: '', description: null, annotations: null },
  ...{ external_urls: null, git_commit_info: null, repo_info: null, user_data: new RawJson('{}') },
};

export interface Reader {
  host: string;
  orgName: string;
  orgId: OrganizationId;
  flowName: (flow: FlowId) => string;
}

export const artifactUrl = (host: string, org: string, flow: string, fingerprint: string, id?: string): string =>
  absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`) + (id === undefined ? '' : `?artifact_id=${id}`);

interface Place {
  flow: FlowId;
  trail: string;
}
const placeKey = ({ flow, trail }: Place) => `${flow}#${trail}`;
type Judges = ReadonlyMap<string, TrailJudge>;

/** What judges the artifacts of trails: each trail is read once, all at the same time. */
export async function judgesOf(
  { table, objects }: Services,
  orgId: OrganizationId,
  places: readonly Place[],
): Promise<Judges> {
  const trails = new Map(places.map((place) => [placeKey(place), place]));
  return new Map(
    await Promise.all(
      [...trails].map(async ([key, { flow, trail }]) => {
        const read = await readTrailState(table, orgId, flow, trail);
        if (!read) throw new Error(`Artifacts name the trail ${trail}, which is not there`);
        const template = await loadTemplate(table, objects, orgId, read.state.template);
        return [key, trailJudge(read.state, template)] as const;
      }),
    ),
  );
}

/** What was read before, beside what leads to the artifacts. */
export interface Early {
  judges?: Judges;
  runs?: Runs;
  /** What the trail of the one artifact that is shown says of starts and stops. */
  runtime?: readonly RuntimeEvent[];
}

/** Artifacts with their effective verdicts (semantics §3.8), and where they run (wire environments §4.6). */
export async function artifactsOut(
  services: Services,
  records: readonly ArtifactRecord[],
  reader: Reader,
  early: Early = {},
): Promise<z.input<typeof ArtifactOut>[]> {
  const fingerprints = records.map(({ fingerprint }) => fingerprint);
  const [judges, runs, texts] = await Promise.all([
    early.judges ?? judgesOf(services, reader.orgId, records),
    early.runs ?? readRuns(services.table, reader.orgId, fingerprints),
    Promise.all(records.map((record) => readBody(services.objects, reader.orgId, record.facts))),
  ]);
  return records.map((record, i) => {
    const text = texts[i] ?? null;
    const facts = text === null ? ERASED : (parseKeepingRaw(text, ['user_data']) as unknown as ArtifactFacts);
    const verdict = judges.get(placeKey(record))?.effective(record.fingerprint);
    if (!verdict) throw new Error(`Artifact ${record.id} is not in its trail`);
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
      annotations: facts.annotations ?? {},
      created_at: toSeconds(record.at),
      created_by: record.by,
      ...presenceOf(record, runs, early.runtime ?? []),
    };
  });
}

/** Where an artifact runs, where it did, and its history, oldest first. */
function presenceOf(
  { fingerprint, name, at }: ArtifactRecord,
  { byFingerprint, environments }: Runs,
  runtime: Early['runtime'],
) {
  const runs = byFingerprint.get(fingerprint) ?? [];
  const nameOf = (environment: EnvironmentId) => environments.get(environment) ?? '';
  const presence = ({ environment, index }: RunsIn) => ({
    environment_name: nameOf(environment),
    snapshot_index: index,
  });
  const told = (runtime ?? [])
    .filter((event) => event.fingerprint === fingerprint)
    .map(({ environment, index, at: when, type }) => ({ environment, index, at: when, running: type === 'started' }));
  const history = runtimeHistory([...runs, ...told], nameOf).map(
    (event) => [`${event.at} ${event.event}`, event] as const,
  );
  return {
    running: runs.filter(({ running }) => running).map(presence),
    exited: runs.filter(({ running }) => !running).map(presence),
    history: [
      { event: `${name} reported`, timestamp: toSeconds(at) },
      // Both may say the same of the last start and stop.
      ...[...new Map(history).values()].map((event) => ({ event: event.event, timestamp: toSeconds(event.at) })),
    ],
  };
}
