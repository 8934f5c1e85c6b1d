import { parseYaml, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { fromPlain, parseJson } from '#shared/rego/values/plain.ts';
import { RegoObject, type Value } from '#shared/rego/values/value.ts';

interface PolicyFiles {
  modules: { path: string; text: string }[];
  /** Values below `data`, by the first name of their path. */
  data: ReadonlyMap<string, Value>;
}

/** A policy has a file that is not allowed, or lacks one that is required. Where there is a file, the message begins with its path. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** Names below `data` that data files may not define (rules/evaluations.md#policy-files). */
const RESERVED = ['params', 'policy'];

/**
 * Sorts the files of a policy into modules and data (rules/evaluations.md#policy-files). A JSON or YAML file is data under
 * the names of its folders. A module ends with `.rego` or is the only file. All other files are ignored.
 *
 * @param files relative path → text
 * @throws PolicyFileError if a data file cannot be parsed, defines a reserved name, or conflicts with another file
 */
export function readPolicyFiles(files: Readonly<Record<string, string>>): PolicyFiles {
  const modules: PolicyFiles['modules'] = [];
  const data = new Map<string, Value>();
  const all = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, text] of all) {
    if (/\.(?:json|ya?ml)$/i.test(path)) {
      for (const [name, value] of dataOf(path, text)) data.set(name, merged(data.get(name), value, path));
    } else if (/\.rego$/i.test(path) || all.length === 1) modules.push({ path, text });
  }
  return { modules, data };
}

function dataOf(path: string, text: string): Map<string, Value> {
  const folders = path.split(/[\\/]/).slice(0, -1);
  const names = folders.filter((name) => name !== '' && name !== '.');
  const content = /\.json$/i.test(path) ? jsonOf(path, text) : yamlOf(path, text);
  const data = names.reduceRight<Value>((value, name) => RegoObject.of([[name, value]]), content);
  if (!(data instanceof RegoObject)) throw new PolicyFileError(`${path}: data outside of folders has to be an object`);
  const reserved = RESERVED.find((name) => data.has(name));
  if (reserved !== undefined) throw new PolicyFileError(`${path}: data files may not define data.${reserved}`);
  return new Map([...data.unordered()].map(([name, value]) => [String(name), value]));
}

function jsonOf(path: string, text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    // The parser's message names the place in the text.
    if (error instanceof SyntaxError) throw new PolicyFileError(`${path}: ${error.message}`);
    throw error;
  }
}

function yamlOf(path: string, text: string): Value {
  try {
    return valueOfYaml(parseYaml(text));
  } catch (error) {
    if (error instanceof YamlTextError) throw new PolicyFileError(`${path}: ${error.message}`);
    throw error;
  }
}

function valueOfYaml(yaml: YamlValue): Value {
  if (Array.isArray(yaml)) return yaml.map(valueOfYaml);
  if (yaml instanceof Map) return RegoObject.of([...yaml].map(([name, value]) => [name, valueOfYaml(value)] as const));
  return fromPlain(yaml);
}

/** Merges objects that several files define. Any other value may be defined only once. */
function merged(before: Value | undefined, value: Value, path: string): Value {
  if (before === undefined) return value;
  if (!(before instanceof RegoObject) || !(value instanceof RegoObject)) {
    throw new PolicyFileError(`${path}: another file defines the same data`);
  }
  const made = RegoObject.of(before.unordered());
  for (const [key, below] of value.unordered()) made.set(key, merged(made.get(key), below, path));
  return made;
}
