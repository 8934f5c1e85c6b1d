import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';

/** A route of the gateway, such as `GET /api/v2/flows/{org}`, and the group whose function the route calls. */
export interface Route {
  key: string;
  method: string;
  segments: readonly string[];
  group: EndpointGroup;
}

export interface Match {
  route: Route;
  /** Values of the path's parameters, decoded. */
  parameters: Record<string, string>;
}

/** Returns the routes of the deployed gateway: one per endpoint definition. */
export const routesOf = (groups: readonly EndpointGroup[]): Route[] =>
  groups.flatMap((group) =>
    group.endpoints.map(({ method, path }) => ({
      key: `${method} ${fullPath(path)}`,
      method,
      segments: fullPath(path).split('/'),
      group,
    })),
  );

/**
 * Finds the route of a request. If several routes match, the route wins that has the fixed segment at the first place where
 * they differ (rules/requests.md#routing).
 */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const given = path.split('/');
  const [best] = routes.filter((route) => route.method === method && matches(route.segments, given)).sort(staticFirst);
  if (!best) return undefined;
  const parameters = Object.fromEntries(
    best.segments.flatMap((segment, i) => {
      if (isRest(segment)) return [[segment.slice(1, -2), given.slice(i).join('/')]];
      return isParameter(segment) ? [[segment.slice(1, -1), given[i] ?? '']] : [];
    }),
  );
  return { route: best, parameters };
}

const isParameter = (segment: string) => segment.startsWith('{');

/** Whether the segment is a parameter for the rest of the path, such as `{name+}`: one segment or more. */
const isRest = (segment: string | undefined) => segment?.endsWith('+}') ?? false;

const matches = (pattern: readonly string[], given: readonly string[]) =>
  (isRest(pattern.at(-1)) ? pattern.length <= given.length : pattern.length === given.length) &&
  pattern.every((segment, i) => (isParameter(segment) ? given[i] !== '' : segment === given[i]));

/** Order of segments: 0 for a fixed one, 1 for a parameter, 2 for the rest of the path. */
const generality = (segment = '') => Number(isParameter(segment)) + Number(isRest(segment));

function staticFirst(a: Route, b: Route): number {
  for (const [i, segment] of a.segments.entries()) {
    const difference = generality(segment) - generality(b.segments[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}
