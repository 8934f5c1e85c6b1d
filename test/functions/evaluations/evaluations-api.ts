import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import type { Services } from '#functions/services.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { Feature } from '#shared/callers/roles.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

export const evaluationsApi = (): Promise<TestApi> =>
  testApi([evaluationsGroup, flowsGroup, trailsGroup, artifactsGroup, attestationsGroup]);

export interface EvaluationJson {
  id: string;
  status: string;
  requested_at: number;
  recorded_at: number;
  result: { allow: boolean; violations: string[] } | null;
  error: { kind: string; message: string } | null;
  decision_attestation_id: string | null;
  proof: Record<string, string> | null;
}

export const ALLOW_ALL = 'package policy\n\nallow := true\n';

/** The body of a request about the trail `web/run`. */
export const anEvaluation = (fields: Record<string, unknown> = {}) => ({
  context: { trails: [{ flow: 'web', trail: 'run' }] },
  policy: { files: { 'policy.rego': ALLOW_ALL } },
  params: {},
  ...fields,
});

export interface EvaluationsOfOrganization extends EvidenceOfOrganization {
  request(fields?: Record<string, unknown>, as?: string): Promise<TestAnswer>;
  read(id: string): Promise<TestAnswer>;
}

/** A new organization with the trail `web/run`, and requests in its name. */
export async function withTrail(api: TestApi, features?: readonly Feature[]): Promise<EvaluationsOfOrganization> {
  const acme = await newOrganization(api, features);
  await acme.begin({});
  return {
    ...acme,
    request: (fields, key = acme.keys.member) =>
      acme.call('POST', `/evaluations/${acme.org}`, { json: anEvaluation(fields), key }),
    read: (id) => acme.get(`/evaluations/${acme.org}/${id}`),
  };
}

/** Returns a function that requests an evaluation, processes it, and returns its record as readers see it. */
export const evaluatedIn =
  (services: Services) =>
  async (
    acme: EvaluationsOfOrganization,
    policy: string | Record<string, string>,
    fields: Record<string, unknown> = {},
  ): Promise<EvaluationJson> => {
    const files = typeof policy === 'string' ? { 'policy.rego': policy } : policy;
    const { status, json } = await acme.request({ policy: { files }, ...fields });
    if (status !== 201) throw new Error(`The request was answered with ${status}: ${JSON.stringify(json)}`);
    const { id } = json as EvaluationJson;
    await processEvaluation(services, acme.id, id);
    return (await acme.read(id)).json as EvaluationJson;
  };
