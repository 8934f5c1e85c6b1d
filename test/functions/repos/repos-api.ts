import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { aRepo, type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';

export const reposApi = (): Promise<TestApi> => testApi([reposGroup, flowsGroup, trailsGroup, tagsGroup]);

/** The fields of a repository that tests check. */
export interface RepoRecord {
  id: string;
  name: string;
  tags: Record<string, string>;
  [field: string]: unknown;
}

export interface ReposPage {
  repos: RepoRecord[];
  page: number;
  per_page: number;
  total_pages: number;
  total_count: number;
  _links: Record<string, { href: string }>;
}

export interface ReposOfOrganization extends EvidenceOfOrganization {
  /** Registers a repository by a trail that names it. */
  register(fields: Record<string, unknown>): Promise<void>;
  /** Reads a page of the list. @throws Error if the request is refused */
  page(query?: string): Promise<ReposPage>;
  names(query?: string): Promise<string[]>;
  /** The inner id of the repository of this name. @throws Error if there is not exactly one */
  idOf(name: string): Promise<string>;
}

export async function newReposOrganization(api: TestApi): Promise<ReposOfOrganization> {
  const acme = await newOrganization(api);
  const page = async (query = '') => {
    const { status, json, text } = await acme.get(`/repos/${acme.org}`, query);
    if (status !== 200) throw new Error(`The list was refused: ${text}`);
    return json as ReposPage;
  };
  return {
    ...acme,
    page,
    async register(fields) {
      const { status, text } = await acme.begin({ repo_info: aRepo(fields) });
      if (status > 201) throw new Error(`The repository was refused: ${text}`);
    },
    names: async (query) => (await page(query)).repos.map(({ name }) => name),
    async idOf(name) {
      const [repo, other] = (await page(`name=${encodeURIComponent(name)}`)).repos;
      if (!repo || other) throw new Error(`There is not exactly one repository named ${name}`);
      return repo.id;
    },
  };
}
