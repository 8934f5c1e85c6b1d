import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { NO_PROVENANCE, type Provenance, provenanceOf } from '#shared/evidence/provenance.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { type EnvironmentEvent, readEvent } from '../records/environment-events.ts';
import { environmentEventKey } from '../records/keys.ts';
import type { Running, Runs } from '../records/running.ts';

/** The last start of an artifact in an environment (rules/artifacts.md#last-starts). */
export interface LastStart {
  /** Name of the environment. */
  environment: string;
  event: Pick<EnvironmentEvent, 'at' | 'index'>;
  /** Where the artifact came from. */
  provenance: Provenance;
  /** Where the artifact came from that ran before it; null if one of both reports is not known. */
  before: Provenance | null;
  /** The report of the artifact of the same name that ran before it; null if there was none or it is not known. */
  replaced: { record: ArtifactRecord; flow: string; filename: string } | null;
}

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
 * Reads what the starts replaced, newest start first. Starts in archived environments and starts without a written event
 * are left out. Takes two calls after one another, and a third for bodies in the bucket.
 *
 * @param running where the artifact runs
 * @param read the environments, and the items of {@link startKeys}
 */
export async function readLastStarts(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  running: readonly Running[],
  { runs: { environments }, events }: { runs: Runs; events: ReadonlyMap<string, Item> },
): Promise<LastStart[]> {
  const starts = shownStarts(running).flatMap(({ environment, start }) => {
    const found = environments.get(environment);
    const item = events.get(keyText(environmentEventKey(org, environment, start)));
    return found?.archived === null && item ? [{ environment: found.name, event: readEvent(item) }] : [];
  });
  const reports = starts.flatMap(({ event: { report, previous } }) => [report ?? [], previous ?? []].flat());
  const records = await readArtifacts(table, org, [...new Set(reports)]);
  const [provenance, flows] = await Promise.all([
    provenanceOf(objects, org, records),
    readFlowNames(table, org, [...new Set(records.map(({ flow }) => flow))]),
  ]);
  const byId = new Map(records.map((record) => [record.id, record]));
  return starts.map(({ environment, event }) => {
    const { report, previous } = event;
    const record = previous === null ? undefined : byId.get(previous);
    return {
      environment,
      event,
      provenance: provenanceIn(report, provenance),
      before: report === null || previous === null ? null : provenanceIn(previous, provenance),
      replaced: record
        ? { record, flow: flows.get(record.flow) ?? '', filename: provenanceIn(record.id, provenance).filename }
        : null,
    };
  });
}

const provenanceIn = (report: string | null, provenance: ReadonlyMap<string, Provenance>): Provenance =>
  (report === null ? undefined : provenance.get(report)) ?? NO_PROVENANCE;
