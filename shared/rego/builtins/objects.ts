import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import {
  equal,
  isArray,
  isCollection,
  type Key,
  keyOf,
  listOf,
  lookup,
  RegoObject,
  RegoSet,
  type Value,
} from '../values/value.ts';
import { type Args, arrayAt, listAt, objectAt, operandError, valueAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Objects, and walks through documents and graphs. */
export const OBJECTS: readonly Builtin[] = [
  ...theme('objects', [
    ['object.get', ['object', 'any', 'any'], 'any', get],
    ['object.keys', ['object'], 'set', (args, run) => keys(objectAt(args, 0), run)],
    ['object.remove', ['object', 'array|object|set'], 'object', (args, run) => pick(args, run, false)],
    ['object.filter', ['object', 'array|object|set'], 'object', (args, run) => pick(args, run, true)],
    ['object.union', ['object', 'object'], 'object', (args, run) => union(objectAt(args, 0), objectAt(args, 1), run)],
    ['object.union_n', ['array'], 'object', unionAll],
    ['object.subset', ['array|object|set', 'array|object|set'], 'boolean', subset],
  ]),
  ...theme('graphs', [
    ['walk', ['any'], 'array', walk, 'relation'],
    ['graph.reachable', ['object', 'array|set'], 'set', reachable],
    ['graph.reachable_paths', ['object', 'array|set'], 'set', reachablePaths],
  ]),
];

function get(args: Args): Value {
  const key = valueAt(args, 1);
  let here: Value | undefined = objectAt(args, 0);
  for (const step of isArray(key) ? key : [key]) here = here === undefined ? undefined : lookup(here, step);
  // A null that is there is no missing value.
  return here === undefined ? valueAt(args, 2) : here;
}

function keys(object: RegoObject, run: Run): Value {
  run.budget.spend(object.size);
  return RegoSet.of(Array.from(object.unordered(), ([key]) => key));
}

function pick(args: Args, run: Run, wanted: boolean): Value {
  const object = objectAt(args, 0);
  const names = args[1] instanceof RegoObject ? args[1].pairs().map(([key]) => key) : listAt(args, 1);
  run.budget.spend(object.size + names.length);
  const named = RegoSet.of(names);
  return RegoObject.of([...object.unordered()].filter(([key]) => named.has(key) === wanted));
}

/** Merges two objects. The second wins, except that objects under the same key are merged. */
function union(left: RegoObject, right: RegoObject, run: Run): RegoObject {
  run.budget.spend(left.size + right.size);
  const made = RegoObject.of(left.unordered());
  for (const [key, value] of right.unordered()) {
    const old = made.get(key);
    const both = old instanceof RegoObject && value instanceof RegoObject;
    made.set(key, both ? union(old, value, run) : value);
  }
  run.budget.collection(made.size);
  return made;
}

function unionAll(args: Args, run: Run): Value {
  let made = new RegoObject();
  for (const one of arrayAt(args, 0)) {
    if (!(one instanceof RegoObject)) throw operandError(0, 'array of objects', one);
    made = union(made, one, run);
  }
  return made;
}

function subset(args: Args, run: Run): Value {
  const whole = valueAt(args, 0);
  const part = valueAt(args, 1);
  if (whole instanceof RegoObject && part instanceof RegoObject) return isPart(whole, part, run);
  if (whole instanceof RegoSet && part instanceof RegoSet) {
    run.budget.spend(part.size);
    return [...part.unordered()].every((value) => whole.has(value));
  }
  if (isArray(whole) && part instanceof RegoSet) {
    run.budget.spend(whole.length + part.size);
    const present = RegoSet.of(whole);
    return [...part.unordered()].every((value) => present.has(value));
  }
  if (isArray(whole) && isArray(part)) {
    run.budget.spend(whole.length * Math.max(1, part.length));
    for (let from = 0; from + part.length <= whole.length; from += 1) {
      if (part.every((value, at) => equal(value, whole[from + at] ?? null))) return true;
    }
    return false;
  }
  throw new BuiltinError('both operands must be of the same type, or an array and a set');
}

function isPart(whole: RegoObject, part: RegoObject, run: Run): boolean {
  run.budget.spend(part.size);
  for (const [key, value] of part.unordered()) {
    const found = whole.get(key);
    if (found === undefined) return false;
    if (found instanceof RegoObject && value instanceof RegoObject) {
      if (!isPart(found, value, run)) return false;
    } else if (found instanceof RegoSet && value instanceof RegoSet) {
      if (![...value.unordered()].every((member) => found.has(member))) return false;
    } else if (isArray(found) && isArray(value)) {
      if (subset([found, value], run) !== true) return false;
    } else if (!equal(found, value)) {
      return false;
    }
  }
  return true;
}

/** Returns every value inside a document with its path, starting with the document itself. */
function walk(args: Args, run: Run): Value {
  const found: Value[] = [];
  const visit = (path: readonly Value[], value: Value): void => {
    run.budget.spend(path.length + 1);
    found.push([path, value]);
    run.budget.collection(found.length);
    if (!isCollection(value)) return;
    if (isArray(value)) for (const [at, element] of value.entries()) visit([...path, at], element);
    else if (value instanceof RegoSet) for (const member of value.members()) visit([...path, member], member);
    else for (const [key, element] of value.pairs()) visit([...path, key], element);
  };
  visit([], valueAt(args, 0));
  return found;
}

function neighbours(graph: RegoObject, node: Value): readonly Value[] | null {
  const edges = graph.get(node);
  return edges === undefined ? null : (listOf(edges) ?? []);
}

function reachable(args: Args, run: Run): Value {
  const graph = objectAt(args, 0);
  const found = new RegoSet();
  const waiting = [...listAt(args, 1)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    run.budget.spend();
    const next = found.has(node) ? null : neighbours(graph, node);
    if (next === null) continue;
    found.add(node);
    run.budget.spend(next.length);
    waiting.push(...next);
  }
  return found;
}

/** Returns the paths from the roots to a node without edges, or to a node that closes a circle. */
function reachablePaths(args: Args, run: Run): Value {
  const graph = objectAt(args, 0);
  const found = new RegoSet();
  const put = (path: readonly Value[]) => {
    run.budget.spend(path.length);
    found.add(path);
    run.budget.collection(found.size);
  };
  const follow = (node: Value, before: readonly Value[], onPath: ReadonlySet<Key>): void => {
    run.budget.spend(before.length + 1);
    run.budget.nesting(before.length);
    const next = neighbours(graph, node);
    const path = next === null ? before : [...before, node];
    if (next === null || next.length === 0) put(path);
    const reached = new Set(onPath).add(keyOf(node));
    for (const neighbour of next ?? []) {
      if (reached.has(keyOf(neighbour))) put(path);
      else follow(neighbour, path, reached);
    }
  };
  for (const root of listAt(args, 1)) {
    const next = neighbours(graph, root);
    if (next?.length === 0) put([root]);
    for (const neighbour of next ?? []) follow(neighbour, [root], new Set([keyOf(root)]));
  }
  return found;
}
