import { hash } from 'node:crypto';
import { COVERED, type CoveredKind, isCovered } from '#shared/base/proofs/covered-lines.ts';
import type { Files } from './bag.ts';
import type { Change } from './change.ts';
import {
  type Found,
  isInDocument,
  type Json,
  type Replacement,
  replacementsOf,
  valueAt,
  valuesIn,
  withValue,
} from './json-changes.ts';
import { type ExportLine, type LineRecord, linesIn, textOf, withLines } from './lines.ts';

/** Lines of a kind of which each place is changed. They are the first and the last one that have the place. */
const LINES_OF_A_PLACE = 2;

/**
 * Derives single changes of the lines of an export from the lines alone.
 * @param chosen says which lines are changed; default: all kinds, with each place inside a line twice at most
 */
export function changesOfLines(files: Files, chosen: (line: ExportLine) => boolean = () => true): Change[] {
  const byKind = Map.groupBy(linesIn(files), ({ kind }) => kind);
  return [...byKind.values()].flatMap((all) => {
    const lines = all.filter(chosen);
    return [...ofValues(files, lines, all), ...ofPairs(files, lines, all), ...ofWholeLines(files, lines, all)];
  });
}

const lineChange = (files: Files, line: ExportLine, what: string, texts: readonly string[]): Change => ({
  what: `${what} in ${line.place}`,
  kind: line.kind,
  touched: [line.place],
  make: () => withLines(files, line.path, new Map([[line.index, texts]])),
});

interface FoundInLine extends Found {
  line: ExportLine;
}

const valuesOfLines = (lines: readonly ExportLine[]): Map<string, FoundInLine[]> =>
  Map.groupBy(
    lines.flatMap((line) => valuesIn(line.record).map((found) => ({ ...found, line }))),
    ({ path }) => path,
  );

/**
 * Returns the kinds of which an honest export has the same line twice. Such a line says nothing new.
 *
 * @param files an export that was made in many steps: a step does not know which lines earlier steps made
 */
export const repeatedKinds = (files: Files): Set<string> => {
  const seen = new Set<string>();
  return new Set(
    linesIn(files).flatMap(({ kind, record }) => {
      const text = textOf(record);
      if (seen.has(text)) return [kind];
      seen.add(text);
      return [];
    }),
  );
};

/** The first and the last ones. */
const ends = <T>(all: readonly T[]): T[] =>
  all.length <= LINES_OF_A_PLACE ? [...all] : [...all.slice(0, 1), ...all.slice(1 - LINES_OF_A_PLACE)];

/** Changes of each value inside of lines. */
function ofValues(files: Files, lines: readonly ExportLine[], all: readonly ExportLine[]): Change[] {
  const values = valuesOfLines(all);
  return [...valuesOfLines(lines)].flatMap(([path, found]) => {
    const others = (values.get(path) ?? []).map(({ value }) => value);
    return ends(found).flatMap(({ line, steps, value }, i) =>
      sampled(found, i, replacementsOf(value, others)).flatMap(([what, other]) => {
        const record = withValue(line.record, steps, other) as LineRecord;
        const text = textOf(record);
        const right = textOf(withRightDigests(record));
        const honest = textOf(line.record);
        const isRighted = right !== text && right !== honest;
        // A digest that is wrong shows by the change of the text itself.
        const isOnlyRighted = isRighted && found.some(isInDocument);
        return [
          ...(text === honest || isOnlyRighted ? [] : [lineChange(files, line, `${path} ${what}`, [text])]),
          ...(isRighted ? [lineChange(files, line, `${path} ${what}, with digest and size made right,`, [right])] : []),
        ];
      }),
    );
  });
}

/**
 * Chooses the changes of a value in the line `i` of those that are tried for its place. A value gets every change in the first line and
 * one change in each further line. The verifier compares some values only with a digest over all of them, which is another one after any
 * change. So such a value gets
 *
 * - one change inside a document, in the first line only;
 * - its removal and one other change in the first line, if its line {@link isCompared is compared as a whole}.
 *
 * The length of the path decides which change is the single one, so that different places get different changes.
 */
function sampled([first]: readonly FoundInLine[], i: number, replacements: readonly Replacement[]): Replacement[] {
  if (!first || (i > 0 && isInDocument(first))) return [];
  const single = replacements.slice(first.path.length % replacements.length).slice(0, 1);
  if (i > 0 || isInDocument(first)) return single;
  if (!isCompared(first)) return [...replacements];
  return [...new Set([...replacements.slice(0, 1), ...single])];
}

/**
 * Whether the audit log has a digest of the whole line, so that any change of the value gives another digest. A part of the key by which
 * the verifier finds the digest, and a part of a body, which has a digest of its own, are tried with every change.
 */
function isCompared({ line: { kind, record }, steps }: FoundInLine): boolean {
  if (!isCovered(kind)) return false;
  const { key, only, beginsUnsaid }: CoveredKind = COVERED[kind];
  if (only || beginsUnsaid || key.includes(String(steps[0]))) return false;
  const isOfBody = (value: Json | undefined): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && 'sha256' in value;
  return !steps.some((_, depth) => isOfBody(valueAt(record, steps.slice(0, depth + 1))));
}

/** A text stands beside its digest and its size. Nobody needs a key to make them right. */
function withRightDigests(record: LineRecord): LineRecord {
  return valuesIn(record).reduce<LineRecord>((made, { steps, value }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return made;
    const { text, sha256 } = value;
    if (typeof text !== 'string' || typeof sha256 !== 'string') return made;
    const right = { ...value, sha256: hash('sha256', text), size: Buffer.byteLength(text) };
    return withValue(made, steps, right) as LineRecord;
  }, record);
}

/** Exchanges of the values that two lines of a kind have at the same place. */
function ofPairs(files: Files, lines: readonly ExportLine[], all: readonly ExportLine[]): Change[] {
  const values = valuesOfLines(all);
  return [...valuesOfLines(lines)].flatMap(([path, found]) => {
    const [one] = found;
    // Both digests would be others, as after any change of one of the lines.
    if (one && isCompared(one)) return [];
    const other = values.get(path)?.find(({ line, value }) => line !== one?.line && differ(value, one?.value));
    if (!one || !other) return [];
    const [first, second] = [
      withValue(one.line.record, one.steps, other.value),
      withValue(other.line.record, other.steps, one.value),
    ];
    return [exchange(files, one.line, other.line, `${path} exchanged`, textOf(first ?? null), textOf(second ?? null))];
  });
}

const differ = (one: Json, other: Json | undefined): boolean => JSON.stringify(one) !== JSON.stringify(other);

function exchange(
  files: Files,
  one: ExportLine,
  other: ExportLine,
  what: string,
  first: string,
  second: string,
): Change {
  return {
    what: `${what} between ${one.place} and ${other.place}`,
    kind: one.kind,
    touched: [one.place, other.place],
    make: () =>
      withLines(
        withLines(files, one.path, new Map([[one.index, [first]]])),
        other.path,
        new Map([[other.index, [second]]]),
      ),
  };
}

/** Lines that are removed, added, repeated, exchanged, or said to be unreadable. */
function ofWholeLines(files: Files, lines: readonly ExportLine[], all: readonly ExportLine[]): Change[] {
  const added = (line: ExportLine, what: string, text: string): Change => ({
    what: `${what} like ${line.place}`,
    kind: line.kind,
    touched: [],
    make: () => withLines(files, line.path, new Map(), [text]),
  });
  const [first] = lines;
  const other = all.find((line) => line !== first && differ(line.record, first?.record));
  const identities = identityOf(all);
  return [
    ...lines.map((line) => lineChange(files, line, 'the line removed', [])),
    ...ends(lines).flatMap((line) => [
      { ...added(line, 'a second line', textOf(line.record)), isRepeat: true },
      lineChange(files, line, 'the line said to be unreadable', [
        textOf({ item: line.record['item'] ?? null, unreadable: true, key: 'x' }),
      ]),
      ...withNewIdentity(line.record, identities).map((copy) => added(line, 'a line with another id', textOf(copy))),
    ]),
    ...lines.slice(0, 1).flatMap((line) =>
      valuesIn(line.record)
        .filter(({ steps }) => steps.length === 1)
        .flatMap(({ steps, path, value }) =>
          replacementsOf(value, [])
            .slice(-1)
            .map(([, changed]) =>
              added(line, `a line with another ${path}`, textOf(withValue(line.record, steps, changed) ?? null)),
            ),
        ),
    ),
    ...(first && other
      ? [exchange(files, first, other, 'the lines exchanged', textOf(other.record), textOf(first.record))]
      : []),
    ...(first ? repeatedMembers(files, first) : []),
  ];
}

/** Members of which each line of the kind has another value. */
function identityOf(all: readonly ExportLine[]): string[] {
  const names = Object.keys(all[0]?.record ?? {});
  return names.filter((name) => {
    const values = new Set(all.map(({ record }) => JSON.stringify(record[name])));
    return values.size === all.length;
  });
}

function withNewIdentity(record: LineRecord, names: readonly string[]): LineRecord[] {
  const changed = names
    .filter((name) => typeof record[name] === 'string' || typeof record[name] === 'number')
    .map((name): [string, Json] => {
      const value = record[name] ?? null;
      return [name, replacementsOf(value, []).find(([what]) => /^changed|^counted/.test(what))?.[1] ?? value];
    });
  return changed.length === 0 ? [] : [{ ...record, ...Object.fromEntries(changed) }];
}

/**
 * A member that stands twice: readers of JSON take one of them, and not all take the same. The verifier compares the length of a line
 * before it reads a member, so the first and the last member stand for all.
 */
const repeatedMembers = (files: Files, line: ExportLine): Change[] =>
  ends(Object.entries(line.record)).map(([name, value]) => {
    const [, other = null] = replacementsOf(value, []).at(-1) ?? [];
    const text = `{${JSON.stringify(name)}:${JSON.stringify(other)},${textOf(line.record).slice(1)}`;
    return lineChange(files, line, `.${name} given twice`, [text]);
  });
