import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Stage } from '../stages/settings.ts';
import type { ServiceFunction } from './service-function.ts';

/** The group whose function signs people in. */
const SIGN_IN_GROUP = 'sign-in';
/** The groups whose functions know the provider: the door for agents takes its access tokens (rules/agents.md#access-tokens). */
const PROVIDER_GROUPS = [SIGN_IN_GROUP, 'mcp'];

/**
 * Gives the functions that people sign in with the settings of the identity provider, and the one that exchanges codes the right to
 * read the client's secret (rules/sign-in.md#provider). The parameter is not part of the stacks: it is made beforehand, so that no template holds the
 * secret. The platform's own key for parameters needs no right.
 */
export function grantSignIn(user: ServiceFunction, group: string, stage: Stage): void {
  const { signInIssuer, signInClientId, signInSecretName, signInScopes, signInGroupsClaim, signInRules } = stage;
  if (!PROVIDER_GROUPS.includes(group) || signInIssuer === undefined || signInClientId === undefined) return;
  const settings = {
    SIGN_IN_ISSUER: signInIssuer,
    SIGN_IN_CLIENT_ID: signInClientId,
    SIGN_IN_SCOPES: signInScopes,
    SIGN_IN_GROUPS_CLAIM: signInGroupsClaim,
    SIGN_IN_RULES: signInRules.join(','),
  };
  for (const [name, value] of Object.entries(settings)) user.addEnvironment(name, value);
  if (group !== SIGN_IN_GROUP || signInSecretName === undefined) return;
  user.addEnvironment('SIGN_IN_SECRET_NAME', signInSecretName);
  user.addToRolePolicy(
    new PolicyStatement({
      sid: 'ReadSignInSecret',
      actions: ['ssm:GetParameter'],
      resources: [
        Stack.of(user).formatArn({
          service: 'ssm',
          resource: 'parameter',
          resourceName: signInSecretName.replace(/^\//, ''),
        }),
      ],
    }),
  );
}
