import { parseYaml, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { fromPlain, parseJson } from '#shared/rego/values/plain.ts';
import { RegoObject, type Value } from '#shared/rego/values/value.ts';

/** A policy's files by what they are. */
export interface PolicyFiles {
  modules: { path: string; text: string }[];
  /** The documents below `data` that come with the policy, by their first names. */
  data: ReadonlyMap<string, Value>;
}

/** A file that no policy may have; the message begins with its path. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** Names below `data` that are not the data files' to define (semantics §8.3). */
const TAKEN = ['params', 'policy'];

/**
 * Sorts a policy's files. JSON and YAML are data below `data` by their folder, as in a policy bundle (wire admin §5.1);
 * modules are known by their ending, or by being alone; what is neither is left out.
 * @throws PolicyFileError
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

/** A data file's content under the names of its folders, by the first name. */
function dataOf(path: string, text: string): Map<string, Value> {
  const folders = path.split(/[\\/]/).slice(0, -1);
  const names = folders.filter((name) => name !== '' && name !== '.');
  const content = /\.json$/i.test(path) ? jsonOf(path, text) : yamlOf(path, text);
  const data = names.reduceRight<Value>((value, name) => RegoObject.of([[name, value]]), content);
  if (!(data instanceof RegoObject)) throw new PolicyFileError(`${path}: data outside of folders has to be an object`);
  const taken = TAKEN.find((name) => data.has(name));
  if (taken !== undefined) throw new PolicyFileError(`${path}: data files may not define data.${taken}`);
  return new Map([...data.unordered()].map(([name, value]) => [String(name), value]));
}

function jsonOf(path: string, text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    // What is said of the text names the place, by line and column or by what is written there.
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

/** Objects that several files define become one; anything else may be defined once. */
function merged(before: Value | undefined, value: Value, path: string): Value {
  if (before === undefined) return value;
  if (!(before instanceof RegoObject) || !(value instanceof RegoObject)) {
    throw new PolicyFileError(`${path}: another file defines the same data`);
  }
  const made = RegoObject.of(before.unordered());
  for (const [key, below] of value.unordered()) made.set(key, merged(made.get(key), below, path));
  return made;
}
