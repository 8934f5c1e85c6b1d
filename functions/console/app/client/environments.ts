import type { getEnvironment } from '#functions/environments/get-environment.ts';
import type { listEnvironments } from '#functions/environments/list-environments.ts';
import type { listEvents } from '#functions/environments/list-events.ts';
import type { getSnapshot } from '#functions/snapshots/get-snapshot.ts';
import type { listSnapshots } from '#functions/snapshots/list-snapshots.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Operations on environments and their snapshots. */
export const environments = operation<typeof listEnvironments>()('GET', '/environments/{org}', 'reader');
export const environment = operation<typeof getEnvironment>()('GET', '/environments/{org}/{env_name}', 'reader');
export const snapshots = operation<typeof listSnapshots>()('GET', '/snapshots/{org}/{env_name}', 'reader');
export const snapshot = operation<typeof getSnapshot>()('GET', '/snapshots/{org}/{env_name}/{snappish}', 'reader');
export const environmentEvents = operation<typeof listEvents>()(
  'GET',
  '/environments/{org}/{env_name}/events',
  'reader',
);

export type Environment = AnswerOf<typeof getEnvironment>;
export type Snapshot = AnswerOf<typeof getSnapshot>;
