import * as z from 'zod';
import type { Sentence } from '#shared/base/errors.ts';
import { NAMES_IN_PATHS } from '#shared/base/names.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { CallingUser } from '#shared/callers/caller.ts';
import { type Feature, ROLES, type Role } from '#shared/callers/roles.ts';
import type { CallerServices } from '#shared/http/services.ts';
import type { Uses } from '#shared/table/uses.ts';
import type { Answer, BodyRule, Form, Format, Permitting, Request } from './request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call an endpoint: callers with at least this role in the organization of the path, any user, any valid key,
 * or everybody.
 */
type Access = Role | 'user' | 'authenticated' | 'public';

/** Returns whether access needs a role. Only such endpoints belong to an organization. */
export const asksForRole = (access: Access): access is Role => (ROLES as readonly string[]).includes(access);

/** Returns whether a request for an endpoint needs the table. Authentication reads it. */
export const readsTable = ({ access, uses }: Pick<Endpoint, 'access' | 'uses'>): boolean =>
  access !== 'public' || uses !== undefined;

/** Returns whether every request changes items or objects, so that it waits for the end of maintenance. */
export const changesRecords = ({
  uses: { writes = [], removes = [], bucket = [] } = {},
  changesByContent,
}: Pick<Endpoint, 'uses' | 'changesByContent'>): boolean =>
  !changesByContent && (writes.length > 0 || removes.length > 0 || bucket.some((use) => use.endsWith(':write')));

/**
 * A part of the validation. It throws a 400 with `errors`, which the answer shows together with the errors of all other
 * parts. It runs also if the schemas refuse the query or the body, but not if the body cannot be read. It reads neither
 * table nor bucket. It gives the same result when a request is repeated with its Idempotency-Key.
 */
type Check<B = unknown, Q = Record<string, unknown>> = (
  request: {
    /** The parameters of the query that their schemas accept. */
    query: Partial<Q>;
    /** The parameters that their schemas refuse. A rule that compares one of them does not apply. */
    refused: ReadonlySet<string>;
    /** The body after its schema; undefined if the schema refuses the body. */
    body: B | undefined;
    /** The parsed body as sent. */
    sent: unknown;
    files: readonly FilePart[];
  },
  services: CheckServices,
) => unknown;

/** What checks can use: they read neither table nor bucket. */
type CheckServices = Pick<CallerServices, 'guard' | 'engines' | 'clock'>;

/**
 * @template Needs the services that its functions take
 */
export interface Endpoint<Needs = never> {
  /** OpenAPI operation id, unique: `renameFlow`. */
  operation: string;
  method: Method;
  /** Path below `/api/v2` with `{parameters}`. Paths outside of it start with `root:`. */
  path: string;
  summary: string;
  description?: string;
  access: Access;
  /** Beta feature that the organization must have; otherwise 403 `Forbidden` (rules/organizations.md#beta-features). */
  feature?: Feature;
  /** Feature that opens the endpoint to everybody (rules/log.md#public-log). The handler gets no caller. */
  openWith?: Feature;
  /**
   * Whether the endpoint changes who may do what, or hands out a secret. Then it refuses callers whose own access ends by
   * itself (rules/organizations.md#managing-access).
   */
  managesAccess?: true;
  /**
   * Number of the endpoint in the API document, for the 18 endpoints of that document
   * (rules/README.md#the-18-endpoints).
   */
  row?: number;
  params: z.ZodObject;
  query: z.ZodObject;
  body: BodyRule;
  /** Format of a success. Default: `json`. */
  produces?: Format;
  /** Content type of an answer by its status, where it is another than that of `produces`. */
  contentTypes?: Readonly<Record<number, string>>;
  /**
   * Response schema by success status. Answers pass through it, so that fields outside the schema cannot leave the
   * service.
   */
  success: Record<number, z.ZodType>;
  /**
   * The same for callers who prefer JSON, if `produces` is another format. The handler finds the format of the answer in
   * {@link Request.format} (rules/requests.md#format-of-answers).
   */
  successAsJson?: Record<number, z.ZodType>;
  /** Other forms that a parameter asks for. The handler names the form of its answer: {@link Answer.form}. */
  successAs?: { csv?: Record<number, z.ZodType<string>>; report?: Record<number, z.ZodType> };
  /** Errors of this endpoint in addition to the common ones (401, 403, 400 of validation, 500, 503). */
  errors: Sentence[];
  /** Headers of the request that the handler reads, in lower case: {@link Request.headers}. */
  readsHeaders?: readonly string[];
  /** Whether a person may call it with an access token of the identity provider (rules/agents.md#access-tokens). */
  takesAccessTokens?: true;
  /** Whether refusals also have `error` and `error_description` of OAuth 2.0 (rules/identities.md#refusals). */
  oauthErrors?: true;
  deprecated?: boolean;
  /** Headers of a success that follow from its body, so a repeated answer has them too. */
  headers?: {
    /** By name. */
    descriptions: Readonly<Record<string, string>>;
    of: (body: never) => Readonly<Record<string, string>>;
  };
  /**
   * What the endpoint creates or updates. Its answers name it in `Location` and `X-Resource-Id`
   * (rules/requests.md#handles).
   */
  makes?: {
    /** Path below `/api/v2`, and query, of the request that reads it: `/actions/{org}/{action_number}`. */
    at: string;
    /** The value of `X-Resource-Id`: a name that {@link Answer.made} or the request's path has a value for. */
    id: string;
  };
  /**
   * For an endpoint that appends moments of a trail or snapshots: path below `/api/v2` of the receipt of a link. `{number}`
   * is the number of the link. The other names are those of the request's path and of {@link Answer.made}. Answers name
   * what they appended in `Evidence-Moment` and `Link` (rules/log.md#headers-of-writes).
   */
  appends?: `/receipts/{org}/${string}/{number}`;
  /** Validation that the schemas cannot express (rules/requests.md#all-errors-at-once). */
  checks?: readonly Check[];
  /**
   * Stored items that the endpoint changes, and its use of the bucket. Everything else is refused. @default reads of
   * the table only
   */
  uses?: Uses;
  /**
   * Whether only the content of a request says that it changes something. Then the handler names the uses of the change to
   * {@link Permitting.permit}, which admits it.
   */
  changesByContent?: true;
  /**
   * Reads the body again for a request that repeats an Idempotency-Key, for an endpoint whose answer is a secret. Then the
   * claim does not store the body (rules/organizations.md#idempotent-key-requests).
   */
  repeatedBody?: (request: never, services: Needs) => Promise<unknown>;
  handler: (request: never, services: Needs) => Promise<Answer>;
}

/**
 * The request as a handler gets it. Endpoints without an organization or without a caller do not have those fields.
 *
 * @template F the feature that opens the endpoint to everybody, if there is one
 */
type RequestFor<A extends Access, P, Q, B, F extends Feature = never> = [F] extends [never]
  ? RequestOf<A, P, Q, B>
  : Omit<RequestOf<A, P, Q, B>, 'caller' | 'credential' | 'role'>;

type RequestOf<A extends Access, P, Q, B> = A extends 'public'
  ? Omit<Request<P, Q, B>, 'org' | 'role' | 'caller' | 'credential'>
  : A extends 'authenticated'
    ? Omit<Request<P, Q, B>, 'org' | 'role'> & Permitting
    : A extends 'user'
      ? Omit<Request<P, Q, B>, 'org' | 'role'> & { caller: CallingUser }
      : Request<P, Q, B>;

type BodyOf<R extends BodyRule> = R extends { schema: infer S extends z.ZodType } ? z.output<S> : undefined;

type BodyInput<R extends BodyRule> = R extends { schema: infer S extends z.ZodType } ? z.input<S> : undefined;

/**
 * What callers written in TypeScript know of an endpoint. The property exists only in types, never in an object: the
 * console's client takes it with `import type`, so that a changed definition changes the types of its calls.
 */
export interface Typed<M, Path, A, P, Q, B, O> {
  readonly typed?: { method: M; path: Path; access: A; params: P; query: Q; body: B; answer: O };
}

type FormedAnswer = Answer & { form: Form };

/** Answers as callers get them who prefer JSON, such as the console. */
type AnswerAsJson<S extends Record<number, z.ZodType>, J extends Record<number, z.ZodType>> = [J] extends [never]
  ? z.output<S[keyof S]>
  : z.output<J[keyof J]>;

const NO_QUERY = z.object({});
const NO_BODY = { kind: 'none' } as const;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Whole}+` ? Whole : Name) | NamesIn<Rest>
  : never;

/** The schema of path parameters of which each is any text. Those that name a record have the type of such names. */
type TextsOf<Path extends string> = z.ZodObject<{
  [Name in NamesIn<Path>]: Name extends keyof typeof NAMES_IN_PATHS ? (typeof NAMES_IN_PATHS)[Name] : z.ZodString;
}>;

const TEXTS: Readonly<Record<string, z.ZodType>> = NAMES_IN_PATHS;

const textsOf = (path: string) =>
  z.object(
    Object.fromEntries([...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => [name, TEXTS[name] ?? z.string()])),
  );

/**
 * Defines an endpoint. The types of the handler follow from the schemas of the definition. Without `params`, each parameter
 * of the path is a text, or a name if it is one of `NAMES_IN_PATHS`. Without `query` the endpoint has no parameters of the
 * query, without `body` it ignores the body, and without `errors` it has the common ones only.
 */
export function endpoint<
  const M extends Method,
  const Path extends string,
  const A extends Access,
  const S extends Record<number, z.ZodType>,
  const P extends z.ZodObject = TextsOf<Path>,
  const Q extends z.ZodObject = typeof NO_QUERY,
  const B extends BodyRule = typeof NO_BODY,
  const F extends Feature = never,
  const J extends Record<number, z.ZodType> = never,
  N = unknown,
  R = unknown,
>(
  definition: Omit<
    Endpoint,
    | 'method'
    | 'path'
    | 'access'
    | 'openWith'
    | 'params'
    | 'query'
    | 'body'
    | 'success'
    | 'successAsJson'
    | 'errors'
    | 'checks'
    | 'repeatedBody'
    | 'handler'
  > & {
    method: M;
    path: Path;
    access: A;
    openWith?: F;
    params?: P;
    query?: Q;
    body?: B;
    success: S;
    successAsJson?: J;
    errors?: Sentence[];
    checks?: readonly Check<BodyOf<B>, z.output<Q>>[];
    repeatedBody?: (
      request: RequestFor<A, z.output<P>, z.output<Q>, BodyOf<B>, F>,
      services: R,
    ) => Promise<z.input<S[keyof S]>>;
    handler: (
      request: RequestFor<A, z.output<P>, z.output<Q>, BodyOf<B>, F>,
      services: N,
    ) => Promise<Answer<z.input<S[keyof S]> | z.input<J[keyof J]>> | FormedAnswer>;
  },
): Endpoint<N & R> & Typed<M, Path, A, z.input<P>, z.input<Q>, BodyInput<B>, AnswerAsJson<S, J>> {
  // The erased type takes any request: the chain calls the handler with what the schemas of the same definition parsed.
  return {
    query: NO_QUERY,
    body: NO_BODY,
    errors: [],
    ...definition,
    params: definition.params ?? textsOf(definition.path),
    // The chain is the one caller of the erased handler.
  } as unknown as Endpoint<N & R>;
}

/**
 * The endpoints that one function serves.
 *
 * @template Needs the services that all of them take together
 */
export interface EndpointGroup<Needs = never> {
  /** Folder name below `functions/`, and the function's name. */
  name: string;
  /** First segments of paths that belong to the group besides its name, where other groups have endpoints, too: `gaps`. */
  owns?: readonly string[];
  /** One sentence about the group, for the reference page. */
  about?: string;
  endpoints: readonly Endpoint<Needs>[];
}

/** The services that one of several endpoints takes, for all of them. */
type NeedsOf<E> = (E extends Endpoint<infer N> ? (needs: N) => void : never) extends (needs: infer All) => void
  ? All
  : never;

/** Defines a group. The services that its function must have follow from its endpoints. */
export const endpointGroup = <const E extends readonly Endpoint[]>(
  group: Omit<EndpointGroup, 'endpoints'> & { endpoints: E },
): EndpointGroup<NeedsOf<E[number]>> =>
  // The elements take parts of the needs of all, so each of them takes the whole.
  group as unknown as EndpointGroup<NeedsOf<E[number]>>;
