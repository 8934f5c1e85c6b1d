import type * as z from 'zod';
import type { Sentence } from '#shared/base/errors.ts';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Caller, Credential, Organization } from '#shared/callers/caller.ts';
import type { Feature, Role } from '#shared/callers/roles.ts';
import type { Appended, IdempotencyClaim, Made } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';

/**
 * The body that an endpoint accepts (rules/requests.md#body-rules).
 * - `none`: the body is ignored. Clients send `null`, nothing, or `{}`.
 * - `json`: a JSON document, which is validated. `optional` accepts `null` and an empty body as `{}`. `alsoForm` accepts the
 *   fields as an HTML form too (`application/x-www-form-urlencoded`); all of them are texts.
 * - `text`: a text of at most `limit` bytes, which `schema` validates.
 * - `multipart`: a form with the JSON document in `part`, and with file parts. `plainJson` also accepts the document as
 *   an ordinary JSON body. `files` lists the allowed file parts with the limit of each in bytes.
 */
export type BodyRule<B extends z.ZodType = z.ZodType> =
  | { kind: 'none' }
  | { kind: 'json'; schema: B; optional?: boolean; alsoForm?: true }
  | { kind: 'text'; schema: B; limit: number; tooLarge: Sentence }
  | { kind: 'multipart'; part: string; schema: B; files: FileRule[]; plainJson?: boolean };

export interface FileRule {
  /** Exact name of the part, which may occur once, or a pattern such as /^attachment_file(\.\d+)?$/. */
  part: string | RegExp;
  /** Whether a text field of that name also counts as the file. Then a pasted document is not silently ignored. */
  alsoText?: boolean;
  /** Whether the endpoint refuses forms without the file. Only for descriptions: the endpoint itself checks it. */
  required?: true;
  /** Largest size in bytes. */
  limit: number;
  /** The error for a larger file. Default: 400 that names the part. */
  tooLarge?: Sentence;
  description: string;
}

/** What a request needs of an organization. */
export interface Need {
  access: Role;
  feature?: Feature | undefined;
  uses?: Uses | undefined;
}

/** What a caller was admitted to. */
export interface Permit {
  org: Organization;
  role: Role;
}

/** The parsed request and its caller, as handlers get them. */
export interface Request<P = Record<string, string>, Q = Record<string, never>, B = undefined> {
  params: P;
  query: Q;
  body: B;
  /** The text that `body` was parsed from. Documents that must be returned unchanged are cut out of this text. */
  bodyText: string;
  files: FilePart[];
  org: Organization;
  caller: Caller;
  credential: Credential;
  role: Role;
  requestId: string;
  /** Format that a success must have. */
  format: Format;
  /** `name=value` of each cookie, as sent. */
  cookies: readonly string[];
  /** The codings that the caller accepts for the answer, as sent. */
  acceptEncoding: string | undefined;
  /** The address of the service, from its setting: `https://host`. Links start with it. */
  host: string;
  /** The requested path, decoded and with `/api/v2`, and the query string as sent. `_links` are made from both. */
  path: string;
  rawQuery: string;
  receivedAt: Micros;
  /** The headers that the definition of the endpoint names, as far as the request has them, by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /**
   * Set if the request has an `Idempotency-Key`. The write stores the claim in its own transaction
   * (rules/requests.md#idempotency-key).
   */
  idempotency?: IdempotencyClaim;
}

/** What requests to endpoints have besides whose path names no organization. */
export interface Permitting {
  /**
   * Admits the caller to an organization that the content of the request names (rules/agents.md#rights).
   * @throws ServiceError 403 without access, LimitReached if the organization sends too much
   */
  permit: (need: Need, orgName: string) => Promise<Permit>;
}

/** Formats of successes. `bytes` is a Buffer. `html`, `javascript` and `css` belong to the reference page. */
export type Format = 'json' | 'text' | 'csv' | 'bytes' | 'html' | 'javascript' | 'css';

/** Forms of a success that a parameter asks for. `report` is JSON. */
export type Form = 'csv' | 'report';

export interface Answer<O = unknown> {
  status: number;
  body: O;
  headers?: Record<string, string>;
  /** The form that a parameter asked for: see `Endpoint.successAs`. */
  form?: Form;
  /** Values of `Set-Cookie`. */
  cookies?: string[];
  /** What the request made, for an endpoint that `Endpoint.makes` something. Absent if it made nothing. */
  made?: Made | undefined;
  /** Links of a chain that the request appended, for an endpoint that `Endpoint.appends` some. */
  appended?: Appended | undefined;
  /** What authentication in this function must read again because of the request. */
  distrust?: Distrust;
}

/**
 * Remembered facts of authentication that a write changed. The function that wrote forgets them at once
 * (rules/organizations.md#trust-times).
 */
export interface Distrust {
  /** Hashes of secrets of keys. */
  keys?: readonly string[];
  /** Hashes of secrets of sessions. */
  sessions?: readonly string[];
  /** Ids of principals whose role in the organization `org` (its id) changed. */
  members?: { org: OrganizationId; principals: readonly PrincipalId[] };
  /** Names of trusts of the organization `org` (its id) that changed. */
  trusts?: { org: OrganizationId; names: readonly string[] };
  /** Name of an organization whose features changed. */
  organization?: string;
}
