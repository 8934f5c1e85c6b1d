import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { equal, isArray, type Key, keyOf, lookup, RegoObject, RegoSet, type Value } from '../values/value.ts';
import { type Args, arrayAt, listAt, objectAt, valueAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Functions that change documents by paths. */
export const JSON_PATHS: readonly Builtin[] = theme('json', [
  ['json.filter', ['object', 'array|set'], 'any', (args, run) => filtered(objectAt(args, 0), paths(args, run), run)],
  ['json.remove', ['object', 'array|set'], 'any', (args, run) => removed(objectAt(args, 0), paths(args, run), run)],
  ['json.patch', ['any', 'array'], 'any', patch],
]);

/** A tree of path segments. A leaf includes everything below it. */
interface Paths {
  readonly children: Map<Key, Paths>;
  leaf: boolean;
}

function paths(args: Args, run: Run): Paths {
  const root: Paths = { children: new Map(), leaf: false };
  for (const path of listAt(args, 1)) {
    let here = root;
    for (const segment of segments(path)) {
      run.budget.spend();
      const next: Paths = childAt(here, segment) ?? { children: new Map(), leaf: false };
      here.children.set(keyOf(segment), next);
      here = next;
    }
    here.leaf = true;
  }
  return root;
}

function childAt(tree: Paths, key: Value): Paths | undefined {
  return tree.children.get(keyOf(key));
}

/** Splits a path: an array, or a string with slashes in which `~1` and `~0` are escapes. */
function segments(path: Value): readonly Value[] {
  if (isArray(path)) return path;
  if (typeof path !== 'string') throw new BuiltinError('path must be a string or an array');
  const trimmed = path.replace(/^\/+/, '');
  if (trimmed === '' && !path.includes('/')) return [];
  return trimmed.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function filtered(value: Value, tree: Paths, run: Run): Value {
  run.budget.spend();
  if (tree.leaf) return value;
  if (value instanceof RegoObject) {
    const made = new RegoObject();
    for (const [key, member] of value.pairs()) {
      const next = childAt(tree, key);
      if (next !== undefined) made.set(key, filtered(member, next, run));
    }
    return made;
  }
  if (value instanceof RegoSet) {
    const kept = value.members().flatMap((member) => {
      const next = childAt(tree, member);
      return next === undefined ? [] : [filtered(member, next, run)];
    });
    return RegoSet.of(kept);
  }
  if (!isArray(value)) return value;
  return value.flatMap((element, at) => {
    const next = childAt(tree, String(at));
    return next === undefined ? [] : [filtered(element, next, run)];
  });
}

function removed(value: Value, tree: Paths, run: Run): Value {
  run.budget.spend();
  const keep = (key: Value, member: Value): Value | undefined => {
    const next = childAt(tree, key);
    if (next === undefined) return member;
    return next.leaf ? undefined : removed(member, next, run);
  };
  if (value instanceof RegoObject) {
    const made = new RegoObject();
    for (const [key, member] of value.pairs()) {
      const kept = keep(key, member);
      if (kept !== undefined) made.set(key, kept);
    }
    return made;
  }
  if (value instanceof RegoSet) {
    return RegoSet.of(value.members().flatMap((member) => keep(member, member) ?? []));
  }
  if (!isArray(value)) return value;
  const kept: Value[] = [];
  value.forEach((element, at) => {
    const one = keep(String(at), element);
    if (one !== undefined) kept.push(one);
  });
  return kept;
}

function patch(args: Args, run: Run): Value | undefined {
  let document: Value | undefined = valueAt(args, 0);
  for (const operation of arrayAt(args, 1)) {
    if (!(operation instanceof RegoObject)) throw new BuiltinError('a patch must be an object');
    const whole = operation.get('path');
    // After the whole document was removed, only a new whole document can be added.
    const restored = document === undefined && operation.get('op') === 'add' && whole === '';
    if (document === undefined && !restored) return undefined;
    document = patched(document ?? null, operation, run);
  }
  return document;
}

/** Applies one operation of RFC 6902. Returns undefined where a path does not exist or a test fails. */
function patched(document: Value, operation: RegoObject, run: Run): Value | undefined {
  const op = operation.get('op');
  const path = segments(required(operation, 'path'));
  run.budget.spend(path.length + 1);
  switch (op) {
    case 'add':
      return put(document, path, required(operation, 'value'), 'add', run);
    case 'replace':
      return put(document, path, required(operation, 'value'), 'replace', run);
    case 'remove':
      return put(document, path, null, 'remove', run);
    case 'test': {
      const found = at(document, path);
      return found !== undefined && equal(found, required(operation, 'value')) ? document : undefined;
    }
    case 'copy':
    case 'move': {
      const from = segments(required(operation, 'from'));
      const found = at(document, from);
      if (found === undefined) return undefined;
      const rest = op === 'move' ? put(document, from, null, 'remove', run) : document;
      return rest === undefined ? undefined : put(rest, path, found, 'add', run);
    }
    default:
      throw new BuiltinError(`unrecognized op ${typeof op === 'string' ? op : ''}`);
  }
}

function required(operation: RegoObject, name: string): Value {
  const value = operation.get(name);
  if (value === undefined) throw new BuiltinError(`missing "${name}" attribute`);
  return value;
}

function at(document: Value, path: readonly Value[]): Value | undefined {
  let here: Value | undefined = document;
  for (const segment of path) {
    if (here === undefined) return undefined;
    const index: Value | null = isArray(here) ? indexOf(segment) : segment;
    here = index === null ? undefined : lookup(here, index);
  }
  return here;
}

function indexOf(segment: Value): number | null {
  if (typeof segment === 'number') return segment;
  return typeof segment === 'string' && /^(0|[1-9]\d{0,9})$/.test(segment) ? Number(segment) : null;
}

type Change = 'add' | 'replace' | 'remove';

function put(document: Value, path: readonly Value[], value: Value, how: Change, run: Run): Value | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return how === 'remove' ? undefined : value;
  if (isArray(document)) return putIndex(document, segment, rest, value, how, run);
  if (document instanceof RegoSet) return putMember(document, segment, rest, value, how, run);
  if (!(document instanceof RegoObject)) return undefined;
  run.budget.spend(document.size);
  const old = document.get(segment);
  if (rest.length === 0 && how === 'remove') {
    if (old === undefined) return undefined;
    return RegoObject.of([...document.unordered()].filter(([key]) => !equal(key, segment)));
  }
  if (old === undefined && (rest.length > 0 || how === 'replace')) return undefined;
  const fresh = rest.length === 0 ? value : put(old ?? null, rest, value, how, run);
  if (fresh === undefined) return undefined;
  const made = RegoObject.of(document.unordered());
  made.set(segment, fresh);
  return made;
}

function putIndex(
  list: readonly Value[],
  segment: Value,
  rest: readonly Value[],
  value: Value,
  how: Change,
  run: Run,
): Value | undefined {
  run.budget.spend(list.length);
  const index = segment === '-' && how === 'add' && rest.length === 0 ? list.length : indexOf(segment);
  if (index === null || index < 0 || index > list.length) return undefined;
  if (rest.length === 0 && how === 'add') return list.toSpliced(index, 0, value);
  const old = list[index];
  if (old === undefined) return undefined;
  if (rest.length === 0) return how === 'remove' ? list.toSpliced(index, 1) : list.with(index, value);
  const fresh = put(old, rest, value, how, run);
  return fresh === undefined ? undefined : list.with(index, fresh);
}

/** Changes a set. A member is its own segment, so an added value must equal it, and no member can be replaced. */
function putMember(
  set: RegoSet,
  segment: Value,
  rest: readonly Value[],
  value: Value,
  how: Change,
  run: Run,
): Value | undefined {
  run.budget.spend(set.size);
  if (rest.length === 0 && how === 'add') {
    return equal(segment, value) ? RegoSet.of([...set.unordered(), value]) : undefined;
  }
  if (!set.has(segment) || how === 'replace') return undefined;
  const others = [...set.unordered()].filter((member) => !equal(member, segment));
  if (rest.length === 0) return RegoSet.of(others);
  const fresh = put(segment, rest, value, how, run);
  return fresh === undefined ? undefined : RegoSet.of([...others, fresh]);
}
