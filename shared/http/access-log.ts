import type { LogEntry } from '#shared/base/log-lines.ts';
import type { CallCount } from '#shared/table/meter.ts';

/** Facts about a request, collected while it is handled. */
export interface RequestFacts {
  requestId: string;
  /** Wall clock in milliseconds. */
  startedAt: number;
  method: string;
  /** The route, such as `PUT /flows/{org}`, once one matched. Names of the path are not part of it. */
  route?: string;
  path: string;
  organization?: string;
  principal?: string;
  keyId?: string;
  sessionId?: string | undefined;
}

const base = (service: string, facts: RequestFacts, now: number) => ({
  timestamp: new Date(now).toISOString(),
  service,
  request_id: facts.requestId,
  route: facts.route ?? null,
});

/** Builds the line of one request. */
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
    session_id: facts.sessionId ?? null,
    status,
    duration_ms: now - facts.startedAt,
    aws_calls: count.calls,
    aws_sequential: count.sequential,
  };
}

/**
 * Builds the line of a fault with its chain of causes. Callers never see it, because messages of causes can contain
 * internals and data of others.
 */
export function faultEntry(
  service: string,
  facts: RequestFacts,
  message: string,
  error: unknown,
  now: number,
): LogEntry {
  return { level: 'ERROR', message, ...base(service, facts, now), causes: causes(error) };
}

/** A longer chain of causes is a loop. */
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
