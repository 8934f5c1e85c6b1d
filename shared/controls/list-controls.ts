import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { type Control, findControlsByTags, readControls, type UnreadableControl } from './records/controls.ts';
import { CONTROLS } from './rules/series-kinds.ts';

export type { Control };

/** Which controls are listed, and which page of them. */
interface ControlSelection {
  /** Text that name or identifier contain, in any case. */
  text: string;
  /** `key` or `key:value`; a control has all of them. */
  tags: readonly string[];
  isArchived: boolean;
  direction: 'asc' | 'desc';
  /** From 1. */
  page: number;
  perPage: number;
}

/** A control of a list. A record that cannot be read has only its identifier and its name. */
type ListedControl = Control | (UnreadableControl & { name: string });

/** Lists a page of controls, sorted by name (rules/controls.md#list-of-controls), and counts those that are selected. */
export async function listControls(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  { text, tags, isArchived, direction, page, perPage }: ControlSelection,
): Promise<{ total: number; controls: ListedControl[] }> {
  const [catalogue, tagged] = await Promise.all([
    readCatalogue(table, org.id, CONTROLS),
    findControlsByTags(table, org.id, tags),
  ]);
  const contained = text.toLowerCase();
  const wanted = [...catalogue.values()]
    .filter(({ id, entry }) => (entry['a'] === true) === isArchived && tagged.every((ids) => ids.has(id)))
    .map(({ entry }) => ({ name: String(entry['n']), identifier: String(entry['i']) }))
    .filter(({ name, identifier }) => [name, identifier].some((word) => word.toLowerCase().includes(contained)))
    .sort(byName);
  if (direction === 'desc') wanted.reverse();
  const shown = wanted.slice((page - 1) * perPage, page * perPage);
  const names = new Map(shown.map(({ identifier, name }) => [identifier, name]));
  const read = await readControls(table, objects, org.id, [...names.keys()]);
  const controls = read.map((control) =>
    'unreadable' in control ? { ...control, name: names.get(control.identifier) ?? '' } : control,
  );
  return { total: wanted.length, controls };
}

/** Compares by name, then by identifier, because several controls may have the same name. */
const byName = (one: { name: string; identifier: string }, other: { name: string; identifier: string }): number => {
  const [left, right] = [`${one.name}\n${one.identifier}`, `${other.name}\n${other.identifier}`];
  return left < right ? -1 : 1;
};
