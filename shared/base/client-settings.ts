import { SigningHash } from './signing-hash.ts';

/**
 * What the clients of every AWS service have in common.
 *
 * Limits: how long a call may take, in milliseconds, before it counts as failed and is tried again. The SDK has no limit
 * of its own: one connection that says nothing would hold a request until its function is ended, past the clean 503
 * (semantics §1.3). Three tries end before the gateway gives up at 30 seconds.
 *
 * Signing: with a hash of our own, since the SDK's takes a tenth of the processor's time of a whole call.
 */
export const CLIENT_SETTINGS = {
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 6_000, throwOnRequestTimeout: true },
  sha256: SigningHash,
} as const;
