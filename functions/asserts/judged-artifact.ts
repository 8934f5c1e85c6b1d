import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import { readProvenance } from '#shared/evidence/provenance.ts';
import { type FlowPresence, findFingerprints } from '#shared/evidence/records/artifact-records.ts';
import { artifactStatusOut } from '#shared/evidence/rules/status-output.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { ArtifactStatusOut } from '#shared/evidence/trail-output.ts';
import type { Services } from '#shared/http/services.ts';

/** The artifact that asserts judge: how it is found, and how its verdicts in flows are shown. */

export const FlowVerdict = z
  .object({
    flow: z.string(),
    trail: z.string(),
    compliant: z.boolean(),
    compliance_status: ArtifactStatusOut,
    html_url: z.string(),
  })
  .meta({ id: 'FlowVerdict' });

/**
 * Finds the fingerprint for a text (rules/artifacts.md#prefixes).
 * @param text a whole fingerprint or a prefix
 * @returns null if no artifact has such a fingerprint; a whole fingerprint is returned without a lookup
 * @throws ServiceError 400 if several artifacts begin with the prefix
 */
export async function resolveFingerprint(
  { table }: Services,
  org: Organization,
  text: string,
): Promise<Fingerprint | null> {
  if (!isShaPrefix(text)) return null;
  if (isFingerprint(text)) return text;
  const [first, second] = await findFingerprints(table, org.id, text, 2);
  if (second) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${text}]` });
  return first?.fingerprint ?? null;
}

/** Reads the name that policies see: the file name of the latest report in the flow that had the artifact first. */
export async function readFilename(
  services: Services,
  org: Organization,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
): Promise<string> {
  const [primary] = [...presences.values()].flat();
  if (!primary) return '';
  return (await readProvenance(services, org.id, [primary.artifact])).get(primary.artifact)?.filename ?? '';
}

/** Shapes the verdict on an artifact in the latest trail of a flow (rules/lookups.md#assert-in-flows). */
export function flowVerdict(
  { flow, presence, compliant, entry, template }: VerdictInFlow,
  fingerprint: Fingerprint,
  { host, org }: { host: string; org: string },
): z.input<typeof FlowVerdict> {
  return {
    flow: flow.name,
    trail: presence.trail,
    compliant,
    compliance_status: artifactStatusOut(entry, template),
    html_url: absolute(host, `/${org}/flows/${flow.name}/artifacts/${fingerprint}`),
  };
}
