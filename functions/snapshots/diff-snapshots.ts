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
  fingerprint: z.string(),
  name: z.string(),
  flow: z.string().nullable(),
  commit_url: z.string().nullable(),
  most_recent_timestamp: z.int(),
  pods: z.array(z.string()).optional(),
};
const Counted = z.object({ ...artifactShape, instance_count: z.int() }).meta({ id: 'DiffArtifact' });
const Scaled = z
  .object({ ...artifactShape, s1_instance_count: z.int(), s2_instance_count: z.int() })
  .meta({ id: 'DiffScaledArtifact' });
const Side = z.object({ snapshot_id: z.string(), artifacts: z.array(Counted) });

const DiffOut = z
  .object({
    snappish1: Side,
    snappish2: Side,
    changed: z.object({ artifacts: z.array(Scaled) }),
    'not-changed': z.object({ artifacts: z.array(Counted) }),
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
