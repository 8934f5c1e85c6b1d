import { actionsGroup } from '#functions/actions/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { openApiDocument } from '#shared/http/openapi.ts';

/** Every endpoint group: what the gateway, the local stack and the API's description are made from (design §1). */
export const groups: readonly EndpointGroup[] = [
  metaGroup(() => describeApi()),
  flowsGroup,
  trailsGroup,
  artifactsGroup,
  attestationsGroup,
  assertsGroup,
  customAttestationTypesGroup,
  actionsGroup,
];

/** The API's description as JSON: of every group, the one that serves it among them. */
export const describeApi = (): string => JSON.stringify(openApiDocument(groups));
