import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { earliestOf, fromSeconds, type Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listChanges } from '#shared/environments/changes/list-changes.ts';
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
import { flatPage, pageAnswer } from '#shared/http/paging.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { ChangesOut, changeOut, changesOut } from './changes-output.ts';
import { instantField } from './instant-field.ts';

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

/** Artifacts of a page of changes. Each costs the reads of its reports and trails. */
const CHANGES = { page: 50, largest: 100 };

const Query = z.object({
  snappish1: z.string().optional().meta({ pattern: SNAPPISH_PATTERN, description: 'The first snapshot' }),
  snappish2: z.string().optional().meta({ pattern: SNAPPISH_PATTERN, description: 'The second snapshot' }),
  environment: AnyEnvironmentName.optional().meta({
    description: 'Name of an environment, in place of two snapshots: what changed in it from `from` to `to`',
  }),
  from: instantField().optional().meta({
    description: 'Begin of the period: seconds since the epoch, or a date or date and time in UTC',
  }),
  to: instantField().optional().meta({
    description: 'End of the period, in the same forms; the default is now, also for an instant in the future',
  }),
  page: integerField({ min: 1 }).optional().meta({ description: 'Page of the changes, from 1 on' }),
  per_page: integerField({ min: 1, max: CHANGES.largest })
    .optional()
    .meta({ description: `Changes on a page; the default is ${CHANGES.page}` }),
});
type Query = z.output<typeof Query>;

const SNAPSHOTS = ['snappish1', 'snappish2'] as const;
const OF_PERIOD = ['environment', 'from', 'to', 'page', 'per_page'] as const;

/** What the checks see of a query: what the schemas accept, and the names of what they refuse. */
interface Asked {
  query: Partial<Query>;
  refused: ReadonlySet<string>;
}

const has = ({ query, refused }: Asked, name: keyof Query): boolean => query[name] !== undefined || refused.has(name);

/** The request names snapshots, or an environment and a period. Without either, snapshots are missing. */
const isPeriod = (asked: Asked): boolean =>
  !SNAPSHOTS.some((name) => has(asked, name)) && OF_PERIOD.some((name) => has(asked, name));

function requireField(asked: Asked, name: keyof Query): void {
  if (!has(asked, name)) throw invalidField(`query.${name}`, 'Field required', undefined);
}

function refuseBothForms(asked: Asked): void {
  const other = OF_PERIOD.find((name) => has(asked, name));
  if (isPeriod(asked) || other === undefined) return;
  throw invalidField(`query.${other}`, 'Input should not be given with snappish1 and snappish2', asked.query[other]);
}

/** @throws ServiceError 400 if the period ends before it begins, or begins in the future */
function periodOf({ from = 0, to }: Partial<Query>, now: Micros): { from: Micros; to: Micros } {
  const period = { from: fromSeconds(from), to: to === undefined ? now : earliestOf(now, fromSeconds(to)) };
  if (period.from > period.to) {
    throw invalidField('query.from', 'Input should be less than or equal to to and not in the future', from);
  }
  return period;
}

/** GET /env-diff/{org}: compares what runs in two snapshots, or at two instants (rules/environments.md#diff). */
export const diffSnapshots = endpoint({
  operation: 'diffSnapshots',
  method: 'GET',
  path: '/env-diff/{org}',
  summary: 'Compare two snapshots, or list what changed in an environment between two instants',
  description:
    'Send either `snappish1` and `snappish2`, or `environment` and `from`. Each snapshot is the name of an environment, followed by `#N`, `~N` or `@{…}`. The name alone means the newest snapshot. With instants the answer pairs each artifact with the one that it replaced, and says who made it, who allowed it and who was notified.',
  access: 'reader',
  query: Query,
  success: { 200: z.union([DiffOut, ChangesOut]) },
  errors: [unknownEnvironment, archivedEnvironment, snapshotOutOfRange, invalidExpression, severalMarks],
  uses: READ_BODIES,
  checks: [
    refuseBothForms,
    ...SNAPSHOTS.map((name) => (asked: Asked) => isPeriod(asked) || requireField(asked, name)),
    ...(['environment', 'from'] as const).map(
      (name) => (asked: Asked) => !isPeriod(asked) || requireField(asked, name),
    ),
    (asked, { clock }) => asked.refused.has('from') || asked.refused.has('to') || periodOf(asked.query, clock.now()),
  ],
  handler: async (request, stores: Stores) => {
    const { query, org } = request;
    const { environment, snappish1 = '', snappish2 = '', page = 1, per_page: perPage = CHANGES.page } = query;
    if (environment === undefined) return { status: 200, body: await diff(stores, org, [snappish1, snappish2]) };
    const period = periodOf(query, stores.clock.now());
    const found = await listChanges(stores, org, environment, { period, page, perPage });
    const total = Object.values(found.totals).reduce((sum, count) => sum + count, 0);
    const shown = { page, perPage, total, items: found.changes.map((change) => changeOut(request, change)) };
    return pageAnswer(request, shown, {
      ...flatPage('changes', request, shown),
      ...changesOut(request, period, found),
    });
  },
});
