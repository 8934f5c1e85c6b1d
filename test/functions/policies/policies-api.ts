import { policiesGroup } from '#functions/policies/endpoints.ts';
import { type EnvironmentId, newId, type PolicyId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { newControlWrites, prepareControl } from '#shared/controls/records/control-writes.ts';
import { newEnvironmentWrites } from '#shared/environments/records/environment-writes.ts';
import { findPolicy } from '#shared/policies/records/policies.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { testName, testPartition } from '#test/support/ids.ts';

/** The fields of a policy that tests check. */
export interface PolicyRecord {
  name: string;
  description: string;
  created_at: number;
  created_by: string;
  consuming_envs: string[];
  versions: { version: number; policy_yaml: string; comment: string; timestamp: number; created_by: string }[];
}

export const policiesApi = (): Promise<TestApi> => testApi([policiesGroup]);

const SCHEMA = '_schema: https://docs.example/schemas/policy/environment/v1\n';
export const PLAIN = `${SCHEMA}artifacts: {provenance: {required: true}}\n`;
export const STRICT = `${PLAIN}# kept to the letter: \${{ größe }}\r\n`;

/** A policy file with these attestation rules. */
export const withRules = (...attestations: unknown[]): string =>
  `${SCHEMA}artifacts: ${JSON.stringify({ attestations })}\n`;
export const forControls = (...controls: string[]): string =>
  withRules(...controls.map((control) => ({ type: 'decision', name: 'approved', for_control: control })));

/** Creates an organization with an admin, and returns calls as this admin. */
export async function newOrganization(api: TestApi) {
  const { services } = api;
  const { name: org, id, keys } = await organizationWith(services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { key: keys.admin, ...request });
  const own = {
    org,
    id,
    call,
    /** The form has a file part only if a file is given. */
    put: (payload: unknown, file?: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      call('PUT', `/policies/${org}`, {
        headers,
        form: {
          fields: { payload: JSON.stringify(payload) },
          ...(file !== undefined && { files: { policy_file: file } }),
        },
      }),
    get: (name: string): Promise<TestAnswer> => call('GET', `/policies/${org}/${name}`),
    /** Reads a policy that exists. */
    async read(name: string): Promise<PolicyRecord> {
      const { status, json } = await own.get(name);
      if (status !== 200) throw new Error(`${name} is not there: ${status}`);
      return json as PolicyRecord;
    },
    list: (): Promise<TestAnswer> => call('GET', `/policies/${org}`),
    async policyId(name: string): Promise<PolicyId> {
      const head = await findPolicy(services.table, id, testName(name));
      if (!head) throw new Error(`${name} is not there`);
      return head.id;
    },
    /** Creates an environment with these policies attached. */
    async newEnvironment(name: string, policies: readonly string[]): Promise<EnvironmentId> {
      const at = services.clock.now();
      const ids = await Promise.all(policies.map(own.policyId));
      const environment = {
        id: newId<EnvironmentId>(at),
        name: testName<EnvironmentName>(name),
        kind: 'server' as const,
        at,
        by: 'ada',
        policies: ids,
      };
      const { head, writes } = newEnvironmentWrites(id, environment, () => 'taken' as const);
      await services.table.transact(writes);
      return head.id;
    },
    async newControls(identifiers: readonly string[]): Promise<void> {
      for (const identifier of identifiers) {
        const content = { name: identifier, description: null, links: {} };
        const body = prepareControl(services.objects, id, identifier, content);
        const version = {
          status: 'created',
          content,
          body,
          requires: undefined,
          at: services.clock.now(),
          by: 'ada',
        } as const;
        const { writes } = newControlWrites(id, identifier, version, () => 'taken' as const);
        await services.table.transact(writes);
      }
    },
    /** The policies whose newest version names a control, by id. */
    async policiesNaming(control: string): Promise<string[]> {
      return (await services.table.query({ pk: testPartition(`${id}#CONTROLPOLICY#${control}`) })).map(({ sk }) => sk);
    },
  };
  return own;
}

/** Status and body of the answer to a refused request. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];
/** A 400 answer with errors for exactly these fields. */
export const refused = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];
export const policyUnknown = (name: string, org: string) => [
  404,
  { message: `Policy '${name}' does not exist in organization '${org}'` },
];
