import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { type Build, NO_FACTS } from '#shared/evidence/builds/list-builds.ts';
import type { Request } from '#shared/http/endpoint.ts';

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
      .object({ name: z.string(), repo_id: z.string(), provider: z.string() })
      .meta({ description: 'The repository with its present name. All texts are empty if the report named none.' }),
    git_commit_info: Commit.meta({
      description: 'If the report gave no facts of the commit, only `sha1` is set, and `timestamp` is 0.',
    }),
    _links: z.object({ artifact: Link, trail: Link }),
    erased: ErasureOut.optional(),
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
