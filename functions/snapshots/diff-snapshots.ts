import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { SNAPPISH_PATTERN } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { diffSnapshots as diff } from '#shared/environments/snapshots/get-snapshot.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const artifactShape = {
  fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
  name: z.string().describe('Name of the artifact'),
  flow: z.string().nullable().describe('Name of the flow that has the artifact; null if none has it'),
  commit_url: z.string().nullable().describe('Address of the commit'),
  most_recent_timestamp: z.int().describe('Latest start of an instance, in seconds since the epoch'),
  pods: z.array(z.string()).optional().describe('Names of the pods'),
};
const Counted = z
  .object({ ...artifactShape, instance_count: z.int().describe('Number of instances') })
  .meta({ id: 'DiffArtifact' });
const Scaled = z
  .object({
    ...artifactShape,
    s1_instance_count: z.int().describe('Number of instances in the first snapshot'),
    s2_instance_count: z.int().describe('Number of instances in the second snapshot'),
  })
  .meta({ id: 'DiffScaledArtifact' });
const Side = z.object({
  snapshot_id: z.string().describe('Name of the environment and number of the snapshot'),
  artifacts: z.array(Counted).describe('The artifacts'),
});

const DiffOut = z
  .object({
    snappish1: Side.describe('What only the first snapshot has'),
    snappish2: Side.describe('What only the second snapshot has'),
    changed: z
      .object({ artifacts: z.array(Scaled).describe('The artifacts') })
      .describe('Artifacts whose number of instances changed'),
    'not-changed': z
      .object({ artifacts: z.array(Counted).describe('The artifacts') })
      .describe('Artifacts that both snapshots have with as many instances'),
  })
  .meta({ id: 'EnvironmentDiff' });

/** GET /env-diff/{org}: compares what runs in two snapshots (rules/environments.md#diff). */
export const diffSnapshots = endpoint({
  operation: 'diffSnapshots',
  method: 'GET',
  path: '/env-diff/{org}',
  summary: 'Compare two snapshots, of one environment or of two',
  description:
    'Each snapshot is the name of an environment, followed by `#N`, `~N` or `@{…}`. The name alone means the newest snapshot.',
  access: 'reader',
  query: z.object({
    snappish1: z.string().meta({ pattern: SNAPPISH_PATTERN }),
    snappish2: z.string().meta({ pattern: SNAPPISH_PATTERN }),
  }),
  success: { 200: DiffOut },
  errors: [unknownEnvironment, archivedEnvironment, snapshotOutOfRange, invalidExpression, severalMarks],
  uses: READ_BODIES,
  handler: async ({ query, org }, stores: Stores) => ({
    status: 200,
    body: await diff(stores, org, [query.snappish1, query.snappish2]),
  }),
});
