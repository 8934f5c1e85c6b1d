import * as z from 'zod';
import { reasonsField } from '#functions/forms/reasons.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { POINT_PATTERN } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  tooManyResults,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { explainRows } from '#shared/environments/snapshots/explain-rows.ts';
import { getSnapshot as get } from '#shared/environments/snapshots/get-snapshot.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { SnapshotOut, snapshotOut, withReasons } from './snapshot-output.ts';

/** GET /snapshots/{org}/{env_name}/{snappish}: one snapshot with its artifacts (rules/environments.md#snapshot-detail). */
export const getSnapshot = endpoint({
  operation: 'getSnapshot',
  method: 'GET',
  path: '/snapshots/{org}/{env_name}/{snappish}',
  summary: 'Get a snapshot of an environment',
  description:
    'The last part is a number `N` or `#N`, `-N` counted from the end, `~N` for N before the newest, or `@{…}` for an instant. Large snapshots need `Accept-Encoding: gzip`.',
  access: 'reader',
  params: z.object({
    org: z.string(),
    env_name: AnyEnvironmentName,
    snappish: z.string().meta({ pattern: POINT_PATTERN }),
  }),
  query: z.object(reasonsField),
  success: { 200: SnapshotOut },
  errors: [
    unknownEnvironment,
    archivedEnvironment,
    snapshotOutOfRange,
    invalidExpression,
    severalMarks,
    tooManyResults,
  ],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, stores: Stores) => {
    const { provenance, ...snapshot } = await get(stores, org, params.env_name, params.snappish);
    const chains = query.reasons && (await explainRows(reasonReading(stores), { host, org }, snapshot, snapshot.rows));
    const body = snapshotOut(snapshot, { host, org, provenance });
    return { status: 200, body: chains ? withReasons(body, chains) : body };
  },
});
