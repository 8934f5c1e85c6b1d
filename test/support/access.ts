import { describe, expect, it } from 'vitest';
import { mayAs, ROLES, type Role } from '#shared/callers/roles.ts';
import type { ApiRequest, TestApi } from './api.ts';
import { organizationWith, uniqueName } from './directory.ts';

const DENIED = { message: "You don't have permission to access this resource" };

/** One request of an endpoint, as far as it does not depend on who asks. */
export interface AccessCase {
  method: string;
  path: (org: string) => string;
  /** A request that succeeds for every caller who may call the endpoint. */
  request?: ApiRequest;
  /** The least able role that may. */
  needs: Role;
}

type TestOrganization = Awaited<ReturnType<typeof organizationWith<Role>>>;

const organizations = new WeakMap<TestApi, Map<string, Promise<TestOrganization>>>();

function shared(api: TestApi, name: string, roles: readonly Role[]): Promise<TestOrganization> {
  const ofApi = organizations.get(api) ?? new Map<string, Promise<TestOrganization>>();
  organizations.set(api, ofApi);
  const found = ofApi.get(name) ?? organizationWith<Role>(api.services, roles);
  ofApi.set(name, found);
  return found;
}

/** The refusals that all endpoints of an organization have in common (rules/requests.md#refusal-of-access). */
export function describeAccess(api: TestApi, { method, path, request = {}, needs }: AccessCase): void {
  describe('access', () => {
    // Only the first answer is checked for each caller, so all cases of a file share two organizations.
    const organization = () => shared(api, 'own', ROLES);

    it('is refused without a key', async () => {
      const { name } = await organization();
      const answer = await api.call(method, path(name), request);
      expect([answer.status, answer.json]).toEqual([401, { message: 'Authentication required' }]);
    });

    it('is refused with a key that nobody has', async () => {
      const { name } = await organization();
      const answer = await api.call(method, path(name), { ...request, key: uniqueName('nobody') });
      expect([answer.status, answer.json]).toEqual([401, { message: 'Invalid or expired API key' }]);
    });

    it("is refused to another organization's admin as if there were no such organization", async () => {
      const own = await organization();
      const other = await shared(api, 'other', ['admin']);
      const key = other.keys.admin;
      const there = await api.call(method, path(own.name), { ...request, key });
      const nowhere = await api.call(method, path(uniqueName('nowhere')), { ...request, key });
      expect([there.status, there.json]).toEqual([403, DENIED]);
      expect([nowhere.status, nowhere.json]).toEqual([403, DENIED]);
    });

    it.each(ROLES.filter((role) => !mayAs(role, needs)))('is refused to the role %s', async (role) => {
      const { name, keys } = await organization();
      const answer = await api.call(method, path(name), { ...request, key: keys[role] });
      expect([answer.status, answer.json]).toEqual([403, DENIED]);
    });

    it.each(ROLES.filter((role) => mayAs(role, needs)))('is given to the role %s', async (role) => {
      const { name, keys } = await organization();
      const answer = await api.call(method, path(name), { ...request, key: keys[role] });
      expect([401, 403]).not.toContain(answer.status);
    });
  });
}
