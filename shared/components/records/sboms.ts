import * as z from 'zod';
import { AttestationId, FlowId, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { SbomState } from '#shared/evidence/records/attestation-components.ts';
import { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { trailSbomKey, trailSbomPartition } from './keys.ts';

/** SBOMs of trails: what was reported when, and whether it could be read (rules/components.md#index). */

export const StoredScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('trail') }),
  z.object({ kind: z.literal('fingerprint'), fingerprint: StoredFingerprint }),
  z.object({ kind: z.literal('named'), artifact: z.string(), commit: z.string() }),
]);

/** An attestation with an SBOM, or with one that cannot be read. */
export const Sbom = z.object({
  /** Id of the attestation. */
  id: AttestationId,
  flow: FlowId,
  trail: AnyTrailName,
  /** Name and type of the attestation. */
  name: z.string(),
  type: z.string(),
  /** What it is about: an artifact, the trail, or artifacts of the template by name and commit. */
  scopes: z.array(StoredScope),
  at: StoredMicros,
  /** Number of its moment in the trail. */
  number: z.int(),
  state: SbomState,
  /** Digest of its components in canonical order; null unless it was read. */
  set: z.string().nullable(),
  /** Why it cannot be read; null if it was read or erased. */
  why: z.string().nullable(),
  /** Number of its components; null unless it was read. */
  count: z.int().nullable(),
  /** `cyclonedx-1.6`; null unless it was read. */
  format: z.string().nullable(),
  /** What recalls compare, as slots keep it; absent where the grade follows from the author. */
  proof: SlotProof.optional(),
});
export type Sbom = z.infer<typeof Sbom>;

export const sbomItem = (org: OrganizationId, sbom: Sbom): Item => ({
  ...trailSbomKey(org, sbom.flow, sbom.trail, sbom.id),
  v: 1,
  ...sbom,
});

/** Reads the SBOMs of several trails, each oldest first, 50 trails with one call. @returns lists in the order of the trails */
export async function readSbomsOf(
  table: Table,
  org: OrganizationId,
  trails: readonly { flow: FlowId; trail: TrailName }[],
): Promise<Sbom[][]> {
  const found = await table.queryEach(trails.map(({ flow, trail }) => ({ pk: trailSbomPartition(org, flow, trail) })));
  return found.map((items) => items.map((item) => Sbom.parse(item)));
}
