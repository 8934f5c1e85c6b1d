import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readTrailStates } from '#shared/evidence/records/trails.ts';
import type { Scope, TrailState } from '#shared/evidence/rules/trail-state.ts';
import { readRecallsAt } from '#shared/signers/read-recalls-at.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import type { Table } from '#shared/table/table.ts';
import { readSbomsOf, type Sbom } from '../records/sboms.ts';
import type { Build } from '../records/sets.ts';
import { countedSboms } from '../rules/counted-sboms.ts';

/** Which artifacts a build is about, as of an instant (rules/components.md#sboms-that-count). */

export interface BuildArtifact {
  fingerprint: Fingerprint;
  /** Template reference name and commit of its latest report in the trail; null if the trail does not have the artifact. */
  name: string | null;
  commit: string | null;
}

interface CountedBuilds {
  /** By id of the attestation: the artifacts for which the build counts. Recalled, replaced and later builds are left out. */
  artifacts: ReadonlyMap<string, BuildArtifact[]>;
  recalls: readonly Recall[];
  /** All SBOMs of the trails of the builds. */
  sboms: readonly Sbom[];
}

/**
 * Reads for which artifacts builds count. All trails cost a call for 50 of their SBOMs and a call for 50 of their states.
 *
 * @param asOf later SBOMs do not count; recalls count as they were then
 */
export async function countBuilds(
  table: Table,
  org: OrganizationId,
  builds: readonly Pick<Build, 'flow' | 'trail'>[],
  asOf: Micros,
): Promise<CountedBuilds> {
  const places = [...new Map(builds.map(({ flow, trail }) => [`${flow}/${trail}`, { flow, trail }])).values()];
  const [sboms, states, recalls] = await Promise.all([
    readSbomsOf(table, org, places),
    readTrailStates(table, org, places),
    readRecallsAt(table, org, asOf),
  ]);
  const artifacts = new Map<string, BuildArtifact[]>();
  for (const [i, all] of sboms.entries()) {
    const state = states[i]?.state;
    for (const { scope, sbom } of countedSboms(all, asOf, recalls)) {
      const found = artifactsOf(scope, state).filter(({ fingerprint }) => !has(artifacts.get(sbom.id), fingerprint));
      artifacts.set(sbom.id, [...(artifacts.get(sbom.id) ?? []), ...found]);
    }
  }
  return { artifacts, recalls, sboms: sboms.flat() };
}

const has = (artifacts: readonly BuildArtifact[] | undefined, fingerprint: Fingerprint): boolean =>
  artifacts?.some((one) => one.fingerprint === fingerprint) ?? false;

/** The artifacts of a trail that a scope names. An artifact that the trail does not have is known by its fingerprint alone. */
function artifactsOf(scope: Scope, state: TrailState | undefined): BuildArtifact[] {
  const reports = [...(state?.artifacts.values() ?? [])].toSorted((a, b) => b.number - a.number);
  const latest = new Map(reports.toReversed().map(({ fingerprint, name, commit }) => [fingerprint, { name, commit }]));
  const shown = (fingerprint: Fingerprint): BuildArtifact => ({
    fingerprint,
    ...(latest.get(fingerprint) ?? { name: null, commit: null }),
  });
  switch (scope.kind) {
    case 'trail':
      return [...latest.keys()].map(shown);
    case 'fingerprint':
      return [shown(scope.fingerprint)];
    case 'named':
      return [
        ...new Set(
          reports
            .filter(({ name, commit }) => name === scope.artifact && commit === scope.commit)
            .map(({ fingerprint }) => fingerprint),
        ),
      ].map(shown);
  }
}
