import { compareStrings } from '../values/value.ts';
import { AWS } from './aws.ts';
import { COLLECTIONS } from './collections.ts';
import { TOKENS } from './crypto/tokens.ts';
import { CERTIFICATES } from './crypto/x509.ts';
import { ENCODING } from './encoding.ts';
import { GRAPHQL } from './graphql/graphql.ts';
import { JSON_PATHS } from './json.ts';
import { METADATA } from './metadata.ts';
import { NETWORKS } from './networks.ts';
import { NUMBERS } from './numbers.ts';
import { OBJECTS } from './objects.ts';
import { REGEXES } from './regexes.ts';
import type { Builtin } from './registry.ts';
import { SCHEMAS } from './schemas/schemas.ts';
import { STRINGS } from './strings.ts';
import { TEMPLATES } from './template/render.ts';
import { TIME } from './time.ts';
import { TYPES } from './types.ts';
import { URIS } from './uris.ts';
import { YAML } from './yaml/yaml.ts';

/** Every built-in function of the engine, by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  [
    NUMBERS,
    COLLECTIONS,
    STRINGS,
    REGEXES,
    OBJECTS,
    JSON_PATHS,
    ENCODING,
    TIME,
    NETWORKS,
    TYPES,
    TOKENS,
    GRAPHQL,
    URIS,
    YAML,
    AWS,
    CERTIFICATES,
    SCHEMAS,
    TEMPLATES,
    METADATA,
  ]
    .flat()
    .map((builtin) => [builtin.name, builtin]),
);

/** One row of the table of built-in functions. */
export interface BuiltinRow {
  readonly theme: string;
  readonly name: string;
  readonly signature: string;
}

/** Lists the supported functions from the registry. Operators appear under the names of their functions. */
export function builtinTable(): BuiltinRow[] {
  const rows = [...BUILTINS.values()]
    .filter(({ name }) => !name.startsWith('internal.'))
    .map(({ theme, name, args, result }) => ({ theme, name, signature: `(${args.join(', ')}) → ${result}` }));
  rows.push({ theme: 'debugging', name: 'print', signature: '(any, …): ignored' });
  return rows.sort((a, b) => compareStrings(a.theme, b.theme) || compareStrings(a.name, b.name));
}
