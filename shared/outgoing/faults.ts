import { AddressRefused } from './address-guard.ts';

/** Why requests to other hosts fail: the sentences that attempts keep, and the classes that these stand for. */

export const ERROR_CLASSES = [
  'name',
  'address',
  'refused',
  'unreachable',
  'tls',
  'timeout',
  'closed',
  'status',
  'mail',
  'given_up',
  'other',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

const NO_NAME = 'The name of the target could not be resolved';
const REFUSED = 'The target refused the connection';
const UNREACHABLE = 'The target could not be reached';
const CLOSED = 'The target closed the connection before it answered';
/** The detail of an attempt without a request (rules/notifications.md#holding). */
export const GIVEN_UP = 'Given up without a request: the target took nothing for a day';

const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  ECONNREFUSED: REFUSED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
};

/** Returns codes only. Messages of the system name addresses that the owner of the target must not learn. */
export function faultText(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return CLOSED;
  return FAULTS[code] ?? `The request to the target failed (${code})`;
}

export const timeoutText = (millis: number): string => `No answer within ${millis / 1000} seconds`;

const CLASSES: readonly (readonly [RegExp, ErrorClass])[] = [
  [new RegExp(`^${NO_NAME}$`), 'name'],
  [new RegExp(`^${REFUSED}$`), 'refused'],
  [new RegExp(`^${UNREACHABLE}$`), 'unreachable'],
  [new RegExp(`^${CLOSED}$`), 'closed'],
  [/^No answer within /, 'timeout'],
  [/^The mail was not handed over/, 'mail'],
  [new RegExp(`^${GIVEN_UP}$`), 'given_up'],
  // Codes of Node and OpenSSL for certificates that are not valid and for handshakes that fail.
  [/\((?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls'],
];

/** The parts of an attempt that tell why it failed. */
export interface AttemptResult {
  status: number | null;
  outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  detail: string;
}

/**
 * Returns the class of an attempt's error; null if the target accepted the message
 * (rules/notifications.md#error-classes). The class is read out of the stored sentence, so attempts of any age have one.
 */
export function errorClass({ status, outcome, detail }: AttemptResult): ErrorClass | null {
  if (outcome === 'delivered') return null;
  if (outcome === 'refused') return 'address';
  if (status !== null) return 'status';
  return CLASSES.find(([sentence]) => sentence.test(detail))?.[1] ?? 'other';
}

const QUOTED = /^The target answered \d{3}(?: and is disabled)?: (?<answer>.*)$/s;

/** Returns the beginning of the target's answer that an attempt keeps; null if it keeps none. */
export const keptAnswer = ({ detail }: Pick<AttemptResult, 'detail'>): string | null =>
  QUOTED.exec(detail)?.groups?.['answer'] ?? null;
