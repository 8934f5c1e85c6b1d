import { groups } from '#functions/groups.ts';
import { openApiDocument } from '#shared/http/openapi.ts';
import { operations, type Place } from './hostile-organization.ts';

/** Values of parameters of paths, by their names, or by an operation and a name: `getRepo.name`. */
export type Names = Readonly<Record<string, string>>;

/** Operations whose answers are no records of an organization, or are no JSON. With the reason. */
const OMITTED: Readonly<Record<string, string>> = {
  getReady: 'About the service',
  getVersion: 'About the service',
  getAgentResourceMetadata: 'About the service',
  getOpenApi: 'About the service',
  getReference: 'A page',
  getReferenceLibrary: 'A file of a page',
  getReferenceStyle: 'A file of a page',
  getReferenceStart: 'A file of a page',
  getConsoleAsset: 'A file of a page',
  getTile: 'Bytes of the log',
  getCheckpoint: 'A text of the log',
  getWitness: 'About the service',
  getCosignedCheckpoint: 'A text of the log',
  getPersonalKey: 'Keys of users have no addresses of pages',
  getServiceAccountKey: 'The entries of listServiceAccountKeys',
  getGap: 'The organization has no gap',
  getTrust: 'The entries of listTrusts',
  getDraft: 'The entries of listDrafts',
  getExport: 'The organization has no export',
  getPackage: 'The organization has no package',
  getAuditReceipt: 'Proofs name entries by numbers',
  getTrailReceipt: 'Proofs name entries by numbers',
  getEvaluationReceipt: 'Proofs name entries by numbers',
  getEnvironmentReceipt: 'Proofs name entries by numbers',
  getTrailStatement: 'Signed bytes',
  getArtifactStatement: 'Signed bytes',
  getSnapshotStatement: 'Signed bytes',
  getEvaluationStatement: 'Signed bytes',
  getGapStatement: 'Signed bytes',
  getCaseStatement: 'Signed bytes',
  getAttachment: 'Leads to the file',
  listSbomComponents: 'Components have no addresses of pages',
  startSignIn: 'Leads to the identity provider',
  finishSignIn: 'Leads to a page of the console',
};

/** Writes that answer the record that a read answers, too. */
const READ_ELSEWHERE: Readonly<Record<string, string>> = {
  createControl: 'getControl',
  updateControl: 'getControl',
  archiveControl: 'getControl',
  unarchiveControl: 'getControl',
  requestEvaluation: 'getEvaluation',
  getGap: 'listGaps',
  excuseGap: 'listGaps',
  tryRecall: 'getRecallImpact',
  putExpectation: 'getExpectation',
  archiveExpectation: 'getExpectation',
  getDraft: 'listDrafts',
  confirmDraft: 'getPolicy',
};

/** Operations whose answers have an address of a page by their definition, although {@link addressesInAnswers} does not read them. */
export function unreadOperations(): string[] {
  const document = JSON.parse(JSON.stringify(openApiDocument(groups))) as OpenApi;
  const all = Object.values(document.paths).flatMap((methods) => Object.entries(methods));
  return all
    .filter(([, { responses = {} }]) =>
      Object.entries(responses).some(([status, answer]) => status.startsWith('2') && hasAddress(answer, document)),
    )
    .filter(([method, { operationId }]) => method !== 'get' || operationId in OMITTED)
    .map(([, { operationId }]) => operationId)
    .filter((operation) => !(operation in READ_ELSEWHERE));
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; responses?: Record<string, unknown> }>>;
  components: { schemas: Record<string, unknown> };
}

/** Whether a schema, or one that it refers to, has a field for the address of a page. */
function hasAddress(schema: unknown, document: OpenApi, seen = new Set<string>()): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { $ref, properties = {} } = schema as { $ref?: string; properties?: object };
  if ($ref !== undefined) {
    if (seen.has($ref)) return false;
    seen.add($ref);
    return hasAddress(document.components.schemas[$ref.split('/').at(-1) ?? ''], document, seen);
  }
  if (Object.keys(properties).some((name) => name.endsWith('html_url'))) return true;
  return Object.values(schema).some((one) => hasAddress(one, document, seen));
}

/** A question about a package in all versions. */
const ALL_VERSIONS = 'purl=pkg:npm/lodash&versions=vers:npm/*';

/** Required parameters of queries. */
const QUERIES: Readonly<Record<string, (names: Names) => string>> = {
  diffSnapshots: ({ env_name }) => `snappish1=${env_name}&snappish2=K8S`,
  searchNames: ({ flow }) => `q=${flow}`,
  listComponents: () => ALL_VERSIONS,
  getExposure: () => ALL_VERSIONS,
  getComponentDifferences: ({ fingerprint }) => `from=${fingerprint}&to=${fingerprint}`,
  explainEvent: ({ flow, trail }) => `flow=${flow}&trail=${trail}&moment=1`,
};

/**
 * Reads every operation of the API once and returns the addresses of pages that the answers contain.
 *
 * @throws Error if an operation has a parameter without a value, or refuses the request
 */
export async function addressesInAnswers(at: Place, names: Names): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { operation, method, path } of operations.values()) {
    if (method !== 'GET' || operation in OMITTED) continue;
    const query = QUERIES[operation]?.(names) ?? '';
    const filled = path.replace(/\{(\w+)\+?\}/g, (_, name: string) =>
      encodeURIComponent(parameterOf(names, name, operation)),
    );
    const response = await fetch(`${at.url}/api/v2${filled}?${query}`, {
      headers: { authorization: `Bearer ${at.key}` },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation} ${filled}?${query} was answered with ${response.status}: ${text}`);
    if (text.startsWith('{') || text.startsWith('['))
      for (const address of addressesIn(JSON.parse(text), at.url)) found.add(address);
  }
  return found;
}

function parameterOf(names: Names, name: string, operation: string): string {
  const value = names[`${operation}.${name}`] ?? names[name];
  if (value === undefined) throw new Error(`The parameter ${name} of ${operation} has no value`);
  return value;
}

/** The addresses of pages in a value: texts that begin with the address of the service and lead to no operation. */
export function addressesIn(value: unknown, url: string): string[] {
  if (typeof value === 'string') return isPage(value, url) ? [value] : [];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((one: unknown) => addressesIn(one, url))
    : [];
}

/** The addresses of pages in a mail or another text. */
export const addressesInText = (text: string, url: string): string[] =>
  (text.match(/https?:\/\/[^\s"<>]+/g) ?? []).filter((address) => isPage(address, url));

const isPage = (text: string, url: string): boolean => text.startsWith(`${url}/`) && !text.startsWith(`${url}/api/`);
