import * as z from 'zod';
import type { ComplianceStatus } from '#shared/evidence/rules/verdict.ts';
import { ArtifactStatusOut, AttestationStatusOut } from '#shared/evidence/trail-output.ts';

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
  slots: z
    .array(SlotOut)
    .describe(
      'The attestations that the template asks for or that were reported, at most 200; only with `include=slots`',
    ),
  slot_count: z.int().describe('Number of all slots of the trail'),
  artifacts: z
    .array(ArtifactOut)
    .describe('The artifacts of the trail by template reference name, at most 200; only with `include=slots`'),
  artifact_count: z.int().describe('Number of all artifacts of the trail'),
};
type TrailSlots = z.input<z.ZodObject<typeof slotsShape>>;

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
