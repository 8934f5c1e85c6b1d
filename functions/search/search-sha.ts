import * as z from 'zod';
import type { Fingerprint } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { searchSha as search } from '#shared/environments/search/search-sha.ts';
import { noMatches } from '#shared/evidence/rules/sentences.ts';
import { SHORTEST_PREFIX } from '#shared/evidence/sha-prefix.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { foundArtifactsOut } from './found-artifacts.ts';
import { SearchOut } from './search-output.ts';

/** GET /search/{org}/sha/{sha}: artifacts by fingerprint or commit, in full or by a prefix (rules/lookups.md#search). */
export const searchSha = endpoint({
  operation: 'searchSha',
  method: 'GET',
  path: '/search/{org}/sha/{sha}',
  summary: 'Find artifacts by a commit or a fingerprint',
  description:
    'A prefix of at least 5 characters is enough. The answer has at most 100 artifacts: first the reported ones, newest first, each by its latest report in every flow that has it; then those that run or ran without any report. Artifacts of archived flows are shown under the name of the archived flow.',
  access: 'reader',
  params: z.object({ org: z.string(), sha: z.string().min(SHORTEST_PREFIX) }),
  success: { 200: SearchOut },
  errors: [noMatches],
  uses: READ_BODIES,
  handler: async ({ params: { sha }, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { fingerprints, commits, artifacts } = await search(stores, org, sha);
    return {
      status: 200,
      body: {
        resolved_to: {
          ...resolve(sha, fingerprints, commits),
          fingerprints: { type: 'fingerprint', count: fingerprints.length, matches: fingerprints },
          commits: { type: 'commit', count: commits.length, matches: commits },
        },
        artifacts: foundArtifactsOut(artifacts, { org, host }),
      },
    };
  },
});

/** What the text stands for. With more than one match it is ambiguous (rules/lookups.md#resolved-to). */
function resolve(sha: string, fingerprints: readonly Fingerprint[], commits: readonly string[]) {
  const [match, other] = [...fingerprints, ...commits];
  if (match === undefined || other !== undefined) return { type: 'ambiguous' as const, full_match: sha };
  return { type: fingerprints.length === 1 ? ('fingerprint' as const) : ('commit' as const), full_match: match };
}
