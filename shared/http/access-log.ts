import type { CallCount } from '#shared/table/meter.ts';

/** One line of the log, as JSON. Secrets, bodies and query strings never come here. */
export interface LogEntry {
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
  /** ISO 8601. */
  timestamp: string;
  service: string;
  request_id: string;
  [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

export const logToConsole: Log = (entry) => console.log(JSON.stringify(entry));

/** What is learned about a request on its way through the chain. */
export interface RequestFacts {
  requestId: string;
  /** Wall clock in milliseconds. */
  startedAt: number;
  method: string;
  /** `PUT /flows/{org}`, once a route matched: the path's own names stay out of the log's groups. */
  route?: string;
  path: string;
  organization?: string;
  principal?: string;
  keyId?: string;
}

const base = (service: string, facts: RequestFacts, now: number) => ({
  timestamp: new Date(now).toISOString(),
  service,
  request_id: facts.requestId,
  route: facts.route ?? null,
});

/** The line that is written for each request. */
export function accessEntry(
  service: string,
  facts: RequestFacts,
  status: number,
  count: CallCount,
  now: number,
): LogEntry {
  return {
    level: status >= 500 ? 'ERROR' : 'INFO',
    message: 'request',
    ...base(service, facts, now),
    method: facts.method,
    path: facts.path,
    organization: facts.organization ?? null,
    principal: facts.principal ?? null,
    key_id: facts.keyId ?? null,
    status,
    duration_ms: now - facts.startedAt,
    aws_calls: count.calls,
    aws_sequential: count.sequential,
  };
}

/** A fault with its whole chain of causes. Callers never see it: messages of causes may hold internals and data of others. */
export function faultEntry(
  service: string,
  facts: RequestFacts,
  message: string,
  error: unknown,
  now: number,
): LogEntry {
  return { level: 'ERROR', message, ...base(service, facts, now), causes: causes(error) };
}

/** Chains longer than this are loops. */
const MOST_CAUSES = 10;

function causes(error: unknown): { name: string; message: string; stack?: string }[] {
  const chain = [];
  let at = error;
  while (at !== undefined && at !== null && chain.length < MOST_CAUSES) {
    if (!(at instanceof Error)) {
      chain.push({ name: typeof at, message: String(at) });
      break;
    }
    chain.push({ name: at.name, message: at.message, ...(at.stack !== undefined && { stack: at.stack }) });
    at = at.cause;
  }
  return chain;
}
