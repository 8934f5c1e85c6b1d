import { actionsGroup } from '#functions/actions/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import type { Micros } from '#shared/base/time.ts';
import { reapplyEnds } from '#shared/restore/reapply-ends.ts';
import type { Table } from '#shared/table/table.ts';
import { newOrganization } from '#test/support/admin.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress, testTable } from '#test/support/table.ts';

const GROUPS = [
  ...[organizationsGroup, serviceAccountsGroup, userGroup, auditGroup, actionsGroup, controlsGroup, environmentsGroup],
  ...[flowsGroup, trailsGroup, attestationsGroup, customAttestationTypesGroup, signersGroup],
];

/** An old table with its API, and a table that is restored from it beside it. */
export interface TwoTables {
  /** The API of the old table. */
  old: TestApi;
  /** The API of the restored table. */
  restored: TestApi;
  /** Copies all items of the old table to the restored one, as a restore to this instant does. @returns the instant */
  restore(): Promise<Micros>;
  reapply(since: Micros, more?: Partial<Parameters<typeof reapplyEnds>[0]>): ReturnType<typeof reapplyEnds>;
  /** Runs a command of the operator on the old table. */
  operate(command: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export async function twoTables(): Promise<TwoTables> {
  const old = await testApi(GROUPS);
  const restored = await testApi(GROUPS, { table: await testTable() });
  const { table: from, objects, files, clock } = old.services;
  const { table: to } = restored.services;
  return {
    old,
    restored,
    restore: async () => {
      await to.putMany(await itemsOf(from));
      return clock.now();
    },
    reapply: (since, more = {}) => reapplyEnds({ from, to, objects, files, clock, since, ...more }),
    operate: async (command) => {
      const done = await runOperator(old.services, command);
      if (!done.ok) throw new Error(done.message);
      return done;
    },
  };
}

/** Every item of a table, sorted by key. */
export const itemsOf = async ({ name }: Table) =>
  (await scanTable(databaseAddress(), name)).toSorted((one, other) =>
    `${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1,
  );

/** An organization of the old table, whose requests go to the restored table on demand. */
export async function anOrganization({ old, restored }: TwoTables) {
  const acme = await newOrganization(old, ['controls', 'evaluations']);
  const there = (method: string, path: string, request: ApiRequest = {}) =>
    restored.call(method, path.replace('ORG', acme.org), { key: acme.keys.admin, ...request });
  return {
    ...acme,
    there,
    /** Sends a request that has to succeed to the old table. */
    send: async (method: string, path: string, request: ApiRequest = {}) => {
      const answer = await acme.call(method, path, request);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.json as Record<string, unknown>;
    },
    /** The status of a key on the restored table. */
    statusOf: async (key: string) => (await there('GET', `/organizations/${acme.org}/members`, { key })).status,
  };
}
