import * as z from 'zod';
import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { attestationComponentsKey } from './keys.ts';

/** Whether the SBOM of an attestation could be read (rules/components.md#state). */
export const SbomState = z.enum(['read', 'unreadable', 'erased']);
export type SbomState = z.infer<typeof SbomState>;

/** What was found of OpenVEX in the files of an attestation (rules/components.md#state). */
const AttestationVex = z.object({
  state: SbomState,
  /** Number of statements that were read; null unless they were read. */
  count: z.int().nullable(),
  /** Number of statements that do not fit the format; null unless the others were read. */
  leftOut: z.int().nullable(),
  /** Why it cannot be read; null if it was read or erased. */
  why: z.string().nullable(),
});
export type AttestationVex = z.infer<typeof AttestationVex>;

/** What was found in the files of an attestation that may have an SBOM or OpenVEX, or in its bundle. The worker writes it after the attestation. */
export const AttestationComponents = z.object({
  /** `none`: none of its files is an SBOM. */
  state: z.enum([...SbomState.options, 'none']),
  /** Digest of its components in canonical order; null unless it was read. */
  set: z.string().nullable(),
  /** Number of its components; null unless it was read. */
  count: z.int().nullable(),
  /** Why it cannot be read; null if it was read, was erased, or is none. */
  why: z.string().nullable(),
  /** `cyclonedx-1.6`; null unless it was read. */
  format: z.string().nullable(),
  /** Absent if none of its files is OpenVEX. */
  vex: AttestationVex.optional(),
});
export type AttestationComponents = z.infer<typeof AttestationComponents>;

export const attestationComponentsItem = (
  org: OrganizationId,
  id: AttestationId,
  components: AttestationComponents,
): Item => ({ ...attestationComponentsKey(org, id), v: 1, ...components });

/** Reads what was found in the files of attestations. Attestations that the worker has not read yet are left out. */
export async function readAttestationComponents(
  table: Table,
  org: OrganizationId,
  ids: readonly AttestationId[],
): Promise<Map<AttestationId, AttestationComponents>> {
  const items = await table.getMany(ids.map((id) => attestationComponentsKey(org, id)));
  return new Map(
    ids.flatMap((id) => {
      const item = items.get(keyText(attestationComponentsKey(org, id)));
      return item ? [[id, AttestationComponents.parse(item)] as const] : [];
    }),
  );
}
