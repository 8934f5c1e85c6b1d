import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Takes the place of the SDK's chain of providers in the bundles: a function has its credentials in its environment, and
 * the chain would ship five more clients, for people's sign-in and for other kinds of machines.
 */
export const defaultProvider = () => fromEnv();
