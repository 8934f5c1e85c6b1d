import * as z from 'zod';
import { allInOrder } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type DiffSide, environmentDiff } from '#shared/environments/rules/diff.ts';
import { parseSnappish, SNAPPISH_PATTERN } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { type FoundSnapshot, findSnapshot } from '#shared/environments/snapshots/find-snapshot.ts';
import { resolveContent, type ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { type Provenance, readProvenance } from '#shared/evidence/provenance.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { isRunning } from './snapshot-output.ts';

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
  handler: async ({ query, org }, services: Stores) => {
    const now = services.clock.now();
    const asked = [parseSnappish(query.snappish1, now), parseSnappish(query.snappish2, now)] as const;
    const [first, second] = await allInOrder([
      readRunning(services, org, asked[0]),
      readRunning(services, org, asked[1]),
    ]);
    const reports = [...first.rows, ...second.rows].flatMap(({ flows: [primary] }) => primary?.report ?? []);
    const provenance = await readProvenance(services, org.id, reports);
    return {
      status: 200,
      body: environmentDiff(sideOf(first, provenance), sideOf(second, provenance)),
    };
  },
});

interface Running {
  found: FoundSnapshot;
  rows: ShownRow[];
}

async function readRunning(
  services: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  expression: ReturnType<typeof parseSnappish>,
): Promise<Running> {
  const found = await findSnapshot(services, org, expression.env, expression);
  const { rows } = await resolveContent(services, org.id, found);
  return { found, rows: rows.filter(isRunning) };
}

const sideOf = ({ found, rows }: Running, provenance: ReadonlyMap<string, Provenance>): DiffSide => ({
  env: found.head.name,
  index: found.parts.summary.index,
  rows: rows.map((row) => {
    const [primary] = row.flows;
    return {
      name: row.name,
      fingerprint: row.fingerprint,
      started: row.started,
      ...(row.pods && { pods: row.pods }),
      flow: primary?.name ?? null,
      commitUrl: (primary && provenance.get(primary.report)?.commitUrl) ?? null,
    };
  }),
});
