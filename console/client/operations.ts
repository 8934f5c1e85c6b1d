import type { Typed } from '#shared/http/endpoint.ts';

/** An operation of the API: method and path, with the types of its definition. */
export interface Operation<P = object, Q = object, B = unknown, O = unknown> {
  method: string;
  /** Path below `/api/v2` with `{parameters}`. */
  path: string;
  /** Smallest role that may call it, or `user`, `authenticated` or `public`. */
  access: string;
  /** Exists only in types. */
  readonly typed?: { params: P; query: Q; body: B; answer: O };
}

type Facts<E> =
  E extends Typed<infer M, infer Path, infer A, infer P, infer Q, infer B, infer O>
    ? { method: M; path: Path; access: A; params: P; query: Q; body: B; answer: O }
    : never;

/** The answer of an endpoint, as its definition describes it: `AnswerOf<typeof getTrail>`. */
export type AnswerOf<E> = Facts<E>['answer'];

/**
 * Names an operation for the client. The compiler compares all three texts with the definition, which the bundle of the
 * browser does not contain: `operation<typeof getTrail>()('GET', '/trails/{org}/{flow}/{trail}', 'reader')`.
 */
export const operation =
  <E>() =>
  (
    method: Facts<E>['method'],
    path: Facts<E>['path'],
    access: Facts<E>['access'],
  ): Operation<Facts<E>['params'], Facts<E>['query'], Facts<E>['body'], Facts<E>['answer']> => ({
    method: String(method),
    path: String(path),
    access: String(access),
  });

/** Fills the parameters of a path and appends the query. Parameters without a value are left out. */
export function addressOf(path: string, params: object, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const filled = path.replace(/\{([^}+]+)(\+?)\}/g, (_, name: string, rest: string) => {
    const text = String(values.get(name) ?? '');
    return rest === '' ? encodeURIComponent(text) : text.split('/').map(encodeURIComponent).join('/');
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return `/api/v2${filled}${search.size === 0 ? '' : `?${search}`}`;
}
