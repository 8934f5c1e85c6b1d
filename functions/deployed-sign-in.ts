import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import type { Environment } from '#shared/base/env.ts';
import type { SignInProvider } from '#shared/organizations/sign-in/provider.ts';
import { meter } from '#shared/table/meter.ts';

/** The secret is read again after this time, so that a new secret needs no deployment. */
const REMEMBERED_MILLIS = 300_000;

/** Returns the identity provider of a deployed function; undefined if its stage has none. */
export function deployedSignIn(settings: Environment): SignInProvider | undefined {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, SIGN_IN_SECRET_NAME: secretName } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    secret: secretName === undefined ? async () => undefined : storedSecret(secretName),
    scopes: settings.SIGN_IN_SCOPES,
    groupsClaim: settings.SIGN_IN_GROUPS_CLAIM,
    rules: settings.SIGN_IN_RULES,
  };
}

/** Returns a function that reads an encrypted parameter of the platform's store of parameters. */
function storedSecret(name: string): () => Promise<string> {
  const client = meter(new SSMClient(CLIENT_SETTINGS), 'SSM');
  let known: { secret: string; readAt: number } | undefined;
  return async () => {
    if (known && Date.now() - known.readAt < REMEMBERED_MILLIS) return known.secret;
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    if (!Parameter?.Value) throw new Error(`The parameter ${name} has no value`);
    known = { secret: Parameter.Value, readAt: Date.now() };
    return known.secret;
  };
}
