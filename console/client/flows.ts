import type { getArtifact } from '#functions/artifacts/get-artifact.ts';
import type { listArtifacts } from '#functions/artifacts/list-artifacts.ts';
import type { listFlowArtifacts } from '#functions/artifacts/list-flow-artifacts.ts';
import type { assertInEnvironments } from '#functions/asserts/assert-in-environments.ts';
import type { listBuilds } from '#functions/builds/list-builds.ts';
import type { archiveFlow as archive } from '#functions/flows/archive-flow.ts';
import type { getFlow } from '#functions/flows/get-flow.ts';
import type { getFlowFrequency } from '#functions/flows/get-flow-frequency.ts';
import type { listFlows } from '#functions/flows/list-flows.ts';
import type { putFlowWithTemplate as put } from '#functions/flows/put-flow-with-template.ts';
import type { renameFlow as rename } from '#functions/flows/rename-flow.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Operations on flows and artifacts. */
export const flows = operation<typeof listFlows>()('GET', '/flows/{org}', 'reader');
export const flow = operation<typeof getFlow>()('GET', '/flows/{org}/{flow}', 'reader');
export const flowFrequency = operation<typeof getFlowFrequency>()('GET', '/flows/{org}/{flow}/frequency', 'reader');
export const artifact = operation<typeof getArtifact>()(
  'GET',
  '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  'reader',
);
export const flowArtifacts = operation<typeof listFlowArtifacts>()('GET', '/artifacts/{org}/{flow}', 'reader');
export const artifacts = operation<typeof listArtifacts>()('GET', '/artifacts/{org}', 'reader');
export const environmentAssertions = operation<typeof assertInEnvironments>()(
  'GET',
  '/asserts/{org}/fingerprint/{fingerprint}/environments',
  'reader',
);
export const builds = operation<typeof listBuilds>()('GET', '/builds/{org}', 'reader');
export const putFlow = operation<typeof put>()('PUT', '/flows/{org}/template_file', 'member');
export const renameFlow = operation<typeof rename>()('PUT', '/flows/{org}/{flow_name}/rename', 'member');
export const archiveFlow = operation<typeof archive>()('PUT', '/flows/{org}/{flow}/archive', 'member');

export type Artifact = AnswerOf<typeof getArtifact>;
/** The last start in an environment, and what the artifact replaced there. */
export type LastStart = NonNullable<Artifact['starts']>[number];
export type Flow = AnswerOf<typeof getFlow>;
export type FlowFrequency = AnswerOf<typeof getFlowFrequency>;
export type EnvironmentAssertions = AnswerOf<typeof assertInEnvironments>;
export type Build = AnswerOf<typeof listBuilds>['builds'][number];
