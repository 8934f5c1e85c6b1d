import { inParallel } from '#shared/base/parallel.ts';
import type { Item } from '#shared/table/table.ts';
import type { Restoring } from './restored.ts';
import type { ImportLine } from './source.ts';

/** How the lines of a family of an export become items of the table. */
export interface ImportFamily {
  name: string;
  /** The kinds of lines that it understands, by the member `item`. An export with another kind is refused. */
  kinds: readonly string[];
  /** Yields the items to put. The same export gives the same keys each time. */
  items(restoring: Restoring): AsyncIterable<readonly Item[]>;
}

type Items = readonly Item[] | Promise<readonly Item[]>;

/** Lines whose texts are stored at the same time. */
const WIDTH = 8;
const LINES_AT_ONCE = 200;

/** A family each of whose lines stands alone. @param kinds returns the items of a line, by the kind of the line */
export const lineFamily = (
  name: string,
  kinds: Readonly<Record<string, (restoring: Restoring, line: ImportLine) => Items>>,
): ImportFamily => ({
  name,
  kinds: Object.keys(kinds),
  async *items(restoring) {
    for await (const lines of portions(restoring.source.lines(name))) {
      const made = await inParallel(lines, WIDTH, async (line) => kinds[String(line['item'])]?.(restoring, line) ?? []);
      yield made.flat();
    }
  },
});

async function* portions(lines: AsyncIterable<ImportLine>): AsyncGenerator<ImportLine[]> {
  let portion: ImportLine[] = [];
  for await (const line of lines) {
    portion.push(line);
    if (portion.length < LINES_AT_ONCE) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}

/** Yields the lines of a family in groups: successive lines for which `groupOf` gives the same text. */
export async function* groups(
  lines: AsyncIterable<ImportLine>,
  groupOf: (line: ImportLine) => string,
): AsyncGenerator<ImportLine[]> {
  let group: ImportLine[] = [];
  let of: string | undefined;
  for await (const line of lines) {
    if (of !== undefined && groupOf(line) !== of) {
      yield group;
      group = [];
    }
    of = groupOf(line);
    group.push(line);
  }
  if (group.length > 0) yield group;
}
