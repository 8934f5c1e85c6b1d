/**
 * How long a call to an AWS service may take, in milliseconds, before it counts as failed and is tried again. The SDK
 * has no limit of its own: one connection that says nothing would hold a request until its function is ended, past the
 * clean 503 (semantics §1.3). Three tries end before the gateway gives up at 30 seconds.
 */
export const CLIENT_LIMITS = {
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 6_000, throwOnRequestTimeout: true },
} as const;
