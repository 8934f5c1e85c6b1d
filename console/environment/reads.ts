import { read } from '../client/query-client.ts';
import { deployments } from '../release/operations.ts';
import {
  deploymentFrequency,
  environment,
  environmentEvents,
  environmentPresence,
  snapshot,
  snapshotDiff,
  snapshotRows,
  snapshots,
} from './operations.ts';

/** What the pages of an environment read. The routes start these reads, and the pages show them. */

interface Place {
  org: string;
  env: string;
}

/** The rows of a snapshot may be thousands. They are read again when the environment says that it changed. */
const LONG = 10 * 60_000;

const DAY = 86_400;
const NEWEST = '-1';
/** Snapshots of the timeline. Each is a read of 200 bytes. */
export const MOST_SNAPSHOTS = 200;
export const EVENTS_PER_PAGE = 50;

export const readHead = ({ org, env }: Place) => read(environment, { org, env_name: env }, { include: ['silence'] });

export const readRows = ({ org, env }: Place, snappish = NEWEST) => ({
  ...read(snapshotRows, { org, env_name: env, snappish }, { reasons: 'chain' as const }),
  staleTime: LONG,
});

/** The whole snapshot, with each rule of each policy. It can be large, so it is read only where the rules are shown. */
export const readSnapshot = ({ org, env }: Place, snappish = NEWEST) => ({
  ...read(snapshot, { org, env_name: env, snappish }),
  staleTime: LONG,
});

export const readSummaries = ({ org, env }: Place) =>
  read(snapshots, { org, env_name: env }, { per_page: MOST_SNAPSHOTS });

/** The last days with the present one. The address of a read stays the same for a whole day. */
const firstDay = (days: number) => (Math.floor(Date.now() / 1000 / DAY) - days + 1) * DAY;

export const readFrequency = ({ org, env }: Place, days = 28) =>
  read(deploymentFrequency, { org, env_name: env }, { start_ts: firstDay(days) });

/** Deployments by day and their lead times. The totals cover all deployments, so one row is enough. */
export const readPace = ({ org, env }: Place, days: number) => ({
  ...read(deployments, { org, env_name: env }, { start_ts: firstDay(days), per_page: 1, include: ['classes'] }),
  staleTime: 60_000,
});

export const readEvents = ({ org, env }: Place, page = 1) =>
  read(environmentEvents, { org, env_name: env }, { page, per_page: EVENTS_PER_PAGE });

/** Days of a page of hours, and of all its pages: as many as the API looks back. */
const PRESENCE_PER_PAGE = 28;
const PRESENCE_DAYS = 366;

/** When reports came, the newest days first. The address of the read stays the same for a whole day. */
export const readPresence = ({ org, env }: Place, page = 1) =>
  read(
    environmentPresence,
    { org, env_name: env },
    { from: firstDay(PRESENCE_DAYS), page, per_page: PRESENCE_PER_PAGE },
  );

/** What changes when an environment gets another snapshot. */
export const keysOfNewest = ({ org, env }: Place) => [
  [snapshotRows.path, { org, env_name: env, snappish: NEWEST }],
  [snapshot.path, { org, env_name: env, snappish: NEWEST }],
  [snapshots.path, { org, env_name: env }],
  [environmentEvents.path, { org, env_name: env }],
  [deploymentFrequency.path, { org, env_name: env }],
  [deployments.path, { org, env_name: env }],
  [snapshotDiff.path, { org }],
];
