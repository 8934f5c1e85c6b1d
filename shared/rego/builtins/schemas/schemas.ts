import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { fromPlain, parseJson } from '../../values/plain.ts';
import { canonicalJson } from '../../values/text.ts';
import { isArray, RegoObject, type Value, weightOf } from '../../values/value.ts';
import { type Args, operandError, refusing } from '../operands.ts';
import { type Builtin, theme } from '../registry.ts';
import { type Schema, SchemaReader } from './schema.ts';
import { Validator } from './validate.ts';

/** JSON Schema (drafts 4, 6 and 7). Schemas refer to their own parts only, and no document is fetched. */
export const SCHEMAS: readonly Builtin[] = theme('json', [
  ['json.match_schema', ['string|object', 'string|object'], 'array', match],
  ['json.verify_schema', ['string|object'], 'array', verify],
]);

function match(args: Args, run: Run): Value {
  const document = documentAt(args, 0, run);
  const { errors } = new Validator(run).check(schemaAt(args, 1, run), document, []);
  const shown = errors.map((error) => ({ ...error, error: `${error.field}: ${error.desc}` }));
  return [errors.length === 0, fromPlain(shown)];
}

function verify(args: Args, run: Run): Value {
  try {
    schemaAt(args, 0, run);
    return [true, null];
  } catch (error) {
    if (error instanceof BuiltinError) return [false, `jsonschema: ${error.message}`];
    throw error;
  }
}

/** A document as JSON text or as an object. Sets are read as arrays. */
function documentAt(args: Args, at: number, run: Run): Value {
  const operand = args[at];
  if (operand instanceof RegoObject) {
    run.budget.spend(weightOf(operand));
    return parsed(canonicalJson(operand));
  }
  if (typeof operand !== 'string') throw operandError(at, 'string or object', operand);
  run.budget.string(operand.length);
  run.budget.spend(operand.length);
  return parsed(operand);
}

const parsed = (text: string): Value => refusing(SyntaxError, 'invalid JSON string', () => parseJson(text));

function schemaAt(args: Args, at: number, run: Run): Schema {
  const schema = documentAt(args, at, run);
  if (typeof schema === 'boolean') return { pass: schema, counts: {} };
  if (isArray(schema) || !(schema instanceof RegoObject)) throw new BuiltinError('schema is invalid');
  return new SchemaReader(schema, run).read();
}
