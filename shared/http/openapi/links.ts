import type { Endpoint } from '#shared/http/endpoint.ts';

/** What some operations make or show, and which operations work on it (rules/requests.md#links-of-the-description). */
export interface Linked {
  /** Ids of the operations whose success leads on. */
  from: readonly string[];
  /** Paths of the record. A link leads to each operation at or below one of them. */
  to: readonly string[];
  /** Runtime expression by path parameter of the linked operations. Equal parameters of the path are added. */
  parameters: Readonly<Record<string, string>>;
}

interface Link {
  operationId: string;
  parameters: Record<string, string>;
}

const NAMES = /\{([^}+]+)\+?\}/g;

const parameterNames = (path: string): string[] => [...path.matchAll(NAMES)].map(([, name = '']) => name);
const shape = (path: string): string => path.replace(NAMES, '{}');

const isAtOrBelow = (path: string, prefix: string): boolean =>
  shape(path) === shape(prefix) || shape(path).startsWith(`${shape(prefix)}/`);

/** Returns the links of an operation by the id of the linked operation; undefined if it has none. */
export function linksFrom(
  endpoint: Endpoint,
  all: readonly Endpoint[],
  linked: readonly Linked[],
): Record<string, Link> | undefined {
  const links: Record<string, Link> = {};
  for (const { from, to, parameters } of linked) {
    if (!from.includes(endpoint.operation)) continue;
    const own = parameterNames(endpoint.path).map((name) => [name, `$request.path.${name}`]);
    const known: Record<string, string> = { ...Object.fromEntries(own), ...parameters };
    for (const { operation, path } of all) {
      const names = parameterNames(path);
      if (!to.some((prefix) => isAtOrBelow(path, prefix)) || names.some((name) => known[name] === undefined)) continue;
      const given = names.map((name) => [`path.${name}`, known[name] ?? '']);
      links[operation] = { operationId: operation, parameters: Object.fromEntries(given) };
    }
  }
  return Object.keys(links).length === 0 ? undefined : links;
}
