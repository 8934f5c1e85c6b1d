import { expect } from 'vitest';
import type { SnapshotRow } from '#shared/environments/rules/content.ts';
import type { TestApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization, onServer } from '#test/support/environments.ts';

/** Makes an organization with the environment `prod`, to which the policy `p` with the given text is attached. */
export const judgedIn =
  (api: TestApi) =>
  async (text?: string): Promise<EnvironmentsOfOrganization> => {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('prod');
    if (text !== undefined) {
      expect((await acme.putPolicy('p', text)).status).toBe(201);
      expect((await acme.attach('prod', 'p')).status).toBe(200);
    }
    return acme;
  };

/** Raises the mark, as the relay does for changed evidence, and reports again. */
export async function runAgain(acme: EnvironmentsOfOrganization, running = { web: 'web' }): Promise<SnapshotRow> {
  await acme.raiseMark('prod');
  expect([200, 201]).toContain((await acme.run('prod', onServer(running))).status);
  return acme.row('prod', 'web');
}
