/** Which route a request takes, as API Gateway selects it. The router of each function selects in the same way. */

/** A route: `GET` or `ANY`, and a path whose segments can be parameters: `/flows/{org}/{flow}`, `/repos/{org}/{name+}`. */
export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

export interface Selected<R> {
  route: R;
  /** Values of the path's parameters. */
  parameters: Record<string, string>;
}

/**
 * Returns a function that selects the route of a request (rules/requests.md#routing). Routes without a parameter for the
 * rest of the path (`{name+}`) come first. Among routes of one kind, the route wins that has the fixed segment at the first
 * place where they differ, then the route that names the method.
 *
 * @returns undefined for a request that no route matches
 */
export function routeSelector<R extends RoutePattern>(
  routes: readonly R[],
): (method: string, path: string) => Selected<R> | undefined {
  const ordered = routes.map((route) => ({ route, segments: route.path.split('/') })).toSorted(bySpecificity);
  return (method, path) => {
    const given = path.split('/');
    const found = ordered.find(
      ({ route, segments }) => (route.method === method || route.method === ANY) && matches(segments, given),
    );
    return found && { route: found.route, parameters: parametersOf(found.segments, given) };
  };
}

/** The method of a route that takes every method. */
export const ANY = 'ANY';

interface Split {
  route: RoutePattern;
  segments: readonly string[];
}

const isParameter = (segment: string) => segment.startsWith('{');

/** Whether the segment is a parameter for the rest of the path, such as `{name+}`: one segment or more. */
const isRest = (segment: string | undefined) => segment?.endsWith('+}') ?? false;

/** A parameter takes one segment that is not empty. */
const matches = (pattern: readonly string[], given: readonly string[]) =>
  (isRest(pattern.at(-1)) ? pattern.length <= given.length : pattern.length === given.length) &&
  pattern.every((segment, i) => (isParameter(segment) ? given[i] !== '' : segment === given[i]));

const parametersOf = (pattern: readonly string[], given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((segment, i) => {
      if (isRest(segment)) return [[segment.slice(1, -2), given.slice(i).join('/')]];
      return isParameter(segment) ? [[segment.slice(1, -1), given[i] ?? '']] : [];
    }),
  );

/** Order of segments: 0 for a fixed one, 1 for a parameter, 2 for the rest of the path. */
const generality = (segment = '') => Number(isParameter(segment)) + Number(isRest(segment));

function bySpecificity(one: Split, other: Split): number {
  const kinds = Number(isRest(one.segments.at(-1))) - Number(isRest(other.segments.at(-1)));
  if (kinds !== 0) return kinds;
  for (const [i, segment] of one.segments.entries()) {
    const difference = generality(segment) - generality(other.segments[i]);
    if (difference !== 0) return difference;
  }
  return Number(one.route.method === ANY) - Number(other.route.method === ANY);
}
