import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { anArtifact, fingerprintOf, newOrganization } from '#test/support/evidence.ts';

export const buildsApi = (): Promise<TestApi> =>
  testApi([buildsGroup, artifactsGroup, flowsGroup, reposGroup, trailsGroup]);

export interface Build {
  created_at: number;
  fingerprint: string;
  repo_info: { name: string; repo_id: string; provider: string };
  [field: string]: unknown;
}
export interface Page {
  builds: Build[];
  total_count: number;
  total_pages: number;
  has_builds_ever: boolean;
  _links: Record<string, { href: string }>;
  [field: string]: unknown;
}

/** Creates an organization that reports builds by name and reads its pages of builds. */
export async function builder(api: TestApi) {
  const acme = await newOrganization(api);
  const names = new Map<string, string>();
  const build = async (name: string, overrides: Record<string, unknown> = {}, flow = 'web') => {
    names.set(fingerprintOf(name), name);
    const { status, text } = await acme.report(anArtifact(name, overrides), { flow });
    if (status !== 201) throw new Error(`${name} was refused: ${text}`);
    return api.services.clock.now();
  };
  const page = async (query = '') => {
    const { status, json, text } = await acme.get(`/builds/${acme.org}`, query);
    if (status !== 200) throw new Error(`The list was refused: ${text}`);
    return json as Page;
  };
  const idOf = async (repo: string) => {
    const { json } = await acme.get(`/repos/${acme.org}`, `name=${repo}`);
    return (json as { repos: { id: string }[] }).repos.map(({ id }) => id);
  };
  return {
    ...acme,
    build,
    page,
    idOf,
    /** Reads a page. @returns the names of its builds */
    names: async (query?: string) => (await page(query)).builds.map(({ fingerprint }) => names.get(fingerprint)),
  };
}
