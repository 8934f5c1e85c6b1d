import * as z from 'zod';
import { reasonFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { getArtifact as get } from '#shared/environments/artifacts/get-artifact.ts';
import type { ShownArtifact } from '#shared/environments/artifacts/shown-artifacts.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import { explainArtifact } from '#shared/reasons/explain-trail.ts';
import { ArtifactOut, artifactOut } from './artifact-output.ts';
import { LastStart, lastStartOut } from './last-starts.ts';

const ArtifactWithStarts = ArtifactOut.extend({
  starts: z
    .array(LastStart)
    .optional()
    .meta({ description: 'The last start in each environment, newest first; at most 20. Only with `include=starts`' }),
  ...reasonFields,
}).meta({ id: 'ArtifactWithStarts' });

/**
 * GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}: the latest report of an artifact in a flow or in a trail
 * (rules/artifacts.md#get-an-artifact).
 */
export const getArtifact = endpoint({
  operation: 'getArtifact',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  summary: 'Get an artifact of a flow by its fingerprint',
  description: 'A prefix of at least 5 characters is enough if exactly one artifact of the flow begins with it.',
  access: 'reader',
  query: z.object({
    trail: AnyTrailName.optional(),
    include: listField(z.enum(['starts']))
      .default([])
      .meta({ description: '`starts`: the last start in each environment, with what it replaced' }),
    ...reasonsField,
  }),
  success: { 200: ArtifactWithStarts },
  errors: [unknownFlow, artifactNotInFlow],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const given = { ...params, trail: query.trail };
    const { artifact, starts } = await get(stores, org, given, query.include.includes('starts'));
    const at = { org, host };
    const chain = query.reasons && (await explainArtifact(reasonReading(stores), at, judged(artifact)));
    return {
      status: 200,
      body: {
        ...artifactOut(artifact, at),
        ...(starts && { starts: starts.map((one) => lastStartOut(one, at)) }),
        ...reasonsOut(chain),
      },
    };
  },
});

const judged = ({ record, flow, verdict, entries }: ShownArtifact) => ({
  flow,
  trail: record.trail,
  status: verdict.status,
  entries: entries(),
});
