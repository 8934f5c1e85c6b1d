import * as z from 'zod';
import { pageUrl } from '#shared/console/pages.ts';
import { type Matches, searchNames } from '#shared/environments/search/search-names.ts';
import { quote } from '../rules/quote.ts';
import type { AnswerRow } from '../rules/tool-answer.ts';
import { tool } from '../tool.ts';

/** Finds records by the beginning of a name, a commit or a digest (rules/agents.md#tools). */
export const find = tool({
  name: 'find',
  title: 'Find a record by name, commit or digest',
  description:
    'Finds flows, trails, environments, policies, controls, repositories, artifacts and commits whose name or digest begins with a text. Use it first if you do not know the exact name. At least 5 digits of a digest.',
  input: { text: z.string().min(1).max(200).describe('Beginning of a name, a commit or a SHA-256') },
  access: 'reader',
  run: async ({ services, org, host }, { text }) => {
    const found = await searchNames(services, org, text);
    const place = { host, org };
    const flowOf = (id: Parameters<typeof found.flowNames.get>[0]) => found.flowNames.get(id) ?? '';
    const rows: AnswerRow[] = [
      ...found.environments.items.map(({ name }) =>
        row('environment', name, pageUrl(place, '/{org}/environments/{env}', { env: name })),
      ),
      ...found.flows.items.map(({ name }) => row('flow', name, pageUrl(place, '/{org}/flows/{flow}', { flow: name }))),
      ...found.trails.items.map(({ flow, name }) =>
        row('trail', name, pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow: flowOf(flow), trail: name }), {
          flow: quote(flowOf(flow)),
        }),
      ),
      ...found.artifacts.items.map(({ name, fingerprint, flow }) =>
        row(
          'artifact',
          name,
          flow === null
            ? null
            : pageUrl(place, '/{org}/flows/{flow}/artifacts/{fingerprint}', { flow: flowOf(flow), fingerprint }),
          { fingerprint },
        ),
      ),
      ...found.commits.items.map((commit) => row('commit', commit, null)),
      ...found.policies.items.map((name) =>
        row('policy', name, pageUrl(place, '/{org}/policies/{policy}', { policy: name })),
      ),
      ...found.controls.items.map(({ name, identifier }) =>
        row('control', name, pageUrl(place, '/{org}/controls/{control}', { control: identifier }), {
          identifier: quote(identifier),
        }),
      ),
      ...found.repos.items.map(({ name }) =>
        row('repository', name, pageUrl(place, '/{org}/repos/{repo+}', { repo: name })),
      ),
    ];
    const kinds: Matches<unknown>[] = [
      found.environments,
      found.flows,
      found.trails,
      found.artifacts,
      found.commits,
      found.policies,
      found.controls,
      found.repos,
    ];
    const hasMore = kinds.some(({ more }) => more);
    return {
      verdict: `${rows.length}${hasMore ? ' or more' : ''} records begin with ${quote(text)}.`,
      facts: { found: rows.length, has_more: hasMore },
      rows,
      ask: 'Ask find again with a longer text.',
      citations: [{ what: 'the search', url: `${pageUrl(place, '/{org}/search', {})}?q=${encodeURIComponent(text)}` }],
    };
  },
});

const row = (kind: string, name: string, page: string | null, more: Record<string, string> = {}): AnswerRow => ({
  sentence: [`${kind} ${quote(name)}`, ...Object.entries(more).map(([what, value]) => `${what} ${value}`)].join(', '),
  facts: { kind, name: quote(name), ...more, page },
});
