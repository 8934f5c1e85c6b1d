import * as z from 'zod';
import { type EnvironmentId, FlowId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { indexAt, readContents, type SnapshotPlace } from '#shared/environments/records/snapshots.ts';
import { placesOf } from '#shared/environments/rules/logical.ts';
import { readEvaluation, readPins } from '#shared/evaluations/records/evaluations.ts';
import { readFlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { trailsOf } from '#shared/evidence/rules/series-kinds.ts';
import { firstEntries, monthsBetween } from '#shared/series/series-entries.ts';
import type { PackageScope } from '../rules/package-scope.ts';

/** Trails and snapshots of one package. More are the matter of an export. */
const MOST_TRAILS = 2_000;
const MOST_SNAPSHOTS = 1_000;
/** Contents of snapshots that are read at the same time. One can have some megabytes. */
const CONTENTS_AT_ONCE = 10;

export interface TrailPlace {
  flow: FlowId;
  trail: TrailName;
}

/** What a package is about: trails in the order in which they were found, snapshots ascending, evaluations. */
interface FoundRecords {
  trails: TrailPlace[];
  snapshots: SnapshotPlace[];
  evaluations: string[];
}

/**
 * Finds the records of a package by what it is about (rules/exports.md#records-of-a-package).
 *
 * @returns `too many` if a package cannot hold them
 */
export async function findRecords(
  services: Reading,
  org: OrganizationId,
  scope: PackageScope,
  now: Micros,
): Promise<FoundRecords | 'too many'> {
  switch (scope.type) {
    case 'trail':
      return { trails: [{ flow: scope.flow, trail: scope.trail }], snapshots: [], evaluations: [] };
    case 'artifact':
      return { trails: await trailsOfArtifact(services, org, scope, now), snapshots: [], evaluations: [] };
    case 'evaluation':
      return ofEvaluation(services, org, scope.evaluation);
    case 'snapshot':
      return ofSnapshots(services, org, [{ environment: scope.environment, index: scope.index }]);
    case 'period': {
      const places = await placesIn(services, org, scope);
      return places.length > MOST_SNAPSHOTS ? 'too many' : ofSnapshots(services, org, places);
    }
  }
}

const TrailEntry = z.object({ f: FlowId, t: AnyTrailName });

/** The trails of the flow with a report of the artifact, the trail of the latest report first. */
async function trailsOfArtifact(
  { table }: Reading,
  org: OrganizationId,
  { flow, fingerprint }: Extract<PackageScope, { type: 'artifact' }>,
  now: Micros,
): Promise<TrailPlace[]> {
  const months = monthsBetween(timeOfId(org), now);
  const [latest, entries] = await Promise.all([
    readFlowPresence(table, org, fingerprint, flow),
    firstEntries(table, org, trailsOf(fingerprint), months, undefined, MOST_TRAILS),
  ]);
  const places = entries.map((entry) => TrailEntry.parse(entry)).filter(({ f }) => f === flow);
  return unique([
    ...(latest ? [{ flow, trail: latest.trail }] : []),
    ...places.map(({ t: trail }) => ({ flow, trail })),
  ]);
}

async function ofEvaluation({ table, objects }: Reading, org: OrganizationId, id: string): Promise<FoundRecords> {
  const record = await readEvaluation(table, org, id);
  if (!record) return { trails: [], snapshots: [], evaluations: [] };
  const pins = await readPins(objects, org, record);
  return { trails: unique(pins), snapshots: [], evaluations: [id] };
}

async function placesIn(
  { table }: Reading,
  org: OrganizationId,
  { environment, from, to }: { environment: EnvironmentId; from: Micros; to: Micros },
): Promise<SnapshotPlace[]> {
  const [first, last] = await Promise.all([from, to].map((at) => indexAt(table, org, environment, at)));
  // The snapshot that held when the period began belongs to it.
  const start = Math.max(1, first ?? 0);
  const length = Math.max(0, (last ?? 0) - start + 1);
  return Array.from({ length }, (_, i) => ({ environment, index: start + i }));
}

/** Snapshots, those of the members of logical environments, and the trails of the artifacts that ran in them. */
async function ofSnapshots(
  services: Reading,
  org: OrganizationId,
  own: readonly SnapshotPlace[],
): Promise<FoundRecords | 'too many'> {
  const { table, objects } = services;
  const places = new Map(own.map((place) => [placeText(place), place]));
  const trails = new Map<string, TrailPlace>();
  const read = async (some: readonly SnapshotPlace[]): Promise<SnapshotPlace[]> => {
    const members: SnapshotPlace[] = [];
    for (let start = 0; start < some.length; start += CONTENTS_AT_ONCE) {
      for (const content of await readContents(table, objects, org, some.slice(start, start + CONTENTS_AT_ONCE))) {
        members.push(...placesOf(content?.members ?? {}).filter(({ index }) => index > 0));
        for (const { flows } of content?.rows ?? []) {
          for (const { flow, trailName: trail } of flows) trails.set(trailText({ flow, trail }), { flow, trail });
        }
      }
    }
    return members;
  };
  const members = await read(own);
  const further = members.filter((place) => !places.has(placeText(place)));
  for (const place of further) places.set(placeText(place), place);
  if (places.size > MOST_SNAPSHOTS) return 'too many';
  await read([...places.values()].slice(own.length));
  if (trails.size > MOST_TRAILS) return 'too many';
  return { trails: [...trails.values()], snapshots: [...places.values()], evaluations: [] };
}

const placeText = ({ environment, index }: SnapshotPlace): string => `${environment} ${index}`;
const trailText = ({ flow, trail }: TrailPlace): string => `${flow} ${trail}`;

const unique = (places: readonly TrailPlace[]): TrailPlace[] => [
  ...new Map(places.map(({ flow, trail }) => [trailText({ flow, trail }), { flow, trail }])).values(),
];
