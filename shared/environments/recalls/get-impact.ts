import * as z from 'zod';
import type { EnvironmentId, Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { earliestOf, type Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import type { RecallTerms } from '#shared/signers/rules/recalls.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import { readRuns } from '../records/running.ts';
import { findRecalled, type RecalledTrail, type RecallPlace } from './find-recalled.ts';

/** An artifact of a recalled trail. */
interface ConcernedArtifact {
  fingerprint: Fingerprint;
  /** Template reference name of its latest report; null if the trail does not have the artifact. */
  name: string | null;
  /** Where it runs now, by name of the environment, and since when. */
  running: { environment: string; since: Micros }[];
}

export interface ConcernedTrail extends Omit<RecalledTrail, 'artifacts'> {
  /** Present name of the flow. */
  flowName: string;
  artifacts: ConcernedArtifact[];
}

interface Impact {
  trails: ConcernedTrail[];
  /** The environments in which artifacts of the page run, by name. */
  environments: { environment: string; artifacts: number; since: Micros }[];
  next: RecallPlace | null;
}

/**
 * Answers what a recall concerns now: trails, artifacts, and the environments in which they run (rules/verified-evidence.md#impact).
 * The recall need not be stored. A page costs the reads of {@link findRecalled}, and two more for where its artifacts run.
 */
export async function getImpact(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  recall: RecallTerms,
  page: { place: RecallPlace | undefined; limit: number },
): Promise<Impact> {
  const { trails, next } = await findRecalled(stores, org, recall, page);
  const fingerprints = new Set(trails.flatMap(({ evidence }) => evidence.flatMap((one) => one.fingerprints)));
  const [runs, flows] = await Promise.all([
    readRuns(stores.table, org, fingerprints),
    readFlowNames(stores.table, org, [...new Set(trails.map(({ flow }) => flow))]),
  ]);
  const nameOf = (environment: EnvironmentId) => runs.environments.get(environment)?.name ?? '';
  const runningOf = (fingerprint: Fingerprint) =>
    (runs.byFingerprint.get(fingerprint) ?? [])
      .filter(({ running }) => running)
      .map(({ environment, at }) => ({ environment: nameOf(environment), since: at }))
      .toSorted(byEnvironment);
  const shown = trails.map(({ artifacts, ...trail }): ConcernedTrail => {
    const reports = [...artifacts.values()].toSorted((a, b) => b.number - a.number);
    const about = new Set(trail.evidence.flatMap((one) => one.fingerprints));
    return {
      ...trail,
      flowName: flows.get(trail.flow) ?? '',
      artifacts: [...about].map((fingerprint) => ({
        fingerprint,
        name: reports.find((report) => report.fingerprint === fingerprint)?.name ?? null,
        running: runningOf(fingerprint),
      })),
    };
  });
  return { trails: shown, environments: environmentsOf([...fingerprints].map(runningOf)), next };
}

const byEnvironment = (a: { environment: string }, b: { environment: string }): number =>
  a.environment < b.environment ? -1 : a.environment > b.environment ? 1 : 0;

/** @param running where each artifact runs */
function environmentsOf(running: readonly ConcernedArtifact['running'][]): Impact['environments'] {
  const byName = Map.groupBy(running.flat(), ({ environment }) => environment);
  return [...byName]
    .map(([environment, found]) => ({
      environment,
      artifacts: found.length,
      since: earliestOf(...found.map(({ since }) => since)),
    }))
    .toSorted(byEnvironment);
}

const listOf = (org: OrganizationId, { target, from, until }: RecallTerms): string[] => [
  org,
  'recall-impact',
  JSON.stringify([target, from, until]),
];

/** Returns the cursor of the page that follows a place. A cursor belongs to what the recall says, stored or not. */
export const impactCursor = (org: OrganizationId, recall: RecallTerms, { list, after }: RecallPlace): string =>
  cursorIn(listOf(org, recall), `${list} ${after}`);

/** @returns the place that the page follows; null if the cursor belongs to another recall */
export function readImpactCursor(org: OrganizationId, recall: RecallTerms, cursor: string): RecallPlace | null {
  const [list, after] = readNameCursorIn(listOf(org, recall), cursor, z.string())?.split(' ') ?? [];
  return list === undefined || after === undefined ? null : { list, after };
}
