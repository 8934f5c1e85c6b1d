import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { parseKeepingRaw, RawJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import type { Commit } from '#shared/evidence/rules/shared-fields.ts';
import type { AttestationStatus, EffectiveVerdict } from '#shared/evidence/rules/verdict.ts';
import { placeKey, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import { type Runs, readRuns } from '../records/running.ts';

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

export interface ShownArtifact {
  record: ArtifactRecord;
  facts: ArtifactFacts;
  verdict: EffectiveVerdict;
  /** Returns the entries that the verdict rests on. */
  entries: () => AttestationStatus[];
  /** Present name of the flow. */
  flow: string;
  runs: Runs;
  /** Starts and stops from the trail of the artifact. Only of an artifact that is read alone. */
  runtime: readonly RuntimeEvent[];
}

/** What the caller has read already, at the same time as the records. The rest is read here. */
interface ReadAlready {
  judges?: TrailJudges;
  runs?: Runs | Promise<Runs>;
  runtime?: readonly RuntimeEvent[];
}

/**
 * Reads what is shown of reports of artifacts: each with its effective verdict (rules/artifacts.md#state) and the
 * environments in which it runs (rules/artifacts.md#where-it-runs).
 *
 * @param flowName is called after everything is read
 * @returns one per record, in the order of the records
 * @throws Error if an artifact is not in the trail that its record names
 */
export async function readShownArtifacts(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  records: readonly ArtifactRecord[],
  flowName: (flow: FlowId) => string,
  alreadyRead: ReadAlready = {},
): Promise<ShownArtifact[]> {
  const fingerprints = records.map(({ fingerprint }) => fingerprint);
  const [judges, runs, texts] = await Promise.all([
    alreadyRead.judges ?? readTrailJudges({ table, objects }, org, records),
    alreadyRead.runs ?? readRuns(table, org, fingerprints),
    Promise.all(records.map((record) => readBody(objects, org, record.facts))),
  ]);
  return records.map((record, i) => {
    const text = texts[i] ?? null;
    // The service wrote the text of the facts when it stored the report.
    const facts = text === null ? ERASED : (parseKeepingRaw(text, ['user_data']) as unknown as ArtifactFacts);
    const judge = judges.get(placeKey(record))?.judge;
    const verdict = judge?.effective(record.fingerprint);
    if (!judge || !verdict) throw new Error(`Artifact ${record.id} is not in the trail that its record names`);
    const entries = () => judge.entries(record.fingerprint);
    return { record, facts, verdict, entries, flow: flowName(record.flow), runs, runtime: alreadyRead.runtime ?? [] };
  });
}
