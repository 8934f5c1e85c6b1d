import type { Files } from './bag.ts';
import type { Change } from './change.ts';
import { type ExportLine, linesIn, textOf, withLines } from './lines.ts';

/** Whether a line says that something in it was erased. */
export const saysErased = ({ record }: ExportLine): boolean => /"erased":(?!null)/.test(textOf(record));

/**
 * Derives the changes that mark a record as erased as the service itself does it, without the entry of the erasure.
 *
 * @param before an export in which nothing is erased
 * @param after an export of the same organization after the operator erased a record of each kind
 */
export function erasureChanges(before: Files, after: Files): Change[] {
  const originals = linesIn(before);
  return linesIn(after).flatMap((erased) => {
    const line = saysErased(erased) ? closest(originals, erased) : undefined;
    if (!line || saysErased(line)) return [];
    const make = () => {
      const texts = withLines(before, line.path, new Map([[line.index, [textOf(erased.record)]]]));
      const gone = [...before.keys()].filter((path) => isObject(path) && !after.has(path) && names(line, path));
      return new Map([...texts].filter(([path]) => !gone.includes(path)));
    };
    return [{ what: `marked as erased: ${line.place}`, kind: line.kind, touched: [line.place], make }];
  });
}

const isObject = (path: string): boolean => /^data\/(?:bodies|files)\//.test(path);
const names = ({ record }: ExportLine, path: string): boolean =>
  textOf(record).includes(path.split('/').at(-1) ?? path);

/** Returns the line of the same kind with the most equal members. */
function closest(lines: readonly ExportLine[], { kind, record }: ExportLine): ExportLine | undefined {
  const equal = (line: ExportLine) =>
    Object.entries(record).filter(([name, value]) => textOf(line.record[name] ?? null) === textOf(value)).length;
  return lines.filter((line) => line.kind === kind).toSorted((a, b) => equal(b) - equal(a))[0];
}
