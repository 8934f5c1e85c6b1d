import type { allowArtifact as allow } from '#functions/allowlists/allow-artifact.ts';
import type { listAllowed } from '#functions/allowlists/list-allowed.ts';
import type { getComponentDifferences } from '#functions/components/get-component-differences.ts';
import type { archiveEnvironment as archive } from '#functions/environments/archive-environment.ts';
import type { attachPolicies as attach, detachPolicies as detach } from '#functions/environments/change-policies.ts';
import type { getDeploymentFrequency } from '#functions/environments/deployment-frequency.ts';
import type { getEnvironment } from '#functions/environments/get-environment.ts';
import type { listEnvironments } from '#functions/environments/list-environments.ts';
import type { listEvents } from '#functions/environments/list-events.ts';
import type { listHistory } from '#functions/environments/list-history.ts';
import type { listPresence } from '#functions/environments/list-presence.ts';
import type { patchEnvironment as patch } from '#functions/environments/patch-environment.ts';
import type { putEnvironment as put } from '#functions/environments/put-environment.ts';
import type { renameEnvironment as rename } from '#functions/environments/rename-environment.ts';
import type { diffSnapshots } from '#functions/snapshots/diff-snapshots.ts';
import type { getSnapshot } from '#functions/snapshots/get-snapshot.ts';
import type { listSnapshotArtifacts } from '#functions/snapshots/list-snapshot-artifacts.ts';
import type { listSnapshots } from '#functions/snapshots/list-snapshots.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on environments and their snapshots. */
export const environments = operation<typeof listEnvironments>()('GET', '/environments/{org}', 'reader');
export const environment = operation<typeof getEnvironment>()('GET', '/environments/{org}/{env_name}', 'reader');
export const snapshots = operation<typeof listSnapshots>()('GET', '/snapshots/{org}/{env_name}', 'reader');
export const snapshot = operation<typeof getSnapshot>()('GET', '/snapshots/{org}/{env_name}/{snappish}', 'reader');
export const snapshotRows = operation<typeof listSnapshotArtifacts>()(
  'GET',
  '/snapshots/{org}/{env_name}/{snappish}/artifacts',
  'reader',
);
export const snapshotDiff = operation<typeof diffSnapshots>()('GET', '/env-diff/{org}', 'reader');
export const componentDifferences = operation<typeof getComponentDifferences>()(
  'GET',
  '/components/{org}/differences',
  'reader',
);
export const environmentEvents = operation<typeof listEvents>()(
  'GET',
  '/environments/{org}/{env_name}/events',
  'reader',
);
export const environmentHistory = operation<typeof listHistory>()(
  'GET',
  '/environments/{org}/{env_name}/artifacts',
  'reader',
);
export const environmentPresence = operation<typeof listPresence>()(
  'GET',
  '/environments/{org}/{env_name}/presence',
  'reader',
);
export const deploymentFrequency = operation<typeof getDeploymentFrequency>()(
  'GET',
  '/environments/{org}/{env_name}/deployment_frequency',
  'reader',
);

export const allowList = operation<typeof listAllowed>()('GET', '/allowlists/{org}/{env_name}', 'reader');
export const putEnvironment = operation<typeof put>()('PUT', '/environments/{org}', 'snapshotter');
export const patchEnvironment = operation<typeof patch>()('PATCH', '/environments/{org}/{env_name}', 'member');
export const renameEnvironment = operation<typeof rename>()('PUT', '/environments/{org}/{env_name}/rename', 'member');
export const archiveEnvironment = operation<typeof archive>()(
  'PUT',
  '/environments/{org}/{env_name}/archive',
  'member',
);
export const attachPolicies = operation<typeof attach>()('POST', '/environments/{org}/{env_name}/policies', 'member');
export const detachPolicies = operation<typeof detach>()('DELETE', '/environments/{org}/{env_name}/policies', 'member');
export const allowArtifact = operation<typeof allow>()('PUT', '/allowlists/{org}/{env_name}', 'member');

export type Environment = AnswerOf<typeof getEnvironment>;

/** Whether there is a snapshot. Without one, the API answers 404 to a read of the newest. */
export const everReported = ({ last_changed_at: at }: Pick<Environment, 'last_changed_at'>): boolean => at !== null;
/** Whether the environment shows what runs in its members. It has no history, and the API answers 400 to a read of it. */
export const isLogical = ({ type }: Pick<Environment, 'type'>): boolean => type === 'logical';

export type EnvironmentStates = NonNullable<Environment['states']>;
export type EnvironmentEvent = AnswerOf<typeof listEvents>[number];
export type EnvironmentHistory = AnswerOf<typeof listHistory>;
export type ArtifactRun = EnvironmentHistory['artifacts'][number];
export type Frequency = AnswerOf<typeof getDeploymentFrequency>;
export type PresenceDay = AnswerOf<typeof listPresence>['days'][number];
export type Snapshot = AnswerOf<typeof getSnapshot>;
export type SnapshotSummary = AnswerOf<typeof listSnapshots>[number];
export type SnapshotRows = AnswerOf<typeof listSnapshotArtifacts>;
export type SnapshotRow = SnapshotRows['artifacts'][number];
export type ComponentDifferences = AnswerOf<typeof getComponentDifferences>;
export type ComponentDifference = ComponentDifferences['differences'][number];
type Difference = AnswerOf<typeof diffSnapshots>;
export type SnapshotDiff = Extract<Difference, { snappish1: unknown }>;
export type EnvironmentChanges = Exclude<Difference, SnapshotDiff>;
export type EnvironmentChange = EnvironmentChanges['changes'][number];

/** The answer to a comparison of two snapshots. @throws Error if the API answered for two instants */
export function diffOfSnapshots(answer: Difference): SnapshotDiff {
  if ('snappish1' in answer) return answer;
  throw new Error('The API answered a comparison of snapshots with changes of a period');
}

/** The answer for two instants. @throws Error if the API compared two snapshots */
export function changesOfPeriod(answer: Difference): EnvironmentChanges {
  if ('changes' in answer) return answer;
  throw new Error('The API answered a question about a period with a comparison of snapshots');
}
export type AllowList = AnswerOf<typeof listAllowed>;
export type AllowedEntry = AllowList['entries'][number];
