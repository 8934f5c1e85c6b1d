import { invalid } from '#shared/base/errors.ts';
import { JsonTextError, parseJson } from '#shared/base/json-text.ts';
import { type FieldErrors, validate, withInput } from '#shared/base/validation.ts';
import type { BodyRule, FilePart } from './endpoint.ts';
import type { GatewayRequest } from './gateway-event.ts';
import { readForm } from './multipart.ts';

/** The body of a request, taken apart by its endpoint's rule but not yet checked against the schema. */
export interface RawBody {
  /** What the whole document is called in errors: `payload`, or the form part's name. */
  whole: string;
  /** The document's text; empty where there is none. */
  text: string;
  value: unknown;
  files: FilePart[];
}

const NOTHING: RawBody = { whole: 'payload', text: '', value: undefined, files: [] };
/** How a body without content is seen where one may be left out: as a document without fields. */
const EMPTY_DOCUMENT = { text: '{}', value: {} };

/**
 * Reads a body: a form, JSON, or nothing (wire admin §1.1). The content type matters for forms only, since clients
 * label bodyless requests as JSON too.
 *
 * @throws ApiError 400 when it is missing, not JSON, nested too deep, or a broken form; 413 for files too large
 */
export async function readBody(request: GatewayRequest, rule: BodyRule): Promise<RawBody> {
  if (rule.kind === 'none') return NOTHING;
  if (rule.kind === 'json') return document(utf8(request.body, 'payload'), 'payload', rule.optional);
  const { 'content-type': contentType = '' } = request.headers;
  if (/^\s*multipart\/form-data\b/i.test(contentType)) {
    const form = await readForm(contentType, request.body, rule);
    return { ...document(form.text ?? '', rule.part), files: form.files };
  }
  if (!rule.plainJson) throw invalid({ [rule.part]: withInput('Field required', undefined) });
  return document(utf8(request.body, rule.part), rule.part);
}

function utf8(body: Buffer, whole: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw invalid({ [whole]: 'The text is not UTF-8' }, error);
    throw error;
  }
}

function document(text: string, whole: string, optional = false): RawBody {
  const value = text.trim() === '' ? null : jsonOrRefuse(text, whole);
  if (value !== null) return { whole, text, value, files: [] };
  if (!optional) throw invalid({ [whole]: withInput('Field required', undefined) });
  return { whole, files: [], ...EMPTY_DOCUMENT };
}

function jsonOrRefuse(text: string, whole: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw invalid({ [whole]: withInput(error.message, text) }, error);
    throw error;
  }
}

/** Checks a body against its endpoint's schema; undefined where there is nothing to check or something was noted. */
export function validateBody(body: RawBody, rule: BodyRule, errors: FieldErrors): unknown {
  return rule.kind === 'none' ? undefined : validate(rule.schema, body.value, { whole: body.whole }, errors);
}
