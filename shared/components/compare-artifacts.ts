import type { Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFlowPresencesOf } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { readTrailStates } from '#shared/evidence/records/trails.ts';
import type { AttestationSlot, TrailState } from '#shared/evidence/rules/trail-state.ts';
import { readRecallsAt } from '#shared/signers/read-recalls-at.ts';
import { readPending } from './read-known-components.ts';
import { readEachSet } from './read-listed-components.ts';
import { readSbomsOf, type Sbom } from './records/sboms.ts';
import type { Component } from './rules/component.ts';
import { type ComponentDifferences, componentDifferences } from './rules/differences.ts';
import { whyNotKnown } from './rules/not-known.ts';
import { mayBePending, trailSboms } from './rules/trail-sboms.ts';

/** One side of a comparison. */
export interface ComparedArtifact {
  fingerprint: Fingerprint;
  /** The SBOMs that count, each with the present name of its flow. */
  sboms: (Sbom & { flowName: string })[];
  /** Why its components are not known; null if they are. */
  notKnown: string | null;
}

interface Comparison {
  from: ComparedArtifact;
  to: ComparedArtifact;
  /** Null unless the components of both are known. */
  differences: ComponentDifferences | null;
}

/**
 * Compares the components of two artifacts by the SBOMs that count as of an instant (rules/components.md#differences). Looked at are the
 * trails that reported an artifact last, one of each flow, as for artifacts that run.
 */
export async function compareArtifacts(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  { from, to }: { from: Fingerprint; to: Fingerprint },
  asOf: Micros,
): Promise<Comparison> {
  const [presences, recalls] = await Promise.all([
    readFlowPresencesOf(table, org, [from, to]),
    readRecallsAt(table, org, asOf),
  ]);
  const places = presences.flat();
  const [sboms, states, flowNames] = await Promise.all([
    readSbomsOf(table, org, places),
    readTrailStates(table, org, places),
    readFlowNames(table, org, [...new Set(places.map(({ flow }) => flow))]),
  ]);
  const read = new Set(sboms.flat().map(({ id }) => id));
  const latest = states.flatMap((found) => [...(found?.state.attestations.values() ?? [])]);
  const isPending = await readPending(
    table,
    org,
    latest.filter((slot) => mayBePending(slot, read)),
  );
  const inTrails = places.map((_, i) => ({ sboms: sboms[i] ?? [], state: states[i]?.state, isPending }));
  const begin = presences[0]?.length ?? 0;
  const sides = [
    { fingerprint: from, trails: inTrails.slice(0, begin) },
    { fingerprint: to, trails: inTrails.slice(begin) },
  ].map(({ fingerprint, trails }) => {
    const artifact = { fingerprint, trails: trails.flatMap((trail) => reportsIn(trail, fingerprint)) };
    const counted = artifact.trails.flatMap(
      ({ reported, ...trail }) => trailSboms(trail, asOf, recalls)({ fingerprint, reports: [reported] }).counted,
    );
    return { fingerprint, counted, notKnown: whyNotKnown(artifact, asOf, recalls)?.why ?? null };
  });
  const wanted = new Set(sides.flatMap(({ counted }) => counted.flatMap(({ set }) => set ?? [])));
  const lists = await readEachSet({ table, objects }, org, wanted, (components) => components);
  const [first, second] = sides.map((side) => sideOf(side, lists, flowNames));
  if (!first || !second) throw new Error('A comparison has two sides');
  const known = first.shown.notKnown === null && second.shown.notKnown === null;
  return {
    from: first.shown,
    to: second.shown,
    differences: known ? componentDifferences(first.components, second.components) : null,
  };
}

/** An artifact as a trail reported it, which can be under several names. */
function reportsIn(
  {
    sboms,
    state,
    isPending,
  }: { sboms: readonly Sbom[]; state: TrailState | undefined; isPending: (slot: AttestationSlot) => boolean },
  fingerprint: Fingerprint,
) {
  const slots = [...(state?.attestations.values() ?? [])].filter(isPending);
  const reports = [...(state?.artifacts.values() ?? [])].filter((report) => report.fingerprint === fingerprint);
  return reports.map((reported) => ({ reported, sboms, slots }));
}

interface Side {
  fingerprint: Fingerprint;
  counted: readonly Sbom[];
  notKnown: string | null;
}

function sideOf(
  { fingerprint, counted, notKnown }: Side,
  lists: ReadonlyMap<string, readonly Component[] | null>,
  flowNames: ReadonlyMap<FlowId, string>,
): { shown: ComparedArtifact; components: readonly Component[] } {
  // One SBOM can be about an artifact in several ways.
  const sboms = [...new Map(counted.map((sbom) => [sbom.id, sbom])).values()];
  const found = sboms.map(({ set }) => (set === null ? null : (lists.get(set) ?? null)));
  const isErased = notKnown === null && found.includes(null);
  return {
    shown: {
      fingerprint,
      sboms: sboms.map((sbom) => ({ ...sbom, flowName: flowNames.get(sbom.flow) ?? '' })),
      notKnown: isErased ? 'Its SBOM was erased' : notKnown,
    },
    components: found.flatMap((list) => list ?? []),
  };
}
