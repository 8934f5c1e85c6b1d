import * as z from 'zod';
import { newId, preciseId } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findTrail, pinTrails } from '#shared/evaluations/pin-trails.ts';
import { newEvaluationWrites } from '#shared/evaluations/records/evaluation-writes.ts';
import { DEADLINE_AFTER, type DecisionOrder, type EvaluationRecord } from '#shared/evaluations/records/evaluations.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { identityOf } from '#shared/evidence/reporting.ts';
import { artifactNotInOrg, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { featureOff } from '#shared/http/sentences.ts';
import type { Services } from '#shared/http/services.ts';
import { repeated } from '#shared/http/written.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';
import { EvaluationRequest, instantOf, paramsText, refuseFuture } from './request-fields.ts';

/** POST /evaluations/{org}: stores a pending evaluation; the evaluator runs it later (rules/evaluations.md#request). */
export const requestEvaluation = endpoint({
  operation: 'requestEvaluation',
  method: 'POST',
  path: '/evaluations/{org}',
  summary: 'Evaluate a policy on trails, as of now or of an earlier instant',
  description:
    'The answer is a pending evaluation. Get it by its id until `status` is no longer `pending`. The policy is Rego v1 with a boolean `allow` and optional `violations` in the package `policy`.',
  access: 'member',
  feature: 'evaluations',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: EvaluationRequest },
  success: { 201: EvaluationOut },
  makes: { at: '/evaluations/{org}/{evaluation_id}', id: 'evaluation_id' },
  errors: [unknownTrail, artifactNotInOrg, featureOff],
  checks: [({ sent }, { clock }) => refuseFuture(sent, clock.now())],
  uses: { writes: ['EVALUATION', 'SERIES', '@EVALUATING', 'BODY'], bucket: ['bodies:write'] },
  handler: async ({ body, bodyText, org, caller, host, idempotency }, services) => {
    const { table, objects, clock } = services;
    // Read before the trails, so that `requested_at` is not later than the `recorded_at` that is made after them.
    const requested = clock.now();
    if (body.decision != null && !org.features.includes('controls')) throw featureOff();
    const [{ pins, recorded }, decision] = await allInOrder([
      pinTrails(services, org, body.context.trails, instantOf(body)),
      orderOf(services, org, body.decision),
    ]);

    const id = newId(requested);
    const prepare = (text: string) => prepareBody(objects, org.id, text, `evaluation:${id}`);
    const context = prepare(JSON.stringify(pins));
    const policy = prepare(JSON.stringify(body.policy.files));
    const params = paramsText(body.params, bodyText);
    const paramsBody = params === null ? null : prepare(params);
    const bodies = [context, policy, ...(paramsBody ? [paramsBody] : [])];
    await Promise.all(bodies.map((one) => one.upload()));
    const record: EvaluationRecord = {
      id,
      status: 'pending',
      requested,
      recorded,
      deadline: requested + DEADLINE_AFTER,
      by: { id: caller.id, name: caller.name, kind: caller.kind, keyId: caller.keyId, ...identityOf(caller) },
      org: org.name,
      host,
      context: context.body,
      policy: policy.body,
      params: paramsBody?.body ?? null,
      decision,
      result: null,
      allow: null,
      error: null,
      decisionId: null,
      proof: null,
      input: null,
      ended: null,
      pledges: {
        context: context.commitment,
        policy: policy.commitment,
        ...(paramsBody && { params: paramsBody.commitment }),
      },
      salts: {},
    };
    const made = { evaluation_id: id };
    const answer = { status: 201, body: await evaluationOut(services, { org, host }, record, requested), made };
    const claim = claimWrites(idempotency, answer, requested);
    const outcome = await table.transact<EarlierRequest>([
      ...claim,
      ...newEvaluationWrites(org.id, record, preciseId(clock.now()), bodies),
    ]);
    return outcome === 'done' ? answer : repeated(EvaluationOut, outcome);
  },
});

/**
 * Checks and completes the decision of a request (rules/evaluations.md#decision-order). It checks trail and fingerprint now,
 * because a later failure could not be answered to the caller.
 *
 * @throws ServiceError 404 for an unknown trail or fingerprint
 */
async function orderOf(
  { table }: Services,
  org: Organization,
  decision: EvaluationRequest['decision'],
): Promise<DecisionOrder | null> {
  if (decision == null) return null;
  const { control, name, flow, trail, fingerprint } = decision;
  const [found, build] = await Promise.all([
    findTrail(table, org, { flow, trail }),
    fingerprint == null ? null : readBuild(table, org.id, fingerprint),
  ]);
  if (fingerprint != null && !build) throw artifactNotInOrg({ fingerprint, org: org.name });
  const place = { flow: found.flow.id, trail: found.head.id };
  return { control, name: name ?? defaultName(control), flow, trail, place, fingerprint: fingerprint ?? null };
}

/** Replaces characters that an identifier may have and an attestation name may not. */
const defaultName = (control: string): string => `${control.replaceAll(/[^a-zA-Z0-9\-_]/g, '-')}-decision`;
