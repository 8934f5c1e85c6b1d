import * as fc from 'fast-check';
import { describeApi, groups } from '#functions/groups.ts';
import type { Services } from '#functions/services.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { ROLES } from '#shared/callers/roles.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { heldEndpoint } from '#test/support/declared-uses.ts';
import { organizationWith } from '#test/support/directory.ts';
import { encodeForm } from '#test/support/form.ts';
import { call, type TestAnswer } from '#test/support/gateway.ts';
import { AnswerChecker } from './answers.ts';
import { type Document, operationsOf } from './document.ts';
import { makeOneOfEverything } from './prelude.ts';
import { type CallerKind, OWN_ORGANIZATION, type PlannedRequest, requestOf } from './requests.ts';
import { KNOWN_ID } from './values.ts';

/** Reads all items of the organization with an id, each as text. */
export type ReadStored = (org: string) => Promise<string[]>;

export interface FuzzOptions {
  seed: number;
  requests: number;
}

export interface Problem {
  operation: string;
  problem: string;
  /** The request and its number in the run. */
  request: string;
}

export interface FuzzReport {
  /** The number of answers by status code. */
  statuses: Record<string, number>;
  /** Operations that succeeded at least once. */
  succeeded: string[];
  /** All operations. */
  operations: string[];
  /** The number of requests for which the stored items before and after were compared. */
  compared: number;
  problems: Problem[];
}

/** The number of requests per organization. Some requests remove the rights of later ones, hence new organizations. */
const REQUESTS_OF_ORGANIZATION = 125;
/** For one in this many requests, the stored items before and after are compared. */
const COMPARED_EVERY = 20;
/** The longest text of a request or difference in the report, in characters. */
const MOST_CHARACTERS = 600;
/** The most ids that are remembered per collection: placeholders have the numbers 10 to 99. */
const MOST_IDS = 90;

const ID = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;

/** The organization of a part of the run, with its callers and the ids that answers showed. */
interface RunOrganization {
  name: string;
  id: string;
  keys: Record<CallerKind, string | undefined>;
  /** Ids that answers showed, by their collection, such as `api-keys`. */
  ids: Map<string, string[]>;
}

/**
 * Sends generated requests to the handlers, one after another, and compares every answer with the OpenAPI document. The
 * same seed generates the same requests; ids and times differ.
 */
export async function fuzz(
  services: Services,
  readStored: ReadStored,
  { seed, requests }: FuzzOptions,
): Promise<FuzzReport> {
  const document = JSON.parse(describeApi()) as Document;
  const operations = operationsOf(document, BASE_PATH);
  const planned = fc.sample(requestOf(document, operations), { seed, numRuns: requests });
  const faults: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    if (entry.level === 'ERROR') faults.push(entry);
  };
  const endpoints = groups.flatMap((group) => group.endpoints.map(heldEndpoint));
  const handler = groupHandler({ name: 'fuzz', endpoints }, services, { log });
  const checker = new AnswerChecker(document);
  const report: FuzzReport = {
    statuses: {},
    succeeded: [],
    compared: 0,
    problems: [],
    operations: operations.map(({ operationId }) => operationId),
  };
  const readers = new Set(endpoints.filter(isReader).map(({ operation }) => operation));
  const succeeded = new Set<string>();
  let organization: RunOrganization | undefined;
  for (const [i, plan] of planned.entries()) {
    if (!organization || i % REQUESTS_OF_ORGANIZATION === 0) organization = await newOrganization(handler, services);
    const { operationId, method } = plan.operation;
    const before = i % COMPARED_EVERY === 0 ? await readStored(organization.id) : undefined;
    faults.length = 0;
    const sent = withoutPlaceholders(plan, organization);
    const answer = await send(handler, method, sent.path, sent.request);
    rememberIds(organization, plan.operation.path, answer);
    const { status } = answer;
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    if (status < 300) succeeded.add(operationId);
    const problems = [checker.problemOf(plan.operation, isReached(plan), answer)];
    if (before && (status >= 400 || readers.has(operationId))) {
      report.compared += 1;
      problems.push(difference(before, await readStored(organization.id), status));
    }
    for (const problem of problems) {
      if (problem === undefined) continue;
      const causes = faults.map((fault) => JSON.stringify(fault['causes'] ?? null)).join('\n');
      const request = `#${i} ${plan.caller} ${method} ${JSON.stringify(sent.path)}?${JSON.stringify(sent.request)}`;
      const text = status >= 500 ? `${problem}\n${causes.slice(0, 2 * MOST_CHARACTERS)}` : problem;
      report.problems.push({ operation: operationId, problem: text, request: request.slice(0, MOST_CHARACTERS) });
    }
  }
  return { ...report, succeeded: [...succeeded].toSorted() };
}

/** A statement is stored when it is first asked for, so a request with GET can write (rules/log.md#statements). */
const isReader = ({ method, uses }: Endpoint) => method === 'GET' && (uses?.writes ?? []).length === 0;

const isReached = ({ path }: PlannedRequest) =>
  Object.values(path).every((value) => value !== '' && !value.includes('/'));

async function newOrganization(handler: GroupHandler, services: Services): Promise<RunOrganization> {
  const { name, id, keys } = await organizationWith(services, ROLES);
  const stranger = await organizationWith(services, ['admin']);
  const organization: RunOrganization = {
    name,
    id,
    ids: new Map(),
    keys: { ...keys, stranger: stranger.keys.admin, unknown: 'a-key-of-nobody', nobody: undefined },
  };
  const asAdmin = (method: string, path: string, request: ApiRequest = {}) =>
    send(handler, method, BASE_PATH + path, { key: keys.admin, ...request });
  for (const { path, answer } of await makeOneOfEverything(asAdmin, name))
    rememberIds(organization, path.replaceAll(name, '{org}'), answer);
  return organization;
}

/** Returns the collection of a path: its last segment that is not a parameter. */
const collectionOf = (path: string) => path.split('/').findLast((segment) => !segment.startsWith('{')) ?? '';

/** Remembers the ids in a successful answer, for later requests. */
function rememberIds({ ids }: RunOrganization, path: string, { status, json }: TestAnswer): void {
  if (status >= 300) return;
  const known = ids.get(collectionOf(path)) ?? [];
  JSON.stringify(json ?? null, (_, value: unknown) => {
    if (typeof value === 'string' && ID.test(value) && !known.includes(value) && known.length < MOST_IDS)
      known.push(value);
    return value;
  });
  if (known.length > 0) ids.set(collectionOf(path), known);
}

/** Replaces the placeholders of a request by the organization's name, keys and ids. */
function withoutPlaceholders(
  plan: PlannedRequest,
  { name, keys, ids }: RunOrganization,
): { path: string; request: ApiRequest } {
  const { operation, caller, headers, query, body } = plan;
  const allIds = [...ids.values()].flat();
  const withIds = (text: string, candidates = allIds) =>
    text.replace(KNOWN_ID, (marker, number: string) => candidates[(Number(number) - 10) % candidates.length] ?? marker);
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
  return `answered ${status}, but stored ${JSON.stringify({ added, gone }).slice(0, MOST_CHARACTERS)}`;
}

/** Formats a report: counts, then each kind of problem once per operation, with one request that causes it. */
export function reportText({ statuses, succeeded, operations, compared, problems }: FuzzReport): string {
  const never = operations.filter((operation) => !succeeded.includes(operation));
  const kinds = new Map<string, Problem & { times: number }>();
  for (const problem of problems) {
    const kind = `${problem.operation} ${problem.problem.slice(0, 60)}`;
    const known = kinds.get(kind);
    kinds.set(kind, { ...(known ?? problem), times: (known?.times ?? 0) + 1 });
  }
  return [
    `answers by status: ${JSON.stringify(statuses)}; stored items compared: ${compared} times`,
    `operations that succeeded: ${succeeded.length} of ${operations.length}; never: ${never.join(', ') || 'none'}`,
    ...[...kinds.values()].map((kind) => `${kind.times}× ${kind.operation}: ${kind.problem}\n   ${kind.request}`),
    `problems: ${problems.length}`,
  ].join('\n');
}
