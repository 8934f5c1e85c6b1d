import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import type { Fingerprint } from '#shared/base/ids.ts';
import type { VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import { artifactStatusOut } from '#shared/evidence/rules/status-output.ts';
import { ArtifactStatusOut } from '#shared/evidence/trail-output.ts';

export const FlowVerdict = z
  .object({
    flow: z.string().describe('Name of the flow'),
    trail: z.string().describe('Name of the trail that decides'),
    compliant: z.boolean().describe('Whether it is compliant'),
    compliance_status: ArtifactStatusOut.describe('The verdict with everything that it depends on'),
    html_url: z.string().describe('Address of a page for people'),
  })
  .meta({ id: 'FlowVerdict' });

/** Shapes the verdict on an artifact in the latest trail of a flow (rules/lookups.md#assert-in-flows). */
export function flowVerdict(
  { flow, presence, compliant, entry, state }: VerdictInFlow,
  fingerprint: Fingerprint,
  place: Place,
): z.input<typeof FlowVerdict> {
  return {
    flow: flow.name,
    trail: presence.trail,
    compliant,
    compliance_status: artifactStatusOut(entry, state.template),
    html_url: artifactUrl(place, flow.name, fingerprint),
  };
}
