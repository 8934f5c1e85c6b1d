import * as z from 'zod';
import { type FlowId, idAt } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Annotation, ArtifactEvent } from './compare.ts';
import { Replaced, RowFlow, SnapshotRow } from './content.ts';
import { artifactKey } from './running.ts';

/**
 * What follows from the rows of a snapshot (rules/environments.md#effects-of-a-snapshot). The service stores it, and the
 * verifier of an export computes it again.
 */

export const EffectRow = SnapshotRow.pick({
  name: true,
  fingerprint: true,
  environment: true,
  compliant: true,
  annotation: true,
}).extend({
  /** The first is the primary one. */
  flows: z.array(RowFlow.pick({ flow: true, name: true, trailName: true, slot: true, report: true, commit: true })),
  /** By id of the flow. */
  replaced: z.record(z.string(), Replaced.pick({ report: true, commit: true })),
});
export type EffectRow = z.infer<typeof EffectRow>;

export interface EffectSnapshot {
  index: number;
  at: Micros;
  /** The environment's name when the snapshot was taken. */
  name: string;
  state: boolean | null;
  /** Id of the request that wrote it, if it is known. */
  request?: string | undefined;
}

export const originOf = ({ flow, trailName: trail, commit }: EffectRow['flows'][number]) => ({ flow, trail, commit });

const instancesOf = (type: string, { was, now }: Annotation): number => (type === 'exited' ? was : now);

/** Returns an event of an environment as it is stored, but for the time of the commit, which the row does not have. */
export function environmentEvent(
  { index, at, state }: EffectSnapshot,
  { type, description, row, annotation }: ArtifactEvent<EffectRow>,
) {
  const [primary] = row.flows;
  const replaced = primary && row.replaced[primary.flow];
  return {
    index,
    at,
    type,
    description,
    name: row.name,
    fingerprint: row.fingerprint,
    compliant: row.compliant,
    state,
    flows: row.flows.map(({ name }) => name),
    report: primary?.report ?? null,
    origin: primary ? originOf(primary) : null,
    previous: replaced?.report ?? null,
    previousCommit: replaced?.commit ?? null,
    instances: instancesOf(type, annotation),
  };
}

/**
 * Returns the runtime events that an event adds to trails: a start or an exit, in the latest trail of each flow that has the
 * artifact; other events add nothing (rules/environments.md#trail-events).
 */
export function runtimeEvents<E extends string>(
  environment: E,
  { index, at, name }: EffectSnapshot,
  { type, row, annotation }: ArtifactEvent<EffectRow>,
) {
  const { fingerprint } = row;
  if ((type !== 'started' && type !== 'exited') || fingerprint === '') return [];
  const word = type === 'started' ? ('started' as const) : ('stopped' as const);
  // The same event always has the same id, so storing it twice does no harm.
  const id = idAt(at, `runtime|${environment}|${index}|${word}|${artifactKey(row)}`);
  const instances = instancesOf(type, annotation);
  return row.flows.map(({ flow, trailName: trail, slot }) => ({
    place: { flow, trail },
    id,
    event: { at, type: word, fingerprint, slot, environment, name, index, instances },
  }));
}

/** `20261121`: the day of an instant in microseconds, in UTC. */
export const dayOf = (at: Micros): string => new Date(at / 1000).toISOString().slice(0, 10).replaceAll('-', '');

/** How many artifacts started in an environment on one day. */
export const DeploymentCounts = z.object({
  /** By id of the flow; `-` counts artifacts without provenance. An artifact of two flows counts in both. */
  counts: z.record(z.string(), z.number()),
  all: z.number(),
});
export type DeploymentCounts = z.infer<typeof DeploymentCounts>;

const NO_FLOW = '-';

/** Counts one more artifact that started. @param flows ids of the flows that have it */
export function countDeployment({ counts, all }: DeploymentCounts, flows: readonly FlowId[]): DeploymentCounts {
  const added = { ...counts };
  for (const flow of new Set(flows.length === 0 ? [NO_FLOW] : flows)) added[flow] = (added[flow] ?? 0) + 1;
  return { counts: added, all: all + 1 };
}
