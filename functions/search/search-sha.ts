import * as z from 'zod';
import type { Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { CommitEntry } from '#shared/evidence/records/artifact-records.ts';
import { SHORTEST_PREFIX } from '#shared/evidence/records/keys.ts';
import { noMatches } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { findDigests } from './find-digests.ts';
import { readFoundArtifacts } from './reported-artifacts.ts';
import { SearchOut } from './search-output.ts';

/**
 * Matches that are read from each index. A caller with more matches gives a longer prefix
 * (rules/lookups.md#search-limits).
 */
const MOST_MATCHES = 1_000;
/** Artifacts in the answer, the newest ones. */
const MOST_ARTIFACTS = 100;

/**
 * GET /search/{org}/sha/{sha}: artifacts by fingerprint or commit, in full or by a prefix (rules/lookups.md#search).
 */
export const searchSha = endpoint({
  operation: 'searchSha',
  method: 'GET',
  path: '/search/{org}/sha/{sha}',
  summary: 'Find artifacts by a commit or a fingerprint',
  description:
    'A prefix of at least 5 characters is enough. The answer has at most 100 artifacts: first the reported ones, newest first, each by its latest report in every flow that has it; then those that run or ran without any report. Artifacts of archived flows are shown under the name of the archived flow.',
  access: 'reader',
  params: z.object({ org: z.string(), sha: z.string().min(SHORTEST_PREFIX) }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SearchOut },
  errors: [noMatches],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, services) => {
    const { table } = services;
    const { sha } = params;
    if (!isShaPrefix(sha)) throw noMatches({ sha });
    const limits = { digests: MOST_MATCHES, reports: MOST_MATCHES };
    const { builds, reports, unreported: ran } = await findDigests(table, org.id, sha, limits);
    const fingerprints = newestFirst(builds);
    const reported = new Set(fingerprints.map(({ fingerprint }) => fingerprint));
    const unreported = newestFirst(ran.filter(({ fingerprint }) => !reported.has(fingerprint)));
    const commits = commitsOf(reports);
    const found = [...reported, ...unreported.map(({ fingerprint }) => fingerprint)];
    if (found.length + commits.length === 0) throw noMatches({ sha });
    const firsts = fingerprints.slice(0, MOST_ARTIFACTS);
    const shown = {
      firsts,
      reports: latestOf(reports).slice(0, MOST_ARTIFACTS),
      unreported: unreported.slice(0, MOST_ARTIFACTS - firsts.length),
    };
    return {
      status: 200,
      body: {
        resolved_to: {
          ...resolve(sha, found, commits),
          fingerprints: { type: 'fingerprint', count: found.length, matches: found },
          commits: { type: 'commit', count: commits.length, matches: commits },
        },
        artifacts: await readFoundArtifacts(services, { org, host }, shown, MOST_ARTIFACTS),
      },
    };
  },
});

const newestFirst = <T extends { at: Micros }>(found: readonly T[]): T[] =>
  found.toSorted((one, other) => other.at - one.at);

/** Sorts the newest report first, because ids sort by time. */
const byNewestReport = (one: CommitEntry, other: CommitEntry) => (one.artifact < other.artifact ? 1 : -1);

/** The distinct commits of the reports. The commit of the newest report comes first. */
const commitsOf = (reports: readonly CommitEntry[]): string[] => [
  ...new Set(reports.toSorted(byNewestReport).map(({ commit }) => commit)),
];

/** The latest report of each combination of commit, flow and fingerprint, newest first. */
function latestOf(reports: readonly CommitEntry[]): CommitEntry[] {
  const latest = new Map<string, CommitEntry>();
  for (const report of reports.toSorted(byNewestReport)) {
    const key = [report.commit, report.flow, report.fingerprint].join();
    if (!latest.has(key)) latest.set(key, report);
  }
  return [...latest.values()];
}

/** What the text stands for. With more than one match it is ambiguous (rules/lookups.md#resolved-to). */
function resolve(sha: string, fingerprints: readonly Fingerprint[], commits: readonly string[]) {
  const [match, other] = [...fingerprints, ...commits];
  if (match === undefined || other !== undefined) return { type: 'ambiguous' as const, full_match: sha };
  return { type: fingerprints.length === 1 ? ('fingerprint' as const) : ('commit' as const), full_match: match };
}
