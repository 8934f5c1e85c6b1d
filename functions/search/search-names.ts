import * as z from 'zod';
import { artifactUrl } from '#functions/forms/artifact-url.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type Matches, searchNames as search } from '#shared/environments/search/search-names.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const LONGEST_TEXT = 255;

const htmlUrl = z.string().meta({ description: 'Page of the record' });
const matches = <S extends z.ZodType>(item: S, description: string) =>
  z
    .object({
      items: z.array(item).meta({ description: 'The matches, at most 10' }),
      more: z.boolean().meta({ description: 'Whether more records match' }),
    })
    .meta({ description });
const Named = z.object({ name: z.string().meta({ description: 'Name of the record' }), html_url: htmlUrl });

/** A report of an artifact that was found by its commit (rules/lookups.md#search-by-name). */
const CommitReport = z.object({
  git_commit: z.string().meta({ description: 'Commit of the report' }),
  name: z.string().meta({ description: 'File name of the artifact' }),
  fingerprint: z.string().meta({ description: 'SHA-256 of the artifact' }),
  flow_name: z.string().meta({ description: 'Flow of the report' }),
  trail_name: z.string().meta({ description: 'Trail of the report' }),
  html_url: z.string().meta({ description: 'Page of the artifact' }),
  trail_html_url: z.string().meta({ description: 'Page of the trail' }),
});

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
  query: z.object({
    q: z.string().max(LONGEST_TEXT).trim().min(1).meta({
      description: 'Beginning of a name, of a fingerprint or of a commit; of a digest at least 5 characters',
      pattern: NOT_BLANK,
    }),
  }),
  success: { 200: FoundNames },
  uses: READ_BODIES,
  handler: async ({ query: { q: text }, org, host }, stores: Stores) => {
    const { flowNames, fileNames, ...found } = await search(stores, org, text);
    const at = { org, host };
    const trailUrl = (flow: string, trail: string) =>
      pageUrl(at, '/{org}/flows/{flow}/trails/{trail}', { flow, trail });
    return {
      status: 200,
      body: {
        resolved_to: found.resolved,
        flows: mapped(found.flows, ({ name }) => ({
          name,
          html_url: pageUrl(at, '/{org}/flows/{flow}', { flow: name }),
        })),
        environments: mapped(found.environments, ({ name, type }) => ({
          name,
          type,
          html_url: pageUrl(at, '/{org}/environments/{env}', { env: name }),
        })),
        trails: mapped(found.trails, ({ flow, name }) => {
          const flowName = flowNames.get(flow) ?? '';
          return { name, flow_name: flowName, html_url: trailUrl(flowName, name) };
        }),
        artifacts: mapped(found.artifacts, ({ name, fingerprint, flow, id }) => {
          const flowName = flow === null ? undefined : flowNames.get(flow);
          return {
            name,
            fingerprint,
            flow_name: flowName ?? null,
            html_url: flowName === undefined ? null : artifactUrl(at, flowName, fingerprint, id),
          };
        }),
        commits: found.commits,
        commit_reports: mapped(found.commitReports, ({ commit, flow, trail, fingerprint, artifact }) => {
          const flowName = flowNames.get(flow) ?? '';
          return {
            git_commit: commit,
            name: fileNames.get(artifact) ?? '',
            fingerprint,
            flow_name: flowName,
            trail_name: trail,
            html_url: artifactUrl(at, flowName, fingerprint, artifact),
            trail_html_url: trailUrl(flowName, trail),
          };
        }),
        controls: mapped(found.controls, (control) => ({
          ...control,
          html_url: pageUrl(at, '/{org}/controls/{control}', { control: control.identifier }),
        })),
        policies: mapped(found.policies, (name) => ({
          name,
          html_url: pageUrl(at, '/{org}/policies/{policy}', { policy: name }),
        })),
        repos: mapped(found.repos, ({ id, name }) => ({
          id,
          name,
          html_url: pageUrl(at, '/{org}/repos/{repo+}', { repo: name }),
        })),
      },
    };
  },
});

const mapped = <T, U>({ items, more }: Matches<T>, shape: (item: T) => U): Matches<U> => ({
  items: items.map(shape),
  more,
});
