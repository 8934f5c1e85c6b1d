import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import type { Id } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import type { EnvironmentEvent } from '#shared/environments/snapshots/list-events.ts';
import { NO_PROVENANCE, type Provenance } from '#shared/evidence/provenance.ts';

const Addresses = z.object({ self: z.string(), html: z.string() });

/** An event as the API answers it (rules/environments.md#event-list). An artifact without provenance has no link. */
export const EventOut = z
  .object({
    type: z.enum(['started', 'exited', 'changed', 'updated-provenance']),
    environment_name: z.string(),
    snapshot_index: z.int(),
    artifact_name: z.string(),
    sha256: z.string(),
    description: z.string(),
    reported_at: z.number(),
    pipeline: z.string(),
    deployments: z.array(z.unknown()),
    flows: z.array(z.object({ flow_name: z.string(), deployments: z.null() })),
    artifact_compliance: z.boolean(),
    artifact_state: z.boolean().nullable(),
    snapshot_compliance: z.boolean(),
    snapshot_state: z.boolean().nullable(),
    code_diff: z.string().nullable(),
    _links: z.object({ artifact: Addresses.nullable(), snapshot: Addresses }),
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
