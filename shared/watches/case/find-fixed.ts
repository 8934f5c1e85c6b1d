import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type BuildArtifact, countBuilds } from '#shared/components/builds/build-artifacts.ts';
import type { Sbom } from '#shared/components/records/sboms.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { seriesPage } from '#shared/series/series.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Table } from '#shared/table/table.ts';
import type { Affected } from './affected.ts';

/** Flows of a case that are looked at, and the newest trails of each. */
const MOST_FLOWS = 20;
const TRAILS = 50;

/** The first build of an artifact behind its last affected one. */
export interface FixedBuild {
  build: Sbom;
  artifact: BuildArtifact & { name: string };
}

/**
 * Finds builds that followed affected ones and hold no asked version (rules/watches.md#fixed-builds). An artifact is known by its flow and its name
 * in the template.
 */
export async function findFixed(
  table: Table,
  org: OrganizationId,
  { rows, holders }: Pick<Affected, 'rows' | 'holders'>,
  asOf: Micros,
): Promise<FixedBuild[]> {
  const last = new Map<string, Micros>();
  for (const { build, artifact } of rows) {
    if (artifact.name === null) continue;
    const name = nameIn(build.flow, artifact.name);
    if (build.at > (last.get(name) ?? 0)) last.set(name, build.at);
  }
  const flows = [...new Set(rows.map(({ build }) => build.flow))].slice(0, MOST_FLOWS);
  const pages = await readEach(flows, (flow) =>
    seriesPage(table, org, `trails:${flow}`, { page: 1, perPage: TRAILS }, asOf),
  );
  const places = pages.flatMap(({ entries }) => entries.map(listedTrail));
  const { sboms, artifacts } = await countBuilds(table, org, places, asOf);
  const first = new Map<string, FixedBuild>();
  for (const build of sboms.toSorted((a, b) => a.at - b.at)) {
    if (build.state !== 'read' || holders.has(build.id)) continue;
    for (const { name, ...artifact } of artifacts.get(build.id) ?? []) {
      const key = name === null ? '' : nameIn(build.flow, name);
      const affectedAt = last.get(key);
      if (name === null || affectedAt === undefined || build.at <= affectedAt || first.has(key)) continue;
      first.set(key, { build, artifact: { ...artifact, name } });
    }
  }
  return [...first.values()];
}

/** Names of artifacts have no `/`. */
const nameIn = (flow: FlowId, artifact: string): string => `${flow}/${artifact}`;
