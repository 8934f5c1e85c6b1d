import * as z from 'zod';
import { type Fingerprint, FlowId, firstIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { earliestOf, latestOf } from '#shared/base/time.ts';
import { lastEntries, monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { trailsOf } from '../rules/series-kinds.ts';
import type { FlowPresence } from './artifact-records.ts';

/** A trail, named by the id of its flow and its own name. */
export interface TrailPlace {
  flow: FlowId;
  trail: TrailName;
}

const TrailEntry = z.object({ f: FlowId, t: AnyTrailName });

/**
 * Reads the trails in which a fingerprint was reported, newest first. Reads nothing and returns `[]` if each flow has
 * reported the fingerprint only once: the presences then name all its trails.
 *
 * @param presences the presences of the fingerprint
 * @param limit most results, the newest
 */
export async function readOlderTrails(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
  presences: readonly FlowPresence[],
  limit: number,
): Promise<TrailPlace[]> {
  const repeated = presences.filter(({ first, at }) => first !== at);
  if (repeated.length === 0) return [];
  // Reports that were stored before the order of commits was kept may have `first` later than `at`.
  const from = earliestOf(...repeated.flatMap(({ first, at }) => [first, at]));
  const to = latestOf(...repeated.flatMap(({ first, at }) => [first, at]));
  const months = monthsBetween(from, to);
  const entries = await lastEntries(table, org, trailsOf(fingerprint), months, firstIdAt(from), limit);
  return entries.map((entry) => TrailEntry.parse(entry)).map(({ f: flow, t: trail }) => ({ flow, trail }));
}
