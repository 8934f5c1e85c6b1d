import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';

/** A route of the gateway: `GET /api/v2/flows/{org}`, and the group whose function it calls. */
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

/** One route per endpoint definition, as the deployed gateway has them. */
export const routesOf = (groups: readonly EndpointGroup[]): Route[] =>
  groups.flatMap((group) =>
    group.endpoints.map(({ method, path }) => ({
      key: `${method} ${fullPath(path)}`,
      method,
      segments: fullPath(path).split('/'),
      group,
    })),
  );

/** The route of a request; of several that fit, the one that is static at the first place where they differ. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const given = path.split('/');
  const [best] = routes.filter((route) => route.method === method && fits(route.segments, given)).sort(staticFirst);
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

/** `{name+}`: the rest of the path, of one segment at least. */
const isRest = (segment: string | undefined) => segment?.endsWith('+}') ?? false;

const fits = (pattern: readonly string[], given: readonly string[]) =>
  (isRest(pattern.at(-1)) ? pattern.length <= given.length : pattern.length === given.length) &&
  pattern.every((segment, i) => (isParameter(segment) ? given[i] !== '' : segment === given[i]));

/** A fixed segment before a parameter, a parameter before the rest of the path. */
const generality = (segment = '') => Number(isParameter(segment)) + Number(isRest(segment));

function staticFirst(a: Route, b: Route): number {
  for (const [i, segment] of a.segments.entries()) {
    const difference = generality(segment) - generality(b.segments[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}
