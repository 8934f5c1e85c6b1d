import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { CommitReport, commitReportOut, latestInTrails } from './commit-reports.ts';
import { findDigests } from './find-digests.ts';
import { firstMatches, type Matches, MOST_OF_A_KIND, resolve } from './matches.ts';
import { findNamed } from './named-records.ts';
import { findTrails, matchingReports, readNewestReports, readNewestTrails } from './newest-records.ts';

const LONGEST_TEXT = 255;
/** Reports of a commit that are read: several reports name the same commit. */
const REPORTS_OF_COMMITS = 200;

const htmlUrl = z.string().meta({ description: 'Page of the record' });
const matches = <S extends z.ZodType>(item: S, description: string) =>
  z
    .object({
      items: z.array(item).meta({ description: 'The matches, at most 10' }),
      more: z.boolean().meta({ description: 'Whether more records match' }),
    })
    .meta({ description });
const Named = z.object({ name: z.string().meta({ description: 'Name of the record' }), html_url: htmlUrl });

const FoundNames = z
  .object({
    resolved_to: z
      .object({
        type: z.enum(['fingerprint', 'commit', 'name', 'ambiguous', 'nothing']).meta({
          description: 'What the text was taken for; `ambiguous` if it can be a digest and something else',
        }),
        full_match: z.string().meta({ description: 'The one match in full; otherwise the text of the request' }),
      })
      .meta({ description: 'What the text was taken for' }),
    flows: matches(Named, 'Flows by name'),
    environments: matches(
      Named.extend({ type: z.string().meta({ description: 'Type of the environment' }) }),
      'Environments by name',
    ),
    trails: matches(
      Named.extend({ flow_name: z.string().meta({ description: 'Flow of the trail' }) }),
      'Trails by name, newest first',
    ),
    artifacts: matches(
      z.object({
        name: z.string().meta({ description: 'File name, or the name under which it runs' }),
        fingerprint: z.string().meta({ description: 'SHA-256 of the artifact' }),
        flow_name: z.string().nullable().meta({ description: 'Null if no flow has a report of it' }),
        html_url: z
          .string()
          .nullable()
          .meta({ description: 'Page of the artifact; null if no flow has a report of it' }),
      }),
      'Artifacts by digest or name, newest report first',
    ),
    commits: matches(z.string(), 'Commits by digest'),
    commit_reports: matches(
      CommitReport,
      'Reports of artifacts whose commit begins with the text, newest first; of each artifact the latest in each trail',
    ),
    controls: matches(
      Named.extend({
        identifier: z.string().meta({ description: 'Identifier of the control' }),
        archived: z.boolean().meta({ description: 'Whether the control is archived' }),
      }),
      'Controls by name or identifier',
    ),
    policies: matches(Named, 'Policies by name'),
    repos: matches(
      Named.extend({ id: z.string().meta({ description: 'Internal id of the repository' }) }),
      'Repositories by name or by the last part of the name',
    ),
  })
  .meta({ id: 'FoundNames' });

/** A character that `trim` keeps. Dialects of patterns have no common name for these characters. */
const NOT_BLANK = '[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]';

/** GET /search/{org}: records whose names or digests begin with a text (rules/lookups.md#search-by-name). */
export const searchNames = endpoint({
  operation: 'searchNames',
  method: 'GET',
  path: '/search/{org}',
  summary: 'Find records whose name or digest begins with a text',
  description:
    'Case does not count. At most 10 records of each kind. Trails are found among the newest 500, artifacts by name among the newest 100 reports; a trail that is older is found by its exact name.',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({
    q: z.string().max(LONGEST_TEXT).trim().min(1).meta({
      description: 'Beginning of a name, of a fingerprint or of a commit; of a digest at least 5 characters',
      pattern: NOT_BLANK,
    }),
  }),
  body: { kind: 'none' },
  success: { 200: FoundNames },
  errors: [],
  uses: READ_BODIES,
  handler: async ({ query: { q: text }, org, host }, services) => {
    const { table, clock } = services;
    const [byName, byDigest] = [findNamed(table, org, text), readDigests(services, org, text)];
    const byCommit = Promise.all([byName, byDigest]).then(([{ allFlows }, found]) => {
      const present = new Set(allFlows.map(({ id }) => id));
      return firstMatches(found.reports.filter(({ flow }) => present.has(flow)));
    });
    const [named, newestTrails, digests, ofCommits, reports] = await Promise.all([
      byName,
      readNewestTrails(table, org.id, clock.now()),
      byDigest,
      byCommit,
      readNewestReports(
        services,
        org.id,
        Promise.all([byDigest, byCommit]).then(([{ builds }, { items }]) =>
          [...builds, ...items].map(({ artifact }) => artifact),
        ),
      ),
    ]);
    const trails = await findTrails(table, org.id, text, newestTrails, named.allFlows);
    const artifacts = foundArtifacts(text, digests, reports);
    const at = (path: string) => absolute(host, `/${org.name}${path}`);
    const flowNames = new Map(named.allFlows.map(({ id, name }) => [id, name]));
    const fileNames = new Map(reports.map(({ record, filename }) => [record.id, filename || record.name]));
    const shownTrails = mapped(trails, ({ flow, name }) => {
      const flowName = flowNames.get(flow) ?? '';
      return { name, flow_name: flowName, html_url: at(`/flows/${flowName}/trails/${name}`) };
    });
    const names = [
      ...named.flows.items.map(({ name }) => name),
      ...named.environments.items.map(({ name }) => name),
      ...named.policies.items,
      ...named.controls.items.map(({ name }) => name),
      ...named.repos.items.map(({ name }) => name),
      ...trails.items.map(({ name }) => name),
      ...artifacts.flatMap(({ isByDigest, name }) => (isByDigest ? [] : [name])),
    ];
    return {
      status: 200,
      body: {
        resolved_to: resolve(text, { fingerprints: digests.fingerprints, commits: digests.commits, names }),
        flows: mapped(named.flows, ({ name }) => ({ name, html_url: at(`/flows/${name}`) })),
        environments: mapped(named.environments, ({ name, type }) => ({
          name,
          type,
          html_url: at(`/environments/${name}`),
        })),
        trails: shownTrails,
        artifacts: mapped(firstMatches(artifacts), ({ name, fingerprint, flow, id }) => {
          const flowName = flow === null ? undefined : flowNames.get(flow);
          return {
            name,
            fingerprint,
            flow_name: flowName ?? null,
            html_url:
              flowName === undefined ? null : `${at(`/flows/${flowName}/artifacts/${fingerprint}`)}?artifact_id=${id}`,
          };
        }),
        commits: firstMatches(digests.commits),
        commit_reports: mapped(ofCommits, (report) =>
          commitReportOut(report, { flows: flowNames, files: fileNames }, at),
        ),
        controls: mapped(named.controls, (control) => ({
          ...control,
          html_url: at(`/controls/${control.identifier}`),
        })),
        policies: mapped(named.policies, (name) => ({ name, html_url: at(`/policies/${name}`) })),
        repos: mapped(named.repos, ({ id, name }) => ({ id, name, html_url: at(`/repos/${name}`) })),
      },
    };
  },
});

const mapped = <T, U>({ items, more }: Matches<T>, shape: (item: T) => U): Matches<U> => ({
  items: items.map(shape),
  more,
});

type Digests = Awaited<ReturnType<typeof readDigests>>;

/** Finds fingerprints and commits that begin with the text, as the search by digest does. */
async function readDigests({ table }: Services, org: Organization, text: string) {
  const sha = text.toLowerCase();
  if (!isShaPrefix(sha)) return { builds: [], fingerprints: [], unreported: [], commits: [], reports: [] };
  const most = MOST_OF_A_KIND + 1;
  const limits = { digests: most, reports: REPORTS_OF_COMMITS };
  const { builds, reports, unreported: running } = await findDigests(table, org.id, sha, limits);
  const reported = new Set(builds.map(({ fingerprint }) => fingerprint));
  const unreported = running.filter(({ fingerprint }) => !reported.has(fingerprint));
  return {
    builds,
    fingerprints: [...reported, ...unreported.map(({ fingerprint }) => fingerprint)],
    unreported,
    commits: [...new Set(reports.map(({ commit }) => commit))],
    reports: latestInTrails(reports),
  };
}

function foundArtifacts(text: string, digests: Digests, reports: Parameters<typeof matchingReports>[0]) {
  const reported = matchingReports(reports, text, new Set(digests.fingerprints)).map(
    ({ report: { record, filename }, isByDigest }) => ({
      name: filename || record.name,
      fingerprint: record.fingerprint,
      flow: record.flow,
      id: record.id,
      isByDigest,
    }),
  );
  const running = digests.unreported.map(({ fingerprint, name }) => ({
    name,
    fingerprint,
    flow: null,
    id: null,
    isByDigest: true,
  }));
  return [...reported, ...running];
}
