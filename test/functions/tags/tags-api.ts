import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { Feature } from '#shared/callers/roles.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

export const tagsApi = (): Promise<TestApi> =>
  testApi([tagsGroup, flowsGroup, trailsGroup, artifactsGroup, reposGroup, environmentsGroup, controlsGroup]);

export interface TagsOfOrganization extends EvidenceOfOrganization {
  tag(type: string, id: string, body: unknown, request?: ApiRequest): Promise<TestAnswer>;
  /** The tags in the record of a resource, which must exist. */
  tagsAt(path: string): Promise<Record<string, string>>;
}

/** An organization, and requests that change tags in its admin's name. */
export async function newTagsOrganization(api: TestApi, features?: readonly Feature[]): Promise<TagsOfOrganization> {
  const acme = await newOrganization(api, features);
  return {
    ...acme,
    tag: (type, id, body, request) => acme.call('PATCH', `/tags/${acme.org}/${type}/${id}`, { json: body, ...request }),
    async tagsAt(path) {
      const { status, json } = await acme.get(path);
      if (status !== 200) throw new Error(`${path} is not there: ${status}`);
      return (json as { tags: Record<string, string> }).tags;
    },
  };
}

/** Returns `count` tags `<prefix>0`, `<prefix>1`, … with one value. */
export const manyTags = (count: number, value = 'v', prefix = 't'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]));
