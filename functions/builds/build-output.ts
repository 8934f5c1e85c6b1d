import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import { BASE_PATH } from '#shared/http/gateway-event.ts';

const Commit = z.object({
  sha1: z.string(),
  message: z.string(),
  author: z.string(),
  branch: z.string(),
  url: z.string(),
  timestamp: z.number(),
});

const Link = z.object({ href: z.string() });

/** A build as clients read it (rules/lookups.md#build-record). */
export const BuildOut = z
  .object({
    created_at: z.number(),
    fingerprint: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    filename: z.string(),
    build_url: z.string(),
    git_commit: z.string(),
    repo_info: z
      .object({ name: z.string(), repo_id: z.string(), provider: z.string().nullable() })
      .nullable()
      .meta({ description: 'The repository with its present name; null if the report named none.' }),
    git_commit_info: Commit.nullable(),
    _links: z.object({ artifact: Link, trail: Link }),
    unreadable: z.literal(true).optional().meta({
      description:
        'Set if the facts of the report could not be read. File name and address are then empty, and commit facts null.',
    }),
  })
  .meta({ id: 'Build' });
export type BuildOut = z.input<typeof BuildOut>;

/** The facts of a report that a build shows. */
const Facts = z.object({
  filename: z.string(),
  build_url: z.string(),
  git_commit_info: Commit.extend({ url: z.string().default('') }).nullable(),
});
type Facts = z.output<typeof Facts>;

const NO_FACTS: Facts = { filename: '', build_url: '', git_commit_info: null };

/** Parses the facts of a report. @param text null if the facts were erased */
export const parseFacts = (text: string | null): Facts => (text === null ? NO_FACTS : Facts.parse(parseJson(text)));

export interface BuildPlace {
  host: string;
  org: string;
  flow: string;
}

/**
 * Shapes a build for clients.
 * @param facts null if the facts could not be read
 */
export function buildOut(
  { fingerprint, trail, commit, at }: ArtifactRecord,
  facts: Facts | null,
  repo: BuildOut['repo_info'],
  { host, org, flow }: BuildPlace,
): BuildOut {
  const link = (path: string) => ({ href: absolute(host, BASE_PATH + path) });
  return {
    created_at: toSeconds(at),
    fingerprint,
    flow_name: flow,
    trail_name: trail,
    ...(facts ?? NO_FACTS),
    git_commit: commit,
    repo_info: repo,
    _links: {
      artifact: link(`/artifacts/${org}/${flow}/fingerprint/${fingerprint}`),
      trail: link(`/trails/${org}/${flow}/${trail}`),
    },
    ...(facts === null && { unreadable: true }),
  };
}
