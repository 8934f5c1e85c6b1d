import type * as z from 'zod';
import type { Sentence } from '#shared/base/errors.ts';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { type Feature, ROLES, type Role } from '#shared/base/roles.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Services } from '#shared/http/services.ts';
import type { IdempotencyClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: a role (or a higher one) in the organization of the path, any user, any valid credential, or everybody.
 */
export type Access = Role | 'user' | 'authenticated' | 'public';

/** Whether an endpoint asks for a role: only then does it know an organization. */
export const asksForRole = (access: Access): access is Role => (ROLES as readonly string[]).includes(access);

/** A file part of a multipart request, whole in memory (the gateway bounds the request, design §3). */
export interface FilePart {
  /** The name of the form part, such as `attachment_file.0`. */
  part: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
}

/**
 * What a request may carry.
 * - `none`: the body is ignored; clients send `null`, nothing, or `{}` (wire admin §1.1).
 * - `json`: a JSON document, validated. `optional` lets `null` and an empty body pass as `{}`.
 * - `multipart`: a form whose part `part` is the JSON document, beside file parts; `plainJson` also accepts the document
 *   as an ordinary JSON body (design §3). `files` says which parts may be files, with each one's limit in bytes.
 */
export type BodyRule<B extends z.ZodType = z.ZodType> =
  | { kind: 'none' }
  | { kind: 'json'; schema: B; optional?: boolean }
  | { kind: 'multipart'; part: string; schema: B; files: FileRule[]; plainJson?: boolean };

export interface FileRule {
  /** Exact part name, which may be there once, or a pattern such as /^attachment_file(\.\d+)?$/. */
  part: string | RegExp;
  /** Whether a text field of that name counts as the file: a document that somebody pasted must not go unseen. */
  alsoText?: boolean;
  /** Largest size in bytes. */
  limit: number;
  /** What a larger file is answered with; a 400 on the part when absent. */
  tooLarge?: Sentence;
  description: string;
}

export interface Caller {
  kind: 'user' | 'service-account';
  id: PrincipalId;
  /** The user's or the service account's name, as `created_by` shows it. */
  name: string;
  keyId: string;
}

export interface Organization {
  id: OrganizationId;
  name: string;
  kind: 'personal' | 'shared';
  features: readonly Feature[];
}

/** What a handler gets: the parsed request and who asks. */
export interface Request<P = Record<string, string>, Q = Record<string, never>, B = undefined> {
  params: P;
  query: Q;
  body: B;
  /** The JSON text that `body` was parsed from: bodies that must come back to the letter are cut out of it. */
  bodyText: string;
  files: FilePart[];
  org: Organization;
  caller: Caller;
  role: Role;
  requestId: string;
  /** Absolute address of the service without a trailing slash: `https://host`. Links are made from it. */
  host: string;
  /** The path as called, decoded, with `/api/v2`, and the query string as sent: for `_links`. */
  path: string;
  rawQuery: string;
  receivedAt: Micros;
  /** Set when the caller sent an `Idempotency-Key`: the write puts it into its own transaction (design §3). */
  idempotency?: IdempotencyClaim;
}

export interface Answer<O = unknown> {
  status: number;
  body: O;
  headers?: Record<string, string>;
  /** What this function must not trust any longer because of the request. */
  distrust?: Distrust;
}

/** What authentication may remember, and what a write can make untrue: forgotten at once where the write was made. */
export interface Distrust {
  /** Hashes of secrets. */
  keys?: readonly string[];
  /** Ids of principals whose role in the organization `org` (its id) changed. */
  members?: { org: OrganizationId; principals: readonly PrincipalId[] };
  /** Name of an organization whose features changed. */
  organization?: string;
}

export interface Endpoint {
  /** OpenAPI operation id, unique: `renameFlow`. */
  operation: string;
  method: Method;
  /** Path below `/api/v2`, with `{parameters}`; those outside it begin with `root:`. */
  path: string;
  summary: string;
  description?: string;
  access: Access;
  /** Beta feature that the organization must have, else 403 `Forbidden` (semantics §12.6). */
  feature?: Feature;
  /** The row of the API document's table of endpoints, where it is one of the 18. */
  row?: number;
  params: z.ZodObject;
  query: z.ZodObject;
  body: BodyRule;
  /** What a success is written in; `json` unless said: `text` is for /ready, the others are for the reference. */
  produces?: 'json' | 'text' | 'html' | 'javascript' | 'css';
  /** Response schema by success status. Answers are built through it, so that nothing else can leave. */
  success: Record<number, z.ZodType>;
  /** The sentences that this endpoint can answer beside the common ones (401, 403, 400 validation, 500, 503). */
  errors: Sentence[];
  deprecated?: boolean;
  /** What it does to stored things beside reading the table; it can do nothing else. @default nothing */
  uses?: Uses;
  handler: (request: never, services: Services) => Promise<Answer>;
}

/** What a handler is given depends on who may call: without an organization or a credential those fields are not there. */
export type RequestFor<A extends Access, P, Q, B> = A extends 'public'
  ? Omit<Request<P, Q, B>, 'org' | 'role' | 'caller'>
  : A extends 'authenticated'
    ? Omit<Request<P, Q, B>, 'org' | 'role'>
    : A extends 'user'
      ? Omit<Request<P, Q, B>, 'org' | 'role'> & { caller: CallingUser }
      : Request<P, Q, B>;

/** A caller that is no service account. */
export type CallingUser = Caller & { kind: 'user' };

type BodyOf<R extends BodyRule> = R extends { schema: infer S extends z.ZodType } ? z.output<S> : undefined;

/** Ties the handler's types to the schemas of its definition. */
export function endpoint<
  const A extends Access,
  const P extends z.ZodObject,
  const Q extends z.ZodObject,
  const B extends BodyRule,
  const S extends Record<number, z.ZodType>,
>(
  definition: Omit<Endpoint, 'access' | 'params' | 'query' | 'body' | 'success' | 'handler'> & {
    access: A;
    params: P;
    query: Q;
    body: B;
    success: S;
    handler: (
      request: RequestFor<A, z.output<P>, z.output<Q>, BodyOf<B>>,
      services: Services,
    ) => Promise<Answer<z.input<S[keyof S]>>>;
  },
): Endpoint {
  return definition as unknown as Endpoint;
}

/** The endpoints that one Lambda serves. */
export interface EndpointGroup {
  /** Folder name below `functions/`, and the function's name. */
  name: string;
  /** What its endpoints are about, for the reference. */
  about?: string;
  endpoints: readonly Endpoint[];
}
