import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readEvent } from '#shared/environments/records/environment-events.ts';
import { environmentEventKey } from '#shared/environments/records/keys.ts';
import type { Running, Runs } from '#shared/environments/records/running.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import { NO_PROVENANCE, type Provenance, provenanceOf } from '#shared/evidence/provenance.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import type { Services } from '#shared/http/services.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { artifactUrl, type Reader } from './artifact-output.ts';

/** The last start of an artifact in each environment, and what it replaced there (rules/artifacts.md#last-starts). */
export const LastStart = z
  .object({
    environment_name: z.string(),
    snapshot_index: z.int().meta({ description: 'Snapshot in which the artifact started' }),
    at: z.number(),
    lead_time: z.number().nullable().meta({
      description: 'Seconds from the commit to the start; null if the report does not tell when the commit was',
    }),
    replaced: z
      .object({
        fingerprint: z.string(),
        name: z.string().meta({ description: 'File name of the report; empty if it was erased' }),
        flow_name: z.string(),
        trail_name: z.string(),
        git_commit: z.string(),
        html_url: z.string(),
      })
      .nullable()
      .meta({
        description: 'The artifact of the same name that ran before it; null if there was none or it is not known',
      }),
    code_diff: z
      .string()
      .nullable()
      .meta({ description: 'Address of the difference of both commits, if there is one' }),
  })
  .meta({ id: 'LastStart' });

/** Environments that are shown, those with the newest starts. */
const MOST_ENVIRONMENTS = 20;
/** The starts that are shown: the last one in each environment, the newest first. */
const shownStarts = (running: readonly Running[]): (Running & { start: number })[] =>
  running
    .filter((run): run is Running & { start: number } => run.start !== undefined)
    .sort((a, b) => (b.startAt ?? b.at) - (a.startAt ?? a.at))
    .slice(0, MOST_ENVIRONMENTS);

/** The keys of the events of the starts that are shown. */
export const startKeys = (org: OrganizationId, running: readonly Running[]): Key[] =>
  shownStarts(running).map(({ environment, start }) => environmentEventKey(org, environment, start));

/**
 * Reads what the starts replaced, and shows the starts, newest first. Starts in archived environments and starts without a
 * written event are left out. Takes two calls after one another, and a third for bodies in the bucket.
 * @param running where the artifact runs
 * @param read the environments, and the items of {@link startKeys}
 */
export async function readLastStarts(
  services: Services,
  reader: Reader,
  running: readonly Running[],
  { runs: { environments }, events }: { runs: Runs; events: ReadonlyMap<string, Item> },
): Promise<z.input<typeof LastStart>[]> {
  const starts = shownStarts(running).flatMap(({ environment, start }) => {
    const found = environments.get(environment);
    const item = events.get(keyText(environmentEventKey(reader.orgId, environment, start)));
    return found?.archived === null && item ? [{ environment: found.name, event: readEvent(item) }] : [];
  });
  const reports = starts.flatMap(({ event: { report, previous } }) => [report ?? [], previous ?? []].flat());
  const records = await readArtifacts(services.table, reader.orgId, [...new Set(reports)]);
  const [provenance, flows] = await Promise.all([
    provenanceOf(services.objects, reader.orgId, records),
    readFlowNames(services.table, reader.orgId, [...new Set(records.map(({ flow }) => flow))]),
  ]);
  const replaced = new Map(
    records.map((record) => [record.id, replacedOut(record, flows.get(record.flow) ?? '', provenance, reader)]),
  );
  return starts.map(({ environment, event: { at, index, report, previous } }) => {
    const own = provenanceIn(report, provenance);
    return {
      environment_name: environment,
      snapshot_index: index,
      at: toSeconds(at),
      lead_time: own.commitInfo ? toSeconds(at) - own.commitInfo.timestamp : null,
      replaced: (previous !== null && replaced.get(previous)) || null,
      code_diff: report === null || previous === null ? null : codeDiffUrl(provenanceIn(previous, provenance), own),
    };
  });
}

const provenanceIn = (report: string | null, provenance: ReadonlyMap<string, Provenance>): Provenance =>
  (report === null ? undefined : provenance.get(report)) ?? NO_PROVENANCE;

function replacedOut(
  { id, fingerprint, trail, commit }: ArtifactRecord,
  flow: string,
  provenance: ReadonlyMap<string, Provenance>,
  { host, orgName }: Reader,
) {
  return {
    fingerprint,
    name: provenanceIn(id, provenance).filename,
    flow_name: flow,
    trail_name: trail,
    git_commit: commit,
    html_url: artifactUrl(host, orgName, flow, fingerprint, id),
  };
}
