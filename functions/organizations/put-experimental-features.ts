import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { SET_FEATURES, setBetaFeatures } from '#shared/organizations/set-features.ts';

const FeaturesRequest = z
  .object({ experimental_features_enabled: z.boolean().describe('Whether the organization has the beta features') })
  .meta({ id: 'ExperimentalFeaturesRequest' });

/** PUT /organizations/{org}/experimental_features: switches all beta features at once (rules/organizations.md#beta-features). */
export const putExperimentalFeatures = endpoint({
  operation: 'putExperimentalFeatures',
  method: 'PUT',
  path: '/organizations/{org}/experimental_features',
  summary: 'Switch the beta features of an organization on or off',
  description:
    'The beta features are controls, evaluations and trail moments. The change takes effect everywhere within 30 seconds.',
  access: 'admin',
  managesAccess: true,
  body: { kind: 'json', schema: FeaturesRequest },
  success: { 200: z.literal('OK') },
  uses: SET_FEATURES,
  handler: async (request, stores: Pick<Stores, 'table'>) =>
    answerWrite(
      request,
      (by) => setBetaFeatures(stores, by, request.body.experimental_features_enabled),
      () => ({ ...ok(200), distrust: { organization: request.org.name } }),
    ),
});
