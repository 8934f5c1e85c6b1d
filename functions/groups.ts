import { actionsGroup } from '#functions/actions/endpoints.ts';
import { allowlistsGroup } from '#functions/allowlists/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { consoleGroup } from '#functions/console/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { draftsGroup } from '#functions/drafts/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { logGroup } from '#functions/log/endpoints.ts';
import { mcpGroup } from '#functions/mcp/endpoints.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { SUPPLEMENTS } from '#functions/openapi/supplements.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import { referenceGroup } from '#functions/reference/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { signInGroup } from '#functions/sign-in/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { witnessGroup } from '#functions/witness/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { openApiDocument } from '#shared/http/openapi.ts';

/** All endpoint groups. The gateway, the local stack and the OpenAPI document are made from this list. */
export const groups: readonly EndpointGroup[] = [
  metaGroup(() => describeApi()),
  referenceGroup,
  consoleGroup,
  flowsGroup,
  trailsGroup,
  artifactsGroup,
  attestationsGroup,
  assertsGroup,
  customAttestationTypesGroup,
  actionsGroup,
  environmentsGroup,
  policiesGroup,
  environmentNotificationsGroup,
  allowlistsGroup,
  controlsGroup,
  evaluationsGroup,
  expectationsGroup,
  signersGroup,
  snapshotsGroup,
  buildsGroup,
  componentsGroup,
  reposGroup,
  searchGroup,
  mcpGroup,
  draftsGroup,
  tagsGroup,
  serviceAccountsGroup,
  tokenGroup,
  userGroup,
  signInGroup,
  organizationsGroup,
  auditGroup,
  exportsGroup,
  logGroup,
  receiptsGroup,
  statementsGroup,
  witnessGroup,
];

/** Returns the OpenAPI document of all groups as JSON. */
export const describeApi = (): string => JSON.stringify(openApiDocument(groups, SUPPLEMENTS));
