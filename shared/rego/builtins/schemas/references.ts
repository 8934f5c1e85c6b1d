import { BuiltinError } from '../../errors.ts';
import { isArray, RegoObject, type Value } from '../../values/value.ts';
import { refusing } from '../operands.ts';

/**
 * Finds the part of a schema that a reference names: a JSON pointer (`#/definitions/a`) or the `$id` of a part.
 * @throws BuiltinError for a part that does not exist, and for another document, because none is fetched
 */
export function resolveReference(reference: string, root: RegoObject): Value {
  const [document = '', fragment = ''] = reference.split('#', 2);
  const base = document === '' || document === ownId(root)?.replace(/#$/, '') ? root : partWithId(document, root);
  if (base === undefined) throw new BuiltinError(`schema ${document.slice(0, 100)}: other documents are not supported`);
  if (fragment === '') return base;
  if (fragment.startsWith('/')) return atPointer(fragment, base);
  const named = partWithId(`#${fragment}`, root);
  if (named === undefined) throw new BuiltinError(`Object has no key '${fragment.slice(0, 100)}'`);
  return named;
}

function ownId(schema: RegoObject): string | undefined {
  const id = schema.get('$id') ?? schema.get('id');
  return typeof id === 'string' ? id : undefined;
}

/** Searches the whole schema. Reading it costs more than this search, once for each reference by name. */
function partWithId(id: string, part: Value): RegoObject | undefined {
  if (isArray(part)) return first(part, id);
  if (!(part instanceof RegoObject)) return undefined;
  if (ownId(part) === id) return part;
  return first(
    [...part.unordered()].map(([, value]) => value),
    id,
  );
}

function first(parts: readonly Value[], id: string): RegoObject | undefined {
  for (const part of parts) {
    const found = partWithId(id, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function atPointer(pointer: string, root: Value): Value {
  let here: Value | undefined = root;
  for (const step of pointer.slice(1).split('/')) {
    const decoded = refusing(URIError, 'reference has an invalid escape', () => decodeURIComponent(step));
    const name = decoded.replaceAll('~1', '/').replaceAll('~0', '~');
    here =
      here instanceof RegoObject
        ? here.get(name)
        : isArray(here) && /^\d+$/.test(name)
          ? here[Number(name)]
          : undefined;
    if (here === undefined) throw new BuiltinError(`Object has no key '${name.slice(0, 100)}'`);
  }
  return here;
}
