import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { relayOf } from '#test/support/relay.ts';

/** Of the flow `web`: its trails need a review. */
export const REVIEWED = 'trail:\n  attestations:\n    - {name: review, type: generic}';

/** The groups that expectations of every kind need. */
export const kindsApi = (): Promise<TestApi> =>
  testApi([
    expectationsGroup,
    flowsGroup,
    trailsGroup,
    artifactsGroup,
    attestationsGroup,
    customAttestationTypesGroup,
    controlsGroup,
    environmentsGroup,
    tagsGroup,
    auditGroup,
  ]);

/** A new organization with the flow `web`, whose trails need a review, the environment `prod` and the control `C-1`. */
export async function organizationOfKinds(api: TestApi) {
  const acme = await newOrganization(api, ['controls']);
  const relay = relayOf(api.services, acme.id);
  const call = (method: string, path: string, json: unknown) =>
    acme.call(method, path.replace('ORG', acme.org), { json });
  const send = async (method: string, path: string, json: unknown) => {
    const answer = await call(method, path, json);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  await acme.putFlow('web', REVIEWED);
  await send('PUT', '/environments/ORG', { name: 'prod', type: 'server' });
  await send('POST', '/controls/ORG', { identifier: 'C-1', name: 'Approval' });
  const review = (more = {}, flow = 'web') =>
    acme.attest('generic', { attestation_name: 'review', is_compliant: true, ...more }, { flow, trail: 'one' });
  const decide = (is_compliant: boolean, about = {}, trail = 'one') =>
    acme.attest(
      'system',
      { type_name: 'decision', attestation_name: 'ok', control: 'C-1', attestation_data: { is_compliant }, ...about },
      { flow: 'web', trail },
    );
  return { acme, relay, call, send, review, decide };
}
