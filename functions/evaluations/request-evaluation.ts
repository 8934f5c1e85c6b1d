import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { newId } from '#shared/base/ids.ts';
import { cutMembers } from '#shared/base/json-text.ts';
import { allInOrder, inParallel } from '#shared/base/parallel.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import { newEvaluationWrites } from '#shared/evaluations/records/evaluation-writes.ts';
import { DEADLINE_AFTER, type DecisionOrder, type EvaluationRecord } from '#shared/evaluations/records/evaluations.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { artifactNotInOrg, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint, type Organization } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { featureOff } from '#shared/http/sentences.ts';
import type { Services } from '#shared/http/services.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';
import { findTrail, pinOf } from './pins.ts';
import { EvaluationRequest } from './request-fields.ts';

const TRAILS_AT_ONCE = 32;

/** POST /evaluations/{org}: asks for the server's verdict on trails (wire admin §5.1, semantics §8.1). */
export const requestEvaluation = endpoint({
  operation: 'requestEvaluation',
  method: 'POST',
  path: '/evaluations/{org}',
  summary: 'Evaluate a policy on trails, as they are now or were at an instant',
  description:
    'Answers at once with a pending evaluation; ask for it by its id until it has an end. The policy is Rego v1 with a boolean `allow` and optional `violations` in the package `policy`.',
  access: 'member',
  feature: 'evaluations',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: EvaluationRequest },
  success: { 201: EvaluationOut },
  errors: [unknownTrail, artifactNotInOrg, featureOff],
  uses: { writes: ['EVALUATION', 'SERIES', '@EVALUATING', 'BODY'], bucket: ['bodies:write'] },
  handler: async ({ body, bodyText, org, caller, host, idempotency }, services) => {
    const { table, objects, clock } = services;
    if (body.decision != null && !org.features.includes('controls')) throw featureOff();
    const asked = body.recorded_at == null ? null : fromSeconds(body.recorded_at);
    if (asked !== null && asked > clock.now()) {
      throw invalid({ recorded_at: withInput('Input should not be in the future', body.recorded_at) });
    }
    const [trails, decision] = await allInOrder([
      inParallel(body.context.trails, TRAILS_AT_ONCE, (place) => findTrail(table, org, place)),
      orderOf(services, org, body.decision),
    ]);
    // Every write that was answered is seen, whatever the clocks of two functions say.
    const recorded = asked ?? trails.reduce((latest, { head }) => Math.max(latest, head.at), clock.now());
    const pins = await Promise.all(trails.map((trail) => pinOf(table, org.id, trail, recorded)));

    const requested = clock.now();
    const id = newId(requested);
    const keep = (text: string) => prepareBody(objects, org.id, text, `evaluation:${id}`);
    const context = keep(JSON.stringify(pins));
    const policy = keep(JSON.stringify(body.policy.files));
    const params = paramsText(body.params, bodyText);
    const keptParams = params === null ? null : keep(params);
    const bodies = [context, policy, ...(keptParams ? [keptParams] : [])];
    await Promise.all(bodies.map((one) => one.upload()));
    const record: EvaluationRecord = {
      ...{ id, status: 'pending', requested, recorded, deadline: requested + DEADLINE_AFTER },
      ...{ by: { id: caller.id, name: caller.name, kind: caller.kind, keyId: caller.keyId }, org: org.name, host },
      ...{ context: context.body, policy: policy.body, params: keptParams?.body ?? null, decision },
      ...{ result: null, error: null, decisionId: null, proof: null, input: null },
    };
    const answer = { status: 201, body: await evaluationOut(services, org.id, record, requested) };
    const claim = claimWrites(idempotency, answer, requested);
    const outcome = await table.transact<EarlierRequest>([
      ...claim,
      ...newEvaluationWrites(org.id, record, newId(clock.now()), bodies),
    ]);
    return outcome === 'done' ? answer : { status: 201, body: EvaluationOut.parse(answerOf(outcome).body) };
  },
});

/**
 * The decision that is to be recorded, its place looked up now: later nobody could be told.
 * @throws ApiError 404 for a trail or a fingerprint that is not there
 */
async function orderOf(
  { table }: Services,
  org: Organization,
  decision: EvaluationRequest['decision'],
): Promise<DecisionOrder | null> {
  if (decision == null) return null;
  const { control, name, flow, trail, fingerprint } = decision;
  const [, build] = await Promise.all([
    findTrail(table, org, { flow, trail }),
    fingerprint == null ? null : readBuild(table, org.id, fingerprint),
  ]);
  if (fingerprint != null && !build) throw artifactNotInOrg({ fingerprint, org: org.name });
  return { control, name: name ?? defaultName(control), flow, trail, fingerprint: fingerprint ?? null };
}

/** Identifiers may hold what names of attestations may not. */
const defaultName = (control: string): string => `${control.replaceAll(/[^a-zA-Z0-9\-_]/g, '-')}-decision`;

/** Clients send `{}` where none were given (semantics §8.3). The text is kept, so that numbers stay as they were sent. */
const paramsText = (params: EvaluationRequest['params'], bodyText: string): string | null =>
  params == null || Object.keys(params).length === 0 ? null : (cutMembers(bodyText, ['params'])['params'] ?? null);
