import { BASE_PATH } from '#shared/base/addresses.ts';
import type { EndpointGroup, Method } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { ANY, type RoutePattern } from '#shared/http/routes.ts';
import { onlyReads } from '#shared/table/uses.ts';

/** A route of the gateway, and the group whose function it calls. */
export interface GatewayRoute extends RoutePattern {
  readonly method: Method | typeof ANY;
  readonly group: EndpointGroup;
}

/** `GET /api/v2/user`, or `ANY /api/v2/flows/{proxy+}`. */
export const routeKey = ({ method, path }: RoutePattern): string => `${method} ${path}`;

/** An endpoint with its group. `prefix` is the base path with the next segment: `/api/v2/flows`. */
interface Placed {
  readonly group: EndpointGroup;
  readonly method: Method;
  readonly path: string;
  readonly operation: string;
  readonly prefix: string;
}

/**
 * Returns the routes of the gateway (rules/requests.md#routes-of-the-gateway). Each prefix below the base path has one
 * route for everything below it, to the group that owns the prefix: the only group with endpoints there, the group with
 * the prefix's name, or the group that says that it owns it. Endpoints of other groups below the prefix keep their own routes, which the gateway prefers. So do
 * endpoints at a prefix itself, outside of the base path, and at a prefix without parameters.
 *
 * @throws Error if two endpoints have the same method and the same shape of path, or if no group owns a prefix
 */
export function gatewayRoutes(groups: readonly EndpointGroup[]): GatewayRoute[] {
  const endpoints = groups.flatMap((group) => group.endpoints.map((endpoint) => placed(group, endpoint)));
  refuseSameShapes(endpoints);
  const owners = new Map<string, EndpointGroup>();
  for (const [prefix, below] of Map.groupBy(endpoints.filter(isBelowPrefix), (endpoint) => endpoint.prefix)) {
    if (below.some(({ path }) => path.includes('{'))) owners.set(prefix, ownerOf(prefix, below));
  }
  const prefixes = [...owners].map(
    ([prefix, group]): GatewayRoute => ({ method: ANY, path: `${prefix}/{proxy+}`, group }),
  );
  const own = endpoints.filter(
    (endpoint) => !isBelowPrefix(endpoint) || owners.get(endpoint.prefix) !== endpoint.group,
  );
  return [...prefixes, ...own.map(({ method, path, group }) => ({ method, path, group }))];
}

function placed(group: EndpointGroup, { method, path, operation }: EndpointGroup['endpoints'][number]): Placed {
  const full = fullPath(path);
  const [, first = ''] = full.split(`${BASE_PATH}/`);
  return { group, method, path: full, operation, prefix: `${BASE_PATH}/${first.split('/')[0]}` };
}

const isBelowPrefix = ({ path, prefix }: Placed): boolean => path.startsWith(`${prefix}/`);

function ownerOf(prefix: string, below: readonly Placed[]): EndpointGroup {
  const groups = [...new Set(below.map(({ group }) => group))];
  const [only, ...others] = groups;
  const owner =
    others.length === 0
      ? only
      : groups.find(({ name, owns = [] }) => [name, ...owns].some((one) => prefix === `${BASE_PATH}/${one}`));
  if (owner) return owner;
  const names = groups.map(({ name }) => name).join(', ');
  throw new Error(
    `${names} have endpoints below ${prefix}: one of the groups must have the name of the prefix, or own it`,
  );
}

function refuseSameShapes(endpoints: readonly Placed[]): void {
  const operations = new Map<string, string>();
  for (const { method, path, operation } of endpoints) {
    const shape = `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`;
    const other = operations.get(shape);
    if (other !== undefined) throw new Error(`${operation} and ${other} have the same route: ${method} ${path}`);
    operations.set(shape, operation);
  }
}

/**
 * Whether a group is a door for strangers that leads to the table, the bucket or other hosts. The gateway throttles such
 * groups apart from all others (rules/requests.md#rate-limits). Pages and files are open too, but cost next to nothing, and so
 * does the state of the table, which a function reads once in ten seconds.
 */
export const isPublicDoor = ({ endpoints }: EndpointGroup): boolean =>
  endpoints.every(({ access }) => access === 'public') && endpoints.some(({ uses }) => uses && !onlyReads(uses));
