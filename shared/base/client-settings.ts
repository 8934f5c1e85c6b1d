import { USER_AGENT } from './user-agent.ts';

/**
 * Connections of one client: as many as one request has reads on the wire at the same time, so that its reads do not wait
 * for a connection. The SDK's time limits run while a call waits, and a call that waited too long fails
 * (rules/storage.md#connections).
 */
export const CONNECTIONS = 128;

const ignore = (): void => undefined;

/**
 * A logger without `info` and `error`. If a logger has them, the SDK makes a copy of the input and the output of each call for it, also for
 * the logger that does nothing and that the SDK takes by default.
 */
const LOGGER = {
  trace: ignore,
  debug: ignore,
  warn: ignore,
  // The type of the SDK demands all methods. The SDK looks for these two before it calls them.
} as Pick<Console, 'trace' | 'debug' | 'info' | 'warn' | 'error'>;

/**
 * Settings that the clients of all AWS services share.
 *
 * - Time limits of a call in milliseconds. The SDK sets none itself. A connection that stays silent would then hold a
 *   request until the platform ends its function, after the time in which the service can still answer 503. Three tries
 *   with these limits end before the gateway gives up at 30 seconds.
 * - The service's name, so that the account's log of AWS calls shows which of them the service made.
 */
export const CLIENT_SETTINGS = {
  requestHandler: {
    connectionTimeout: 2_000,
    requestTimeout: 6_000,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: CONNECTIONS },
    httpsAgent: { maxSockets: CONNECTIONS },
  },
  customUserAgent: USER_AGENT,
  logger: LOGGER,
} as const;
