import type { Organization } from '#shared/callers/caller.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { listedRepos } from '#shared/evidence/records/repo-records.ts';
import { FLOWS, REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { POLICIES } from '#shared/policies/rules/series-kinds.ts';
import { readCatalogues } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { byName, NO_MATCHES } from './matches.ts';

/**
 * Finds the records of catalogues whose names begin with a text (rules/lookups.md#search-by-name). Reads the entries of each
 * catalogue, as the lists of these records do. Controls are left out if the organization does not have the feature.
 */
export async function findNamed(table: Table, org: Organization, text: string) {
  const kinds = { flows: FLOWS, environments: ENVIRONMENTS, policies: POLICIES, repos: REPOS };
  const hasControls = org.features.includes('controls');
  const read = await readCatalogues(table, org.id, { ...kinds, ...(hasControls && { controls: CONTROLS }) });
  const { flows, environments, policies, controls } = read;
  const repos = listedRepos(read.repos);
  const named = [...flows.values()].map(({ id, entry, activity }) => ({
    id,
    name: String(entry['n']),
    latest: Number(activity?.['at'] ?? 0),
  }));
  return {
    /** All flows, for the names of the flows of trails and artifacts. */
    allFlows: named,
    flows: byName(named, text, ({ name }) => [name]),
    environments: byName(
      [...environments.values()].map(({ entry: { n, k } }) => ({ name: String(n), type: String(k) })),
      text,
      ({ name }) => [name],
    ),
    policies: byName(
      [...policies.values()].map(({ entry }) => String(entry['n'])),
      text,
      (name) => [name],
    ),
    controls: controls
      ? byName(
          [...controls.values()].map(({ entry: { n, i, a } }) => ({
            name: String(n),
            identifier: String(i),
            archived: a === true,
          })),
          text,
          ({ name, identifier }) => [name, identifier],
        )
      : NO_MATCHES,
    // People know a repository by the last part of its name too: `web` of `acme/web`.
    repos: byName(repos, text, ({ name }) => [name, name.slice(name.lastIndexOf('/') + 1)]),
  };
}
