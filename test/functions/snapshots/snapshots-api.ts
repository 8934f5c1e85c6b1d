import { actionsGroup } from '#functions/actions/endpoints.ts';
import { allowlistsGroup } from '#functions/allowlists/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { askStarts } from '#shared/watches/asking/ask-starts.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization } from '#test/support/environments.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { relayOf } from '#test/support/relay.ts';

/** Everything that makes snapshots, and what reads them, behind the real chain. */
const GROUPS = [
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, actionsGroup],
  ...[environmentsGroup, policiesGroup, allowlistsGroup, snapshotsGroup, assertsGroup],
  controlsGroup,
];
export const snapshotsApi = (): Promise<TestApi> => testApi(GROUPS);

/** The same, and everything else that a chain of reasons can end with. */
export const reasonsApi = (): Promise<TestApi> => testApi([...GROUPS, customAttestationTypesGroup, evaluationsGroup]);

/** An artifact of a snapshot as tests look at it. */
export interface ArtifactJson {
  name: string;
  fingerprint: string;
  compliant: boolean | null;
  creationTimestamp: number[];
  annotation: { type: string; was: number; now: number };
  flow_name: string | null;
  git_commit: string;
  environment_name?: string;
  policy_decisions: { policy_name: string; status: string }[];
  reasons_for_incompliance: string[];
  flows: Record<string, unknown>[];
  [field: string]: unknown;
}

export interface SnapshotJson {
  index: number;
  is_latest: boolean;
  next_snapshot_timestamp: number | null;
  timestamp: number;
  compliant: boolean;
  artifact_compliance_count: Record<'true' | 'false' | 'null', number>;
  artifacts: ArtifactJson[];
  applied_policies: { name: string; version: number; failing_artifacts: unknown[] }[];
  [field: string]: unknown;
}

export interface SummaryJson {
  index: number;
  from: number;
  to: number;
  compliant: boolean;
  duration: number;
}

/** Calls that read snapshots. */
export interface ReadingOrganization extends EnvironmentsOfOrganization {
  list(env: string, query?: string): Promise<TestAnswer>;
  /** Numbers of the snapshots on a page. */
  indexes(env: string, query?: string): Promise<number[]>;
  ask(env: string, snappish?: string): Promise<TestAnswer>;
  /** Reads an existing snapshot. */
  snapshot(env: string, snappish?: string): Promise<SnapshotJson>;
  diff(one: string, other: string): Promise<TestAnswer>;
  events(env: string, query?: string): Promise<TestAnswer>;
  /** Expands all snapshots of an environment, as the expander does. */
  expand(env: string): Promise<void>;
}

export async function readingOrganization(api: TestApi): Promise<ReadingOrganization> {
  const acme = await environmentsOfOrganization(api);
  const { services } = relayOf(api.services, acme.id);
  const expander = { services, memory: new EnvironmentMemory(), log: () => undefined, evaluationsOf, askStarts };
  const list = (env: string, query = '') => acme.get(`/snapshots/${acme.org}/${env}`, query);
  const ask = (env: string, snappish = '-1') => acme.get(`/snapshots/${acme.org}/${env}/${snappish}`);
  return {
    ...acme,
    list,
    ask,
    indexes: async (env, query) => ((await list(env, query)).json as SummaryJson[]).map(({ index }) => index),
    async snapshot(env, snappish) {
      const { status, json } = await ask(env, snappish);
      if (status !== 200) throw new Error(`${env} ${snappish}: ${status} ${JSON.stringify(json)}`);
      return json as SnapshotJson;
    },
    diff: (one, other) =>
      acme.get(`/env-diff/${acme.org}`, new URLSearchParams({ snappish1: one, snappish2: other }).toString()),
    events: (env, query) => acme.get(`/environments/${acme.org}/${env}/events`, query),
    async expand(env) {
      const { id } = await acme.head(env);
      await heldTo('expander', EXPANDER_USES, () => expandSnapshots(expander, acme.id, id));
    },
  };
}
