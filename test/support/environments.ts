import { actionsGroup } from '#functions/actions/endpoints.ts';
import { allowlistsGroup } from '#functions/allowlists/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { newId } from '#shared/base/ids.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { environmentHeadKey } from '#shared/environments/records/keys.ts';
import { readContent, readSnapshotRange, type Snapshot } from '#shared/environments/records/snapshots.ts';
import type { SnapshotContent, SnapshotRow } from '#shared/environments/rules/content.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type ApiRequest, type TestApi, testApi } from './api.ts';
import { type EvidenceOfOrganization, fingerprintOf, newOrganization } from './evidence.ts';
import type { TestAnswer } from './gateway.ts';
import { testName } from './ids.ts';
import { policyText, STRICT } from './policies.ts';

export { policyText, STRICT };

/** Environments, their policies and what is reported into both, behind the real chain. */
export const environmentGroups = [
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, actionsGroup],
  ...[environmentsGroup, policiesGroup, allowlistsGroup, controlsGroup, searchGroup],
];
export const environmentsApi = (): Promise<TestApi> => testApi(environmentGroups);

/** What a path of a `server` runs, as the client reports it: name → what its fingerprint is made of. */
export const onServer = (running: Record<string, string>, creationTimestamp = 1_776_000_000) => ({
  artifacts: Object.entries(running).map(([name, content]) => ({
    digests: { [name]: fingerprintOf(content) },
    creationTimestamp,
  })),
});

/** An organization with calls about its environments, and with looks at what is stored of them. */
export interface EnvironmentsOfOrganization extends EvidenceOfOrganization {
  putEnvironment(name: string, type?: string, more?: Record<string, unknown>): Promise<TestAnswer>;
  putPolicy(name: string, text?: string): Promise<TestAnswer>;
  /** A report of a `server` unless another kind is named. */
  run(env: string, body: unknown, more?: { kind?: string; request?: ApiRequest }): Promise<TestAnswer>;
  attach(env: string, ...policies: string[]): Promise<TestAnswer>;
  detach(env: string, ...policies: string[]): Promise<TestAnswer>;
  allow(env: string, content: string, more?: Record<string, unknown>): Promise<TestAnswer>;
  head(env: string): Promise<EnvironmentHead>;
  /** All of them, in order. */
  snapshots(env: string): Promise<Snapshot[]>;
  content(env: string, index?: number): Promise<SnapshotContent>;
  /** A row of the newest snapshot, by name. */
  row(env: string, name: string): Promise<SnapshotRow>;
  /** What the relay does when evidence changes that the environment may depend on. */
  raiseMark(env: string): Promise<void>;
  /** What the audit log has of a kind, in order. */
  audited(kind: string): Promise<AuditRecord[]>;
}

export async function environmentsOfOrganization(api: TestApi): Promise<EnvironmentsOfOrganization> {
  const acme = await newOrganization(api);
  const { table, objects } = api.services;
  const policies = (method: string, env: string, names: readonly string[]) =>
    acme.call(method, `/environments/${acme.org}/${env}/policies`, { json: { policy_names: names } });

  const head = async (env: string): Promise<EnvironmentHead> => {
    const found = await findEnvironment(table, acme.id, testName(env));
    if (!found) throw new Error(`${env} is not there`);
    return found;
  };
  const content = async (env: string, index?: number): Promise<SnapshotContent> => {
    const { id, index: newest } = await head(env);
    const read = await readContent(table, objects, acme.id, id, index ?? newest);
    if (!read) throw new Error(`${env} has no snapshot ${index ?? newest}`);
    return read;
  };
  return {
    ...acme,
    head,
    content,
    putEnvironment: (name, type = 'server', more = {}) =>
      acme.call('PUT', `/environments/${acme.org}`, { json: { name, type, description: '', ...more } }),
    putPolicy: (name, text = STRICT) =>
      acme.call('PUT', `/policies/${acme.org}`, {
        form: { fields: { payload: JSON.stringify({ name }) }, files: { policy_file: text } },
      }),
    run: (env, body, { kind = 'server', request = {} } = {}) =>
      acme.call('PUT', `/environments/${acme.org}/${env}/report/${kind}`, { json: body, ...request }),
    attach: (env, ...names) => policies('POST', env, names),
    detach: (env, ...names) => policies('DELETE', env, names),
    allow: (env, name, more = {}) =>
      acme.call('PUT', `/allowlists/${acme.org}/${env}`, {
        json: { artifact_fingerprint: fingerprintOf(name), artifact_name: name, description: 'trusted', ...more },
      }),
    async snapshots(env) {
      const { id, index } = await head(env);
      return readSnapshotRange(table, acme.id, id, { from: 1, to: index });
    },
    async row(env, name) {
      const row = (await content(env)).rows.find((one) => one.name === name);
      if (!row) throw new Error(`${name} is not in the newest snapshot of ${env}`);
      return row;
    },
    async raiseMark(env) {
      const { id } = await head(env);
      await table.update(environmentHeadKey(acme.id, id), {
        UpdateExpression: 'ADD #mark :one',
        ExpressionAttributeNames: { '#mark': 'mark' },
        ExpressionAttributeValues: { ':one': 1 },
      });
    },
    async audited(kind) {
      const items = await table.query({ pk: auditPartition(acme.id, monthOf(newId(api.services.clock.now()))) });
      return items.map((item) => AuditRecord.parse(item)).filter((record) => record.kind === kind);
    },
  };
}
