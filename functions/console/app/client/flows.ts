import type { getArtifact } from '#functions/artifacts/get-artifact.ts';
import type { assertArtifact } from '#functions/asserts/assert-artifact.ts';
import type { getFlow } from '#functions/flows/get-flow.ts';
import type { listFlows } from '#functions/flows/list-flows.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Operations on flows and artifacts. */
export const flows = operation<typeof listFlows>()('GET', '/flows/{org}', 'reader');
export const flow = operation<typeof getFlow>()('GET', '/flows/{org}/{flow}', 'reader');
export const artifact = operation<typeof getArtifact>()(
  'GET',
  '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  'reader',
);
export const assertion = operation<typeof assertArtifact>()(
  'GET',
  '/asserts/{org}/fingerprint/{fingerprint}',
  'reader',
);

export type Artifact = AnswerOf<typeof getArtifact>;
export type Flow = AnswerOf<typeof getFlow>;
