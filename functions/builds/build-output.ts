import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { type Build, NO_FACTS } from '#shared/evidence/builds/list-builds.ts';
import type { Request } from '#shared/http/request.ts';

const Commit = z.object({
  sha1: z.string().describe('SHA-1 of the commit, as 40 hex digits'),
  message: z.string().describe('Message of the commit'),
  author: z.string().describe('Author of the commit'),
  branch: z.string().describe('Branch of the commit'),
  url: z.string().describe('The address'),
  timestamp: z.number().describe('Time in seconds since the epoch'),
});

const Link = z.object({ href: z.string().describe('The address') });

/** A build as clients read it (rules/lookups.md#build-record). */
export const BuildOut = z
  .object({
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    flow_name: z.string().describe('Name of the flow'),
    trail_name: z.string().describe('Name of the trail'),
    filename: z.string().describe('Name of the file'),
    build_url: z.string().describe('Address of the build'),
    git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
    repo_info: z
      .object({
        name: z.string().describe('Present name of the repository'),
        repo_id: z.string().describe('Id of the repository at its provider'),
        provider: z.string().describe('Provider of the repository, for example `github`'),
      })
      .meta({ description: 'The repository with its present name. All texts are empty if the report named none.' }),
    git_commit_info: Commit.meta({
      description: 'If the report gave no facts of the commit, only `sha1` is set, and `timestamp` is 0.',
    }),
    _links: z
      .object({ artifact: Link.describe('Addresses of the artifact'), trail: Link.describe('The trail') })
      .describe('Addresses of other records or pages'),
    erased: ErasureOut,
    unreadable: z.literal(true).optional().meta({
      description:
        'Set if the facts of the report could not be read. File name, address and facts of the commit are then empty.',
    }),
  })
  .meta({ id: 'Build' });
export type BuildOut = z.input<typeof BuildOut>;

const NO_REPO: BuildOut['repo_info'] = { name: '', repo_id: '', provider: '' };
const NO_COMMIT = { message: '', author: '', branch: '', url: '', timestamp: 0 };

/** Shapes a build for clients. No field is ever null: a text that was not reported is empty. */
export function buildOut(
  { record: { fingerprint, trail, commit, at, facts: body }, facts, flow, repo }: Build,
  { host, org }: Pick<Request, 'host' | 'org'>,
): BuildOut {
  const isUnreadable = 'unreadable' in facts;
  const { filename, build_url: buildUrl, git_commit_info: info } = isUnreadable ? NO_FACTS : facts;
  const link = (path: string) => ({ href: absolute(host, BASE_PATH + path) });
  return {
    created_at: toSeconds(at),
    fingerprint,
    flow_name: flow,
    trail_name: trail,
    filename,
    build_url: buildUrl,
    git_commit: commit,
    repo_info: repo ? { name: repo.name, repo_id: repo.externalId, provider: repo.provider ?? '' } : NO_REPO,
    git_commit_info: info ?? { sha1: commit, ...NO_COMMIT },
    _links: {
      artifact: link(`/artifacts/${org.name}/${flow}/fingerprint/${fingerprint}`),
      trail: link(`/trails/${org.name}/${flow}/${trail}`),
    },
    ...erasedOut(body.erased),
    ...(isUnreadable && { unreadable: true }),
  };
}
