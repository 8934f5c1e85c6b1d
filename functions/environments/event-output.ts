import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import type { Id } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import type { EnvironmentEvent } from '#shared/environments/snapshots/list-events.ts';
import { NO_PROVENANCE, type Provenance } from '#shared/evidence/provenance.ts';

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

interface EventReader {
  host: string;
  org: string;
  environment: string;
  provenance: ReadonlyMap<Id, Provenance>;
}

/** Shapes an event for the answer. In the booleans of compliance, unknown becomes false (rules/environments.md#verdicts). */
export function eventOut(event: EnvironmentEvent, reader: EventReader): z.input<typeof EventOut> {
  const { host, org, environment } = reader;
  const [flow] = event.flows;
  const address = (api: string, page: string) => ({
    self: absolute(host, BASE_PATH + api),
    html: absolute(host, page),
  });
  return {
    type: event.type as z.input<typeof EventOut>['type'],
    environment_name: environment,
    snapshot_index: event.index,
    artifact_name: event.name,
    sha256: event.fingerprint,
    description: event.description,
    reported_at: toSeconds(event.at),
    pipeline: flow ?? '',
    deployments: [],
    flows: event.flows.map((name) => ({ flow_name: name, deployments: null })),
    artifact_compliance: event.compliant === true,
    artifact_state: event.compliant,
    snapshot_compliance: event.state === true,
    snapshot_state: event.state,
    code_diff: codeDiff(event, reader),
    _links: {
      artifact:
        flow === undefined
          ? null
          : address(
              `/artifacts/${org}/${flow}/fingerprint/${event.fingerprint}`,
              `/${org}/flows/${flow}/artifacts/${event.fingerprint}`,
            ),
      snapshot: address(
        `/snapshots/${org}/${environment}/${event.index}`,
        `/${org}/environments/${environment}/snapshots/${event.index}`,
      ),
    },
  };
}

/** Address of the code difference to the artifact that this one replaced; null if it replaced none. */
function codeDiff({ report, previous }: EnvironmentEvent, { provenance }: EventReader): string | null {
  if (report === null || previous === null) return null;
  return codeDiffUrl(provenance.get(previous) ?? NO_PROVENANCE, provenance.get(report) ?? NO_PROVENANCE);
}
