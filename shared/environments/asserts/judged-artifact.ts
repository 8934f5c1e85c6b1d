import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { readProvenance } from '#shared/evidence/provenance.ts';
import { type FlowPresence, findFingerprints } from '#shared/evidence/records/artifact-records.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';

/**
 * Finds the fingerprint for a text (rules/artifacts.md#prefixes).
 * @param text a whole fingerprint or a prefix
 * @returns null if no artifact has such a fingerprint; a whole fingerprint is returned without a lookup
 * @throws ServiceError `invalid` if several artifacts begin with the prefix
 */
export async function resolveFingerprint({ table }: Pick<Reading, 'table'>, org: Organization, text: string) {
  if (!isShaPrefix(text)) return null;
  if (isFingerprint(text)) return text;
  const [first, second] = await findFingerprints(table, org.id, text, 2);
  if (second) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${text}]` });
  return first?.fingerprint ?? null;
}

/** Reads the name that policies see: the file name of the latest report in the flow that had the artifact first. */
export async function readFilename(
  reading: Reading,
  org: Organization,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
): Promise<string> {
  const [primary] = [...presences.values()].flat();
  if (!primary) return '';
  return (await readProvenance(reading, org.id, [primary.artifact])).get(primary.artifact)?.filename ?? '';
}
