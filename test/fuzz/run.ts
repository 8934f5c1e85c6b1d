import * as fc from 'fast-check';
import { describeApi, groups } from '#functions/groups.ts';
import { ROLES } from '#shared/base/roles.ts';
import type { LogEntry } from '#shared/http/access-log.ts';
import { BASE_PATH } from '#shared/http/gateway-event.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import type { Services } from '#shared/http/services.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { heldEndpoint } from '#test/support/declared-uses.ts';
import { organizationWith } from '#test/support/directory.ts';
import { encodeForm } from '#test/support/form.ts';
import { call, type TestAnswer } from '#test/support/gateway.ts';
import { Promises } from './answers.ts';
import { type Document, operationsOf } from './document.ts';
import { makeOneOfEverything } from './prelude.ts';
import { type CallerKind, OWN_ORGANIZATION, type PlannedRequest, requestOf } from './requests.ts';
import { KNOWN_ID } from './values.ts';

/** All items of an organization, by its id, as text. */
export type Stored = (org: string) => Promise<string[]>;

export interface FuzzOptions {
  seed: number;
  requests: number;
}

export interface Problem {
  operation: string;
  problem: string;
  /** What was sent, and where in the run. */
  request: string;
}

export interface FuzzReport {
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Operations that succeeded at least once, and all there are. */
  succeeded: string[];
  operations: string[];
  /** Requests of which it was compared what was stored before and after. */
  compared: number;
  problems: Problem[];
}

/** Requests after which the next ones meet a new organization: some of them lock their own doors. */
const REQUESTS_OF_ORGANIZATION = 125;
/** Of so many requests one is watched in what it stores. */
const WATCHED = 20;
const SHOWN = 600;
/** More than there are markers for would not be met. */
const MOST_IDS = 90;

const ID = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;

/** An organization with its callers and what is known of it. */
interface Home {
  name: string;
  id: string;
  keys: Record<CallerKind, string | undefined>;
  /** Ids that answers showed, by the collection that they are in: `api-keys`. */
  ids: Map<string, string[]>;
}

/**
 * Sends requests made from the API's own description to the real chain, one after another, and holds every answer to
 * the description. The same seed makes the same requests; ids and times differ.
 */
export async function fuzz(services: Services, stored: Stored, { seed, requests }: FuzzOptions): Promise<FuzzReport> {
  const document = JSON.parse(describeApi()) as Document;
  const operations = operationsOf(document, BASE_PATH);
  const planned = fc.sample(requestOf(document, operations), { seed, numRuns: requests });
  const faults: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    if (entry.level === 'ERROR') faults.push(entry);
  };
  const endpoints = groups.flatMap((group) => group.endpoints.map(heldEndpoint));
  const handler = groupHandler({ name: 'fuzz', endpoints }, services, { log });
  const promises = new Promises(document);
  const report: FuzzReport = {
    statuses: {},
    succeeded: [],
    compared: 0,
    problems: [],
    operations: operations.map(({ operationId }) => operationId),
  };
  const succeeded = new Set<string>();
  let home: Home | undefined;
  for (const [i, plan] of planned.entries()) {
    if (!home || i % REQUESTS_OF_ORGANIZATION === 0) home = await newHome(handler, services);
    const { operationId, method } = plan.operation;
    const before = i % WATCHED === 0 ? await stored(home.id) : undefined;
    faults.length = 0;
    const sent = filledIn(plan, home);
    const answer = await send(handler, method, sent.path, sent.request);
    learn(home, plan.operation.path, answer);
    const { status } = answer;
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    if (status < 300) succeeded.add(operationId);
    const problems = [promises.problemOf(plan.operation, isReached(plan), answer)];
    if (before && (status >= 400 || method === 'GET')) {
      report.compared += 1;
      problems.push(difference(before, await stored(home.id), status));
    }
    for (const problem of problems) {
      if (problem === undefined) continue;
      const causes = faults.map((fault) => JSON.stringify(fault['causes'] ?? null)).join('\n');
      const request = `#${i} ${plan.caller} ${method} ${JSON.stringify(sent.path)}?${JSON.stringify(sent.request)}`;
      const shown = status >= 500 ? `${problem}\n${causes.slice(0, 2 * SHOWN)}` : problem;
      report.problems.push({ operation: operationId, problem: shown, request: request.slice(0, SHOWN) });
    }
  }
  return { ...report, succeeded: [...succeeded].toSorted() };
}

const isReached = ({ path }: PlannedRequest) =>
  Object.values(path).every((value) => value !== '' && !value.includes('/'));

async function newHome(handler: GroupHandler, services: Services): Promise<Home> {
  const { name, keys } = await organizationWith(services, ROLES);
  const stranger = await organizationWith(services, ['admin']);
  const record = await services.table.get({ pk: `@ORG#${name}`, sk: 'ORG' });
  const home: Home = {
    name,
    id: String(record?.['id']),
    ids: new Map(),
    keys: { ...keys, stranger: stranger.keys.admin, unknown: 'a-key-of-nobody', nobody: undefined },
  };
  const asAdmin = (method: string, path: string, request: ApiRequest = {}) =>
    send(handler, method, BASE_PATH + path, { key: keys.admin, ...request });
  for (const { path, answer } of await makeOneOfEverything(asAdmin, name))
    learn(home, path.replaceAll(name, '{org}'), answer);
  return home;
}

/** What a path is about: its last segment that is no parameter. */
const collectionOf = (path: string) => path.split('/').findLast((segment) => !segment.startsWith('{')) ?? '';

/** Notes the ids that an answer shows, for requests that come later. */
function learn({ ids }: Home, path: string, { status, json }: TestAnswer): void {
  if (status >= 300) return;
  const known = ids.get(collectionOf(path)) ?? [];
  JSON.stringify(json ?? null, (_, value: unknown) => {
    if (typeof value === 'string' && ID.test(value) && !known.includes(value) && known.length < MOST_IDS)
      known.push(value);
    return value;
  });
  if (known.length > 0) ids.set(collectionOf(path), known);
}

/** The request with this organization's name, keys and ids in it. */
function filledIn(plan: PlannedRequest, { name, keys, ids }: Home): { path: string; request: ApiRequest } {
  const { operation, caller, headers, query, body } = plan;
  const every = [...ids.values()].flat();
  const withIds = (text: string, some = every) =>
    text.replace(KNOWN_ID, (marker, number: string) => some[(Number(number) - 10) % some.length] ?? marker);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string, at: number) => {
    const value = plan.path[parameter] ?? '';
    return value === OWN_ORGANIZATION ? name : withIds(value, ids.get(collectionOf(operation.path.slice(0, at - 1))));
  });
  const key = keys[caller];
  const { text, form, bytes } = body;
  return {
    path,
    request: {
      ...(key !== undefined && { key }),
      headers,
      query: withIds(query),
      ...(text !== undefined && { text: withIds(text) }),
      ...(form !== undefined && { form }),
      ...(bytes !== undefined && { bytes }),
    },
  };
}

async function send(
  handler: GroupHandler,
  method: string,
  path: string,
  { key, json, text, form, bytes, query = '', headers = {} }: ApiRequest,
): Promise<TestAnswer> {
  const encoded = form && (await encodeForm(form));
  return call(handler, {
    method,
    path,
    query,
    headers: { 'content-type': encoded?.contentType ?? 'application/json', ...headers },
    body: bytes ?? encoded?.bytes ?? text ?? (json === undefined ? undefined : JSON.stringify(json)),
    ...(key !== undefined && { key }),
  });
}

function difference(before: readonly string[], after: readonly string[], status: number): string | undefined {
  const added = after.filter((item) => !before.includes(item));
  const gone = before.filter((item) => !after.includes(item));
  if (added.length + gone.length === 0) return undefined;
  return `answered ${status}, but stored ${JSON.stringify({ added, gone }).slice(0, SHOWN)}`;
}

/** A report as text: counts, then every problem once per operation and kind, with one request that shows it. */
export function reportText({ statuses, succeeded, operations, compared, problems }: FuzzReport): string {
  const never = operations.filter((operation) => !succeeded.includes(operation));
  const kinds = new Map<string, Problem & { times: number }>();
  for (const problem of problems) {
    const kind = `${problem.operation} ${problem.problem.slice(0, 60)}`;
    const known = kinds.get(kind);
    kinds.set(kind, { ...(known ?? problem), times: (known?.times ?? 0) + 1 });
  }
  return [
    `answers by status: ${JSON.stringify(statuses)}; compared with what is stored: ${compared}`,
    `operations that succeeded: ${succeeded.length} of ${operations.length}; never: ${never.join(', ') || 'none'}`,
    ...[...kinds.values()].map((one) => `${one.times}× ${one.operation}: ${one.problem}\n   ${one.request}`),
    `problems: ${problems.length}`,
  ].join('\n');
}
