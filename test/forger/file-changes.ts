import { hash } from 'node:crypto';
import { type Files, TAG_FILES } from './bag.ts';
import type { Change } from './change.ts';
import { type Json, replacementsOf, valuesIn, withValue } from './json-changes.ts';
import { linesIn } from './lines.ts';

/** What kind of file a path is, by its folder: `data/log`, `data/README.md`, `bag-info.txt`. */
const kindOf = (path: string): string => path.split('/').slice(0, 2).join('/');

const isOfRecords = (path: string): boolean => path.startsWith('data/records/');

/** Derives single changes of the files of an export: of whole files, of their bytes, lines and JSON values. */
export function changesOfFiles(files: Files): Change[] {
  const paths = [...files.keys()];
  return [
    ...paths.flatMap((path) => [...ofWholeFile(files, path), ...ofBytes(files, path)]),
    ...paths
      .filter((path) => !isOfRecords(path))
      .flatMap((path) => [...ofTextLines(files, path), ...ofJson(files, path)]),
    ...exchanged(files),
    ...renamed(files),
    ...addedFiles(files),
  ];
}

interface Making {
  isUnsealed?: boolean;
  /** Default: the path, if the manifest is made right. */
  touched?: readonly string[];
}

const fileChange = (
  path: string,
  what: string,
  make: () => Files,
  { isUnsealed = false, touched = isUnsealed ? [] : [path] }: Making = {},
): Change => ({ what: `${path} ${what}`, kind: kindOf(path), touched, isUnsealed, make });

/** Places of the lines of a file of records, or of the lines that name a text or an attachment by its digest. Else the path. */
function touchedWith(files: Files, path: string): string[] {
  const [, digest] = OBJECT.exec(path) ?? [];
  const lines = linesIn(files).filter(
    (line) => line.path === path || (digest !== undefined && JSON.stringify(line.record).includes(digest)),
  );
  return lines.length === 0 ? [path] : lines.map(({ place }) => place);
}

const OBJECT = /^data\/(?:bodies|files)\/([0-9a-f]{64})$/;

const replaced = (files: Files, path: string, content: Buffer): Files => new Map([...files, [path, content]]);
const without = (files: Files, path: string): Files => new Map([...files].filter(([one]) => one !== path));

const isTagFile = (path: string): boolean => TAG_FILES.includes(path);

const UNSEALED = { isUnsealed: true };

function ofWholeFile(files: Files, path: string): Change[] {
  const empty = Buffer.of();
  const touched = touchedWith(files, path);
  return [
    // A sealed export has its tag files.
    ...(isTagFile(path) ? [] : [fileChange(path, 'removed', () => without(files, path), { touched })]),
    fileChange(path, 'removed, the manifest left', () => without(files, path), UNSEALED),
    fileChange(path, 'emptied', () => replaced(files, path, empty), { touched }),
    fileChange(path, 'emptied, the manifest left', () => replaced(files, path, empty), UNSEALED),
  ];
}

/** Changes of single bytes: first, middle, last; and a file that is longer or shorter. */
function ofBytes(files: Files, path: string): Change[] {
  const bytes = files.get(path) ?? Buffer.of();
  const places = [...new Set([0, bytes.length >> 1, bytes.length - 1])].filter((place) => place >= 0);
  const flip = (place: number) => {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((changed[place] ?? 0) ^ 1, place);
    return replaced(files, path, changed);
  };
  return [
    // The values of lines are changed one by one.
    ...(isOfRecords(path)
      ? []
      : places.map((place) => fileChange(path, `changed in byte ${place}`, () => flip(place)))),
    ...places.map((place) =>
      fileChange(path, `changed in byte ${place}, the manifest left`, () => flip(place), UNSEALED),
    ),
    fileChange(path, 'cut by a byte', () => replaced(files, path, bytes.subarray(0, -1))),
    fileChange(path, 'made longer by a byte', () => replaced(files, path, Buffer.concat([bytes, Buffer.from('x')]))),
  ];
}

/** Lines of a text that are removed and repeated. */
const MOST_LINES = 10;

/** Changes of the lines of a text: the first ones removed and repeated, each changed at its end; the first two exchanged. */
function ofTextLines(files: Files, path: string): Change[] {
  const text = String(files.get(path));
  if (!/^[\n\r\t\x20-\x7e\u2014]+$/.test(text)) return [];
  const lines = text.split('\n').slice(0, -1);
  const with_ = (changed: string[]) => replaced(files, path, Buffer.from(changed.map((one) => `${one}\n`).join('')));
  const of = (i: number, what: string, ...instead: string[]) =>
    fileChange(path, `line ${i + 1} ${what}`, () => with_(lines.toSpliced(i, 1, ...instead)));
  const [first = '', second = ''] = lines;
  return [
    ...lines.flatMap((line, i) => (i < MOST_LINES ? [of(i, 'removed'), of(i, 'repeated', line, line)] : [])),
    ...lines.flatMap((line, i) => (line === '' ? [] : [of(i, 'changed', `${line}x`)])),
    ...(lines.length > 1 && first !== second
      ? [fileChange(path, 'lines 1 and 2 exchanged', () => with_([second, first, ...lines.slice(2)]))]
      : []),
  ];
}

/** Changes of the values of JSON files, and of files with a JSON document in each line. */
function ofJson(files: Files, path: string): Change[] {
  if (!/\.jsonl?$/.test(path)) return [];
  const text = String(files.get(path));
  // A file of lines has a document in each of them.
  const texts = path.endsWith('l') ? text.split('\n') : [text];
  return texts.flatMap((one, line) => {
    if (one === '') return [];
    const document = JSON.parse(one) as Json;
    const seen = new Set<string>();
    return valuesIn(document)
      .filter((found) => !seen.has(found.path) && seen.add(found.path))
      .flatMap(({ steps, path: place, value }) =>
        replacementsOf(value, []).map(([what, other]) => {
          const changed = JSON.stringify(withValue(document, steps, other));
          return fileChange(path, `${place} ${what}`, () =>
            replaced(files, path, Buffer.from(texts.toSpliced(line, 1, changed).join('\n'))),
          );
        }),
      );
  });
}

/** Exchanges of the contents of two files of a folder. */
const exchanged = (files: Files): Change[] =>
  [...Map.groupBy(files.keys(), (path) => path.replace(/[^/]+$/, ''))].flatMap(([folder, [one, other]]) => {
    const [first, second] = [files.get(one ?? ''), files.get(other ?? '')];
    if (folder === '' || !one || !other || !first || !second || first.equals(second)) return [];
    const make = () => new Map([...files, [one, second], [other, first]]);
    const touched = [...touchedWith(files, one), ...touchedWith(files, other)];
    return [
      fileChange(one, `exchanged with ${other}`, make, { touched }),
      fileChange(one, `exchanged with ${other}, the manifest left`, make, UNSEALED),
    ];
  });

/** Texts and attachments with another content, under its own digest, which then stands in every line that named the old one. */
const renamed = (files: Files): Change[] =>
  [...files].flatMap(([path, bytes]) => {
    const [, digest] = OBJECT.exec(path) ?? [];
    if (digest === undefined) return [];
    const changed = Buffer.from(bytes);
    changed.writeUInt8((changed[0] ?? 0) ^ 1, 0);
    const own = hash('sha256', changed);
    const make = () =>
      new Map(
        [...files].map(([one, content]) => {
          if (one === path) return [path.replace(digest, own), changed];
          if (!isOfRecords(one) || !content.includes(digest)) return [one, content];
          return [one, Buffer.from(String(content).replaceAll(digest, own))];
        }),
      );
    return [fileChange(path, 'replaced, with its digest in all lines,', make, { touched: touchedWith(files, path) })];
  });

/** A file more in each folder, and the tag files that other bags have. */
function addedFiles(files: Files): Change[] {
  const folders = new Set([...files.keys()].map((path) => path.replace(/[^/]+$/, '')));
  const content = Buffer.from('added\n');
  const own = hash('sha256', content);
  const names = [...folders].flatMap((folder) => [`${folder}added.txt`, folder + own]);
  const others = ['tagmanifest-sha512.txt', 'manifest-sha512.txt', 'fetch.txt', 'data/records/added-0001.ndjson'];
  return [...names, ...others].flatMap((path) => [
    fileChange(path, 'added', () => replaced(files, path, content)),
    fileChange(path, 'added, the manifest left', () => replaced(files, path, content), UNSEALED),
  ]);
}
