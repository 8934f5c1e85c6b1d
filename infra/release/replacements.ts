import { isDeepStrictEqual } from 'node:util';
import type { FixedResource } from './fixed-resources.ts';

/** What the next deployment does to a resource of the last release beyond an update in place. */
interface Replacement {
  id: string;
  stack: FixedResource['stack'];
  /** A sentence that names the resource, what happens to it, and why. */
  sentence: string;
}

/**
 * Compares the resources of the last release with those of the templates now.
 *
 * @returns every resource that the deployment replaces, removes or refuses to change, in the order of the release
 */
export function replacements(released: readonly FixedResource[], current: readonly FixedResource[]): Replacement[] {
  const now = new Map(current.map((resource) => [keyOf(resource), resource]));
  const reasons = new Map<string, string>();
  for (const before of released) {
    const reason = changeOf(before, now.get(keyOf(before)));
    if (reason !== undefined) reasons.set(keyOf(before), reason);
  }
  // A replaced resource gets a new physical id, which changes the properties that refer to it.
  for (let count = -1; count < reasons.size; ) {
    count = reasons.size;
    for (const before of released.filter((resource) => !reasons.has(keyOf(resource)))) {
      const reason = referenceOf(before, reasons);
      if (reason !== undefined) reasons.set(keyOf(before), reason);
    }
  }
  return released.flatMap((before) => {
    const reason = reasons.get(keyOf(before));
    const { stack, id, type } = before;
    return reason === undefined ? [] : [{ id, stack, sentence: `${id} (${type}, ${stack} stack) ${reason}` }];
  });
}

/** Logical ids are unique within a stack. */
const keyOf = ({ stack, id }: Pick<FixedResource, 'stack' | 'id'>): string => `${stack}/${id}`;

function changeOf(before: FixedResource, after: FixedResource | undefined): string | undefined {
  if (!after) {
    return before.retained
      ? 'leaves the stack and stays in the account: the template no longer has it.'
      : 'is deleted: the template no longer has it.';
  }
  if (after.type !== before.type) return `cannot be deployed: its type changes to ${after.type}.`;
  const names = new Set([...Object.keys(before.fixed), ...Object.keys(after.fixed)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(before.fixed[name], after.fixed[name]));
  if (changed.length === 0) return undefined;
  const changes = changed.map(
    (name) => `${name} changes from ${shown(before.fixed[name])} to ${shown(after.fixed[name])}`,
  );
  return replaced(before, changes.join(', '));
}

function referenceOf(before: FixedResource, reasons: ReadonlyMap<string, string>): string | undefined {
  for (const [name, value] of Object.entries(before.fixed)) {
    const target = referencesIn(value).find((id) => reasons.has(keyOf({ stack: before.stack, id })));
    if (target !== undefined) return replaced(before, `${name} refers to ${target}, which is replaced`);
  }
  return undefined;
}

const replaced = ({ retained }: FixedResource, why: string): string =>
  `is replaced${retained ? ', and the old resource stays in the account' : ''}: ${why}.`;

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Returns the logical ids that a value of a template refers to. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, argument]) => {
    if (name === 'Ref') return [String(argument)];
    // `Fn::GetAtt` takes the id of a resource and an attribute.
    if (name === 'Fn::GetAtt') return [String((argument as unknown[])[0])];
    return referencesIn(argument);
  });
}
