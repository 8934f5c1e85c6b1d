import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { BETA_FEATURES, type Feature } from '#shared/callers/roles.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { setFeatures } from '#shared/organizations/records/features.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

const FeaturesRequest = z
  .object({ experimental_features_enabled: z.boolean() })
  .meta({ id: 'ExperimentalFeaturesRequest' });

const isBeta = (feature: Feature): boolean => (BETA_FEATURES as readonly Feature[]).includes(feature);

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
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: FeaturesRequest },
  success: { 200: z.literal('OK') },
  errors: [],
  uses: { writes: ['@ORG', 'AUDIT'] },
  handler: async ({ org, body, caller, receivedAt, idempotency }, { table, clock }) => {
    const switchedOn: readonly Feature[] = body.experimental_features_enabled ? BETA_FEATURES : [];
    const answer = ok(200);
    const outcome = await retrying(async () => {
      // The organization that authentication remembers can be up to 30 seconds old.
      const current = await new Directory(table).organization(org.name);
      if (!current) throw permissionDenied();
      const claim = claimWrites(idempotency, answer, clock.now());
      const others = current.features.filter((feature) => !isBeta(feature));
      const features = [...others, ...switchedOn];
      if (current.features.length === features.length) return claimAlone(table, claim);
      return setFeatures(table, current, features, stampOf(caller, receivedAt), claim);
    });
    return { ...written(answer, outcome), distrust: { organization: org.name } };
  },
});
