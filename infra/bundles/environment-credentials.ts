import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's chain of credential providers in the bundles. A function has its credentials in its environment. The
 * whole chain would add five clients for other kinds of sign-in.
 */
export const defaultProvider = () => fromEnv();
