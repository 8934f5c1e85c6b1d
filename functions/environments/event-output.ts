import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { ComparedEvent } from '#shared/environments/snapshots/code-diffs.ts';

const Addresses = z.object({
  self: z.string().describe('Address of this record or page in the API'),
  html: z.string().describe('Address of a page for people'),
});

/** An event as the API answers it (rules/environments.md#event-list). An artifact without provenance has no link. */
export const EventOut = z
  .object({
    type: z.enum(['started', 'exited', 'changed', 'updated-provenance']).describe('What happened to the artifact'),
    environment_name: z.string().describe('Name of the environment'),
    snapshot_index: z.int().describe('Number of the snapshot'),
    artifact_name: z.string().describe('Name of the artifact'),
    sha256: z.string().describe('SHA-256 of the artifact'),
    description: z.string().describe('What happened, in a sentence'),
    reported_at: z.number().describe('When the event was reported, in seconds since the epoch'),
    pipeline: z.string().describe('Name of the first flow that has the artifact; empty if none has it'),
    deployments: z.array(z.unknown()).describe('Always empty'),
    flows: z
      .array(
        z.object({ flow_name: z.string().describe('Name of the flow'), deployments: z.null().describe('Always null') }),
      )
      .describe('The flows that have the artifact'),
    artifact_compliance: z.boolean().describe('Whether the artifact was compliant; unknown is false'),
    artifact_state: z.boolean().nullable().describe('Whether the artifact was compliant; null if unknown'),
    snapshot_compliance: z.boolean().describe('Whether the snapshot was compliant; unknown is false'),
    snapshot_state: z.boolean().nullable().describe('Whether the snapshot was compliant; null if unknown'),
    code_diff: z.string().nullable().describe('Address of the difference to the replaced code; null if unknown'),
    _links: z
      .object({
        artifact: Addresses.nullable().describe('Addresses of the artifact'),
        snapshot: Addresses.describe('Addresses of the snapshot'),
      })
      .describe('Addresses of other records or pages'),
  })
  .meta({ id: 'EnvironmentEvent' });

/** Shapes an event for the answer. In the booleans of compliance, unknown becomes false (rules/environments.md#verdicts). */
export function eventOut(event: ComparedEvent, place: Place, environment: string): z.input<typeof EventOut> {
  const { fingerprint, index } = event;
  const [flow] = event.flows;
  const api = (path: string) => absolute(place.host, BASE_PATH + path);
  const org = place.org.name;
  return {
    // The expander wrote the type of the event, by the same words.
    type: event.type as z.input<typeof EventOut>['type'],
    environment_name: environment,
    snapshot_index: index,
    artifact_name: event.name,
    sha256: fingerprint,
    description: event.description,
    reported_at: toSeconds(event.at),
    pipeline: flow ?? '',
    deployments: [],
    flows: event.flows.map((name) => ({ flow_name: name, deployments: null })),
    artifact_compliance: event.compliant === true,
    artifact_state: event.compliant,
    snapshot_compliance: event.state === true,
    snapshot_state: event.state,
    code_diff: event.codeDiff,
    _links: {
      artifact:
        flow === undefined
          ? null
          : {
              self: api(`/artifacts/${org}/${flow}/fingerprint/${fingerprint}`),
              html: artifactUrl(place, flow, fingerprint),
            },
      snapshot: {
        self: api(`/snapshots/${org}/${environment}/${index}`),
        html: absolute(place.host, `/${org}/environments/${environment}/snapshots/${index}`),
      },
    },
  };
}
