import type { Component, ComponentsRead } from './component.ts';
import { ComponentSet } from './read/component-set.ts';

/** Returns the text of a set: equal sets are equal texts. */
export const listText = (components: readonly Component[]): string => JSON.stringify(components);

/**
 * Joins the SBOMs of one attestation to one set (rules/components.md#which-files-are-read).
 * @throws SbomUnreadable if the set would have more than 50,000 components
 */
export function joinSboms(all: readonly [ComponentsRead, ...ComponentsRead[]]): ComponentsRead {
  const [first, ...others] = all;
  if (others.length === 0) return first;
  const set = new ComponentSet();
  for (const component of all.flatMap(({ components }) => components)) {
    set.add({ ...component, digests: Object.entries(component.digests) });
  }
  return set.read([...new Set(all.map(({ format }) => format))].toSorted().join(', '));
}
