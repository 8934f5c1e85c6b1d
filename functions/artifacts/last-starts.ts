import * as z from 'zod';
import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { type EnvironmentEvent, eventNumbers, readEvents } from '#shared/environments/records/environment-events.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { readRunning } from '#shared/environments/records/running.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import { rangeSize } from '#shared/environments/rules/interval.ts';
import { NO_PROVENANCE, type Provenance, readProvenance } from '#shared/evidence/provenance.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import type { Services } from '#shared/http/services.ts';
import { readEach } from '#shared/table/read-each.ts';
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
/** Events of a snapshot that are read to find the start among them. */
const MOST_EVENTS = 1_000;

interface Start {
  head: EnvironmentHead;
  event: EnvironmentEvent;
}

/** Reads the starts, newest first. Takes four calls after one another, and a fifth for bodies in the bucket. */
export async function readLastStarts(
  services: Services,
  reader: Reader,
  fingerprint: Fingerprint,
): Promise<z.input<typeof LastStart>[]> {
  const starts = await findStarts(services, reader.orgId, fingerprint);
  const reports = starts.flatMap(({ event: { report, previous } }) => [report ?? [], previous ?? []].flat());
  const [provenance, records] = await Promise.all([
    readProvenance(services, reader.orgId, reports),
    readArtifacts(services.table, reader.orgId, [
      ...new Set(starts.flatMap(({ event: { previous } }) => previous ?? [])),
    ]),
  ]);
  const flows = await readFlowNames(
    services.table,
    reader.orgId,
    records.map(({ flow }) => flow),
  );
  const replaced = new Map(
    records.map((record) => [record.id, replacedOut(record, flows.get(record.flow) ?? '', provenance, reader)]),
  );
  return starts.map(({ head, event: { at, index, report, previous } }) => {
    const own = provenanceOf(report, provenance);
    return {
      environment_name: head.name,
      snapshot_index: index,
      at: toSeconds(at),
      lead_time: own.commitInfo ? toSeconds(at) - own.commitInfo.timestamp : null,
      replaced: (previous !== null && replaced.get(previous)) || null,
      code_diff: report === null || previous === null ? null : codeDiffUrl(provenanceOf(previous, provenance), own),
    };
  });
}

const provenanceOf = (report: string | null, provenance: ReadonlyMap<string, Provenance>): Provenance =>
  (report === null ? undefined : provenance.get(report)) ?? NO_PROVENANCE;

function replacedOut(
  { id, fingerprint, trail, commit }: ArtifactRecord,
  flow: string,
  provenance: ReadonlyMap<string, Provenance>,
  { host, orgName }: Reader,
) {
  return {
    fingerprint,
    name: provenanceOf(id, provenance).filename,
    flow_name: flow,
    trail_name: trail,
    git_commit: commit,
    html_url: artifactUrl(host, orgName, flow, fingerprint, id),
  };
}

/** The event of the last start in each environment that is not archived. Starts without a written event are left out. */
async function findStarts({ table }: Services, org: OrganizationId, fingerprint: Fingerprint): Promise<Start[]> {
  const newest = (await readRunning(table, org, fingerprint))
    .map(({ environment, index, at, startIndex = index, startAt = at }) => ({
      environment,
      index: startIndex,
      at: startAt,
    }))
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST_ENVIRONMENTS);
  const heads = await readEnvironmentHeads(
    table,
    org,
    newest.map(({ environment }) => environment),
  );
  const found = await readEach(newest, ({ environment, index }) =>
    startIn({ table }, org, heads.get(environment), index, fingerprint),
  );
  return found.filter((start) => start !== null);
}

async function startIn(
  { table }: Pick<Services, 'table'>,
  org: OrganizationId,
  head: EnvironmentHead | undefined,
  index: number,
  fingerprint: Fingerprint,
): Promise<Start | null> {
  if (!head || head.archived !== null) return null;
  const numbers = await eventNumbers(table, org, head, { from: index, to: index });
  if (rangeSize(numbers) > MOST_EVENTS) return null;
  const events = await readEvents(table, org, head.id, numbers);
  const event = events.find((one) => one.type === 'started' && one.fingerprint === fingerprint);
  return event ? { head, event } : null;
}
