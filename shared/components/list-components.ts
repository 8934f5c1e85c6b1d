import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import { readComponentsOf, readSet } from './records/sets.ts';
import type { Component } from './rules/component.ts';
import { sbomNotFound } from './rules/sentences.ts';

/**
 * Lists the components of one SBOM, in canonical order (rules/components.md#components-of-an-sbom).
 *
 * @param page `from` is the number of the first component, from 0
 * @throws ServiceError `not-found` if there is no attestation with the id, or if it has no SBOM that could be read
 */
export async function listComponents(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  attestation: AttestationId,
  { from, limit }: { from: number; limit: number },
): Promise<{ format: string | null; total: number; components: readonly Component[]; next: number | null }> {
  const found = (await readAttestationComponents(table, org, [attestation])).get(attestation);
  const set = found?.state === 'read' && found.set !== null ? await readSet(table, org, found.set) : undefined;
  const components = set && (await readComponentsOf({ objects }, org, set));
  if (!found || !components) throw sbomNotFound();
  const end = from + limit;
  return {
    format: found.format,
    total: components.length,
    components: components.slice(from, end),
    next: end < components.length ? end : null,
  };
}
