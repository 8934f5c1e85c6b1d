import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { TrailPlace } from './records/artifact-trails.ts';
import { loadTemplates } from './records/templates.ts';
import type { TrailHead } from './records/trail-items.ts';
import { readTrailStates } from './records/trails.ts';
import { type ComplianceStatus, judgeTrail } from './rules/verdict.ts';
import { ArtifactStatusOut, AttestationStatusOut } from './trail-output.ts';

const SlotOut = AttestationStatusOut.extend({
  artifact_name: z.string().nullable().meta({
    description: 'Template reference name of the artifact; null for an attestation of the trail as a whole',
  }),
}).meta({ id: 'TrailSlot' });

const ArtifactOut = ArtifactStatusOut.pick({
  artifact_fingerprint: true,
  artifact_id: true,
  status: true,
  is_compliant: true,
  unexpected: true,
})
  .extend({ artifact_name: z.string().meta({ description: 'Template reference name of the artifact' }) })
  .meta({ id: 'TrailSlotArtifact' });

/** What lists show of the verdict of a trail (rules/trails.md#slots-in-lists). */
export const slotsShape = {
  slots: z.array(SlotOut),
  slot_count: z.int(),
  artifacts: z.array(ArtifactOut),
  artifact_count: z.int(),
};
export type TrailSlots = z.input<z.ZodObject<typeof slotsShape>>;

/** Most slots, and most artifacts, that a list shows of one trail. */
const MOST_SHOWN = 200;

/** Flattens the compliance status of a trail: first the entries of the trail as a whole, then those of each artifact. */
export function trailSlots({ attestations_statuses: own, artifacts_statuses: byName }: ComplianceStatus): TrailSlots {
  const artifacts = Object.entries(byName);
  const slots = [
    ...own.map((entry) => ({ ...entry, artifact_name: null })),
    ...artifacts.flatMap(([name, { attestations_statuses: entries }]) =>
      entries.map((entry) => ({ ...entry, artifact_name: name })),
    ),
  ];
  return {
    slots: slots.slice(0, MOST_SHOWN),
    slot_count: slots.length,
    artifacts: artifacts.slice(0, MOST_SHOWN).map(([name, artifact]) => ({
      artifact_name: name,
      artifact_fingerprint: artifact.artifact_fingerprint,
      artifact_id: artifact.artifact_id,
      status: artifact.status,
      is_compliant: artifact.is_compliant,
      unexpected: artifact.unexpected,
    })),
    artifact_count: artifacts.length,
  };
}

/** Reads the states of trails and judges each by its template. @returns in the order of `places`; null for missing trails */
export async function readTrailSlots(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<({ head: TrailHead; slots: TrailSlots } | null)[]> {
  const states = await readTrailStates(table, org, places);
  const digests = states.flatMap((read) => read?.state.template ?? []);
  const templateOf = await loadTemplates(table, objects, org, digests);
  return states.map(
    (read) => read && { head: read.head, slots: trailSlots(judgeTrail(read.state, templateOf(read.state.template))) },
  );
}
