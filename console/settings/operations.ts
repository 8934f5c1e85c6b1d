import type { getLog } from '#functions/log/get-log.ts';
import type { putExperimentalFeatures as putFeatures } from '#functions/organizations/put-experimental-features.ts';
import type { putSignInRules as putRules } from '#functions/organizations/put-sign-in-rules.ts';
import type { deleteTrust as remove } from '#functions/service-accounts/delete-trust.ts';
import type { listTrusts } from '#functions/service-accounts/list-trusts.ts';
import type { putTrust as put } from '#functions/service-accounts/put-trust.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on what administrators set for a whole organization. */
export const trusts = operation<typeof listTrusts>()('GET', '/trusts/{org}', 'admin');
export const putTrust = operation<typeof put>()('PUT', '/trusts/{org}/{name}', 'admin');
export const deleteTrust = operation<typeof remove>()('DELETE', '/trusts/{org}/{name}', 'admin');
export const putSignInRules = operation<typeof putRules>()('PUT', '/organizations/{org}/sign-in-rules', 'admin');
export const putExperimentalFeatures = operation<typeof putFeatures>()(
  'PUT',
  '/organizations/{org}/experimental_features',
  'admin',
);
export const log = operation<typeof getLog>()('GET', '/log/{org}', 'reader');

export type Trust = AnswerOf<typeof listTrusts>['trusts'][number];
