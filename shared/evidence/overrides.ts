import * as z from 'zod';
import type { AttestationId, FlowId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readFacts } from './attestation-facts.ts';
import type { Owner, Reading } from './flow-verdicts.ts';
import { readAttestations } from './records/attestation-records.ts';
import type { AttestationStatus } from './rules/verdict.ts';

/** The entries of a trail, or of an artifact in it, and the flow of the trail. */
interface EntriesInFlow {
  flow: { id: FlowId; name: FlowName };
  entries: readonly AttestationStatus[];
}

/** Who replaced the verdict of which evidence, when and why. */
export const OverrideOut = z
  .object({
    attestation_id: z.string().describe('Id of the attestation'),
    attestation_name: z.string().describe('Name of the attestation in the template of the trail'),
    flow: z.string().describe('The flow'),
    trail: z.string().describe('The trail'),
    is_compliant: z.boolean().describe('Whether it is compliant'),
    original_is_compliant: z.boolean().nullable().meta({ description: 'Verdict of what was overridden' }),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    reason: z.string().nullable().meta({ description: 'Null once the text of the override was erased' }),
  })
  .meta({ id: 'OverrideInForce' });

/** Most overrides that are read for one answer. */
const MOST = 50;

/**
 * Reads the overrides among entries (rules/lookups.md#assert-in-all-environments). Makes one batch read if there are any, and no call
 * otherwise.
 */
export async function readOverrides(
  { table, objects }: Reading,
  org: Owner,
  inFlows: readonly EntriesInFlow[],
): Promise<z.input<typeof OverrideOut>[]> {
  const flows = new Map(inFlows.map(({ flow }) => [flow.id, flow.name]));
  const ids = inFlows.flatMap(({ entries }) =>
    entries.flatMap(({ attestation_id: id, overridden_attestation_id: original }): AttestationId[] =>
      id === null || original === null ? [] : [id],
    ),
  );
  if (ids.length === 0) return [];
  const records = await readAttestations(table, org.id, [...new Set(ids)].slice(0, MOST));
  return Promise.all(
    records.map(async (record) => {
      const reason = (await readFacts(objects, org.id, record.facts))?.evidence['reason'];
      const original = record.derived['original_is_compliant'];
      return {
        attestation_id: record.id,
        attestation_name: record.name,
        flow: flows.get(record.flow) ?? '',
        trail: record.trail,
        is_compliant: record.compliant,
        original_is_compliant: typeof original === 'boolean' ? original : null,
        created_by: record.by,
        created_at: toSeconds(record.at),
        reason: typeof reason === 'string' ? reason : null,
      };
    }),
  );
}
