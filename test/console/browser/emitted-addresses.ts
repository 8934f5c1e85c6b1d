import { operations, type Place } from './hostile-organization.ts';

/** Values of parameters of paths, by their names, or by an operation and a name: `getRepo.name`. */
export type Names = Readonly<Record<string, string>>;

/** Operations whose answers are no records of an organization, or are no JSON. With the reason. */
const OMITTED: Readonly<Record<string, string>> = {
  getReady: 'About the service',
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
  getTrust: 'The entries of listTrusts',
  getExport: 'The organization has no export',
  getAuditReceipt: 'Proofs name entries by numbers',
  getTrailReceipt: 'Proofs name entries by numbers',
  getEnvironmentReceipt: 'Proofs name entries by numbers',
  getTrailStatement: 'Signed bytes',
  getArtifactStatement: 'Signed bytes',
  getSnapshotStatement: 'Signed bytes',
  getEvaluationStatement: 'Signed bytes',
  getAttachment: 'Leads to the file',
};

/** Required parameters of queries. */
const QUERIES: Readonly<Record<string, (names: Names) => string>> = {
  diffSnapshots: ({ env_name }) => `snappish1=${env_name}&snappish2=K8S`,
  searchNames: ({ flow }) => `q=${flow}`,
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
