import type * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { JsonTextError, parseJson } from '#shared/base/json-text.ts';
import {
  addError,
  addIllFormed,
  type FieldErrors,
  fieldName,
  validate,
  withDocument,
  withInput,
} from '#shared/base/validation.ts';
import { mayBeIllFormed } from '#shared/base/well-formed.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { GatewayRequest } from './gateway-event.ts';
import { readForm } from './multipart.ts';
import type { BodyRule } from './request.ts';
import { addUnknownNames } from './unknown-names.ts';

/** The body of a request, parsed by the rule of its endpoint and not yet validated against the schema. */
interface RawBody {
  /** The name of the whole document in `errors`: `payload`, or the name of the form part. */
  whole: string;
  /** The text of the document; empty if the request has none. */
  text: string;
  value: unknown;
  files: FilePart[];
}

/** A request without a body. */
export const NOTHING: RawBody = { whole: 'payload', text: '', value: undefined, files: [] };
/** An empty body counts as this document where the endpoint allows an empty body. */
const EMPTY_DOCUMENT = { text: '{}', value: {} };

/**
 * Reads a body: a form, JSON, text, or nothing (rules/requests.md#bodies). The content type decides only whether the body is
 * a form, because clients label empty bodies as JSON too.
 * @param errors collects parts of a form that cannot be used
 * @throws ServiceError 400 if the body is missing, is not JSON, is nested too deep, or is a broken form; 413 if a file is
 *   too large
 */
export async function readBody(request: GatewayRequest, rule: BodyRule, errors: FieldErrors): Promise<RawBody> {
  if (rule.kind === 'none') return NOTHING;
  if (rule.kind === 'json') {
    const text = utf8(request.body, 'payload');
    return rule.alsoForm && isForm(request)
      ? formFields(text, errors)
      : document(text, 'payload', errors, rule.optional);
  }
  if (rule.kind === 'text') {
    if (request.body.length > rule.limit) throw rule.tooLarge();
    const text = utf8(request.body, 'payload', true);
    return { whole: 'payload', text, value: text, files: [] };
  }
  const { 'content-type': contentType = '' } = request.headers;
  if (/^\s*multipart\/form-data\b/i.test(contentType)) {
    const form = await readForm(contentType, request.body, rule, errors);
    return { ...document(form.text ?? '', rule.part, errors), files: form.files };
  }
  if (!rule.plainJson) throw invalid({ [rule.part]: withInput('Field required', undefined) });
  return document(utf8(request.body, rule.part), rule.part, errors);
}

const isForm = ({ headers }: GatewayRequest): boolean =>
  /^\s*application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

/** Reads the fields of an HTML form. A field may occur once (RFC 6749, section 3.2). */
function formFields(text: string, errors: FieldErrors): RawBody {
  const value: Record<string, string> = Object.create(null);
  for (const [name, given] of new URLSearchParams(text)) {
    if (name in value) addError(errors, fieldName([name]), 'The field occurs more than once');
    value[name] = given;
  }
  return { whole: 'payload', text, value, files: [] };
}

/** @param ignoreBOM whether a byte order mark stays in the text */
function utf8(body: Buffer, whole: string, ignoreBOM = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw invalid({ [whole]: 'The text is not UTF-8' }, error);
    throw error;
  }
}

function document(text: string, whole: string, errors: FieldErrors, optional = false): RawBody {
  const value = text.trim() === '' ? null : jsonOrRefuse(text, whole);
  // Bytes are UTF-8, so only escapes make half a surrogate pair.
  if (mayBeIllFormed(text)) addIllFormed(value, { whole }, errors);
  if (value !== null) return { whole, text, value, files: [] };
  if (!optional) throw invalid({ [whole]: withInput('Field required', undefined) });
  return { whole, files: [], ...EMPTY_DOCUMENT };
}

function jsonOrRefuse(text: string, whole: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw invalid({ [whole]: withDocument(error.message, text) }, error);
    throw error;
  }
}

/**
 * Validates a body against the schema of its endpoint. Returns undefined if the endpoint takes no body or if an error
 * was added to `errors`. A body whose fields are all unknown is refused, because it would change nothing
 * (rules/requests.md#unknown-fields).
 */
export function validateBody(body: RawBody, rule: BodyRule, errors: FieldErrors): unknown {
  if (rule.kind === 'none') return undefined;
  const value = validate(rule.schema, body.value, { whole: body.whole }, errors);
  const known = fieldsOf(rule.schema);
  if (value === undefined || known === undefined) return value;
  // A schema with fields has accepted the value, so the value is an object.
  const given = Object.keys(body.value as object);
  if (!given.some((name) => known.includes(name))) addUnknownNames('field', given, known, errors);
  return value;
}

/** Returns the names of an object's fields, also behind transforms; undefined if the schema is no object. */
function fieldsOf(schema: z.core.$ZodType): string[] | undefined {
  // zod types a schema of any kind without what its kind adds.
  const def = schema._zod.def as { type: string; shape?: object; in?: z.core.$ZodType; innerType?: z.core.$ZodType };
  if (def.shape) return Object.keys(def.shape);
  const inner = def.in ?? def.innerType;
  return inner && fieldsOf(inner);
}
