import { invalid } from '#shared/base/errors.ts';
import { JsonTextError, parseJson, withoutSpace } from '#shared/base/json-text.ts';
import { invalidField, isDictionary, withInput } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Engines } from '#shared/engines/engines.ts';
import type { TypeContent } from '#shared/evidence/types/create-type.ts';

export const SCHEMA_PART = 'type_schema';

const schemaOf = (files: readonly FilePart[]): string | null => {
  const file = files.find(({ part }) => part === SCHEMA_PART);
  return file ? decodeUtf8(file.bytes) : null;
};

/**
 * Reads the JSON Schema of a form, which {@link checkSchema} has checked.
 * @returns the text that was sent, without the white space between tokens; null if the form has no schema
 */
export function schemaText(files: readonly FilePart[]): string | null {
  const text = schemaOf(files);
  return text === null ? null : withoutSpace(text);
}

/**
 * Checks the JSON Schema of a form (rules/attestations.md#type-schema).
 * @throws ServiceError 400 `errors.type_schema` if the text is not a JSON object, or not a schema that the engine supports
 */
export async function checkSchema(files: readonly FilePart[], engines: Engines): Promise<void> {
  const text = schemaOf(files);
  if (text === null) return;
  const schema = parseSchema(text);
  if (!isDictionary(schema)) throw invalidField(SCHEMA_PART, 'Input should be a valid dictionary', schema);
  const problem = await engines.checkSchema(schema);
  if (problem !== null) throw invalid({ [SCHEMA_PART]: problem });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalid({ [SCHEMA_PART]: 'The text is not UTF-8' }, error);
    throw error;
  }
}

function parseSchema(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw invalid({ [SCHEMA_PART]: withInput(error.message, text) }, error);
    throw error;
  }
}

/**
 * Compiles every jq program of a type, so that the author of the type learns of a mistake and not a later reporter
 * (rules/attestations.md#jq-rules).
 * @throws ServiceError 400 `errors.evaluator` and `errors.summary`, each with the first program that does not compile
 */
export async function checkPrograms({ rules, summary }: Pick<TypeContent, 'rules' | 'summary'>, engines: Engines) {
  const expressions = (summary ?? []).map(({ expression }) => expression);
  const errors = {
    ...(await firstProblem(engines, 'evaluator', 'Rule', rules)),
    ...(await firstProblem(engines, 'summary', 'Expression', expressions)),
  };
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

async function firstProblem(engines: Engines, field: string, what: string, programs: readonly string[]) {
  const problems = programs.length === 0 ? [] : await engines.checkJq(programs);
  const at = problems.findIndex((problem) => problem !== null);
  if (at < 0) return {};
  return { [field]: withInput(`${what} ${at + 1} is not valid jq: ${problems[at]}`, programs[at]) };
}
