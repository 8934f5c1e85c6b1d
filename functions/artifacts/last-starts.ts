import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { LastStart as Start } from '#shared/environments/artifacts/get-artifact.ts';
import { codeDiffUrl } from '#shared/environments/rules/code-diff.ts';
import type { Request } from '#shared/http/request.ts';
import { artifactUrl } from './artifact-output.ts';

/** The last start of an artifact in each environment, and what it replaced there (rules/artifacts.md#last-starts). */
export const LastStart = z
  .object({
    environment_name: z.string().describe('Name of the environment'),
    snapshot_index: z.int().meta({ description: 'Snapshot in which the artifact started' }),
    at: z.number().describe('When it happened, in seconds since the epoch'),
    lead_time: z.number().nullable().meta({
      description: 'Seconds from the commit to the start; null if the report does not tell when the commit was',
    }),
    replaced: z
      .object({
        fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
        name: z.string().meta({ description: 'File name of the report; empty if it was erased' }),
        flow_name: z.string().describe('Name of the flow'),
        trail_name: z.string().describe('Name of the trail'),
        git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
        html_url: z.string().describe('Address of a page for people'),
      })
      .nullable()
      .meta({
        description: 'The artifact of the same name that ran before it; null if there was none or it is not known',
      }),
    code_diff: z
      .string()
      .nullable()
      .meta({ description: 'Address of the difference of both commits, if there is one' }),
  })
  .meta({ id: 'LastStart' });

export const lastStartOut = (
  { environment, event: { at, index }, provenance: own, before, replaced }: Start,
  { host, org }: Pick<Request, 'host' | 'org'>,
): z.input<typeof LastStart> => ({
  environment_name: environment,
  snapshot_index: index,
  at: toSeconds(at),
  lead_time: own.commitInfo ? toSeconds(at) - own.commitInfo.timestamp : null,
  replaced: replaced && {
    fingerprint: replaced.record.fingerprint,
    name: replaced.filename,
    flow_name: replaced.flow,
    trail_name: replaced.record.trail,
    git_commit: replaced.record.commit,
    html_url: artifactUrl(host, org.name, replaced.flow, replaced.record.fingerprint, replaced.record.id),
  },
  code_diff: before && codeDiffUrl(before, own),
});
