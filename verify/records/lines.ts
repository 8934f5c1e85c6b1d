import * as z from 'zod';
import { fitting, parsed } from '#shared/log/rules/verify/json.ts';
import type { ExportFiles } from '../export-files.ts';
import { Fault } from '../fault.ts';
import type { Scope } from '../scope.ts';

export { fitting, parsed };

export interface Line {
  /** File and line, for faults. */
  place: string;
  item: string;
  record: unknown;
}

interface Counted {
  files: ExportFiles;
  scope: Scope;
}

/** The folders of texts and attachments, which have their SHA-256 as their names. */
export const OBJECTS = ['data/bodies', 'data/files'];

const LINE_FEED = 0x0a;

const Item = z.object({ item: z.string() });

/**
 * Reads the records of a family, file after file, each as a whole. The first reading of a file counts its lines.
 *
 * @throws Fault if a line cannot be read
 */
export async function* linesOf(counted: Counted, family: string): AsyncGenerator<Line> {
  const { files, scope } = counted;
  for (let number = 1; ; number += 1) {
    const path = `data/records/${family}-${String(number).padStart(4, '0')}.ndjson`;
    if (!files.facts.has(path)) return;
    const isFirst = scope.begins(path);
    for await (const { text, ...line } of linesOfFile(files, path)) {
      if (isFirst) countLine(counted, `${family}/${line.item}`, text);
      yield line;
    }
  }
}

/** Reads the records of a family with a schema. @param item absent: whatever they are @throws Fault as {@link linesOf} */
export async function* recordsOf<T>(
  counted: Counted,
  family: string,
  schema: z.ZodType<T>,
  item?: string,
): AsyncGenerator<[place: string, record: T], undefined> {
  for await (const line of linesOf(counted, family)) {
    if (item === undefined || line.item === item) yield [line.place, fitting(line.place, schema, line.record)];
  }
}

/** Counts a line, and notes the texts and attachments that it names. */
function countLine({ files, scope }: Counted, name: string, text: string): void {
  scope.line(name);
  for (const [, sha256 = ''] of text.matchAll(/"sha256":"([0-9a-f]{64})"/g)) {
    if (OBJECTS.some((folder) => files.facts.has(`${folder}/${sha256}`))) scope.names(sha256);
  }
}

async function* linesOfFile(files: ExportFiles, path: string): AsyncGenerator<Line & { text: string }> {
  const bytes = await files.read(path);
  if (bytes.at(-1) !== LINE_FEED) throw new Fault(path, 'the last line has no line feed at its end');
  // One text for each line: a text of the whole file would stay in memory for much longer than it is needed.
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const text = bytes.toString('utf8', start, end);
    start = end + 1;
    const place = `${path}: line ${line}`;
    const record = parsed(place, text);
    // Readers of JSON do not agree which of two members of the same name counts.
    if (JSON.stringify(record).length !== text.length) {
      throw new Fault(place, 'the line is not in the form of RFC 8785: it has spaces, or a member twice');
    }
    yield { place, record, text, item: fitting(place, Item, record).item };
  }
}

/** Counts the lines of all files that nobody has read. What is in them is not covered. @throws Fault */
export async function countOtherLines(counted: Counted): Promise<void> {
  const { files, scope } = counted;
  for (const path of files.facts.keys()) {
    if (!path.startsWith('data/records/')) continue;
    const [, family] = /^data\/records\/(.+)-\d{4}\.ndjson$/.exec(path) ?? [];
    if (family === undefined) throw new Fault(path, 'an export has no such file of records');
    if (!scope.begins(path)) continue;
    for await (const { item, text } of linesOfFile(files, path)) countLine(counted, `${family}/${item}`, text);
  }
}

/** A salt. Hashes need no check of their form, because they are compared as texts. */
export const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);
export const Commitments = z.record(z.string(), z.string());
export const LogIndex = z.int().min(0).optional();
/** An instant from which days and ids can be computed. */
export const Instant = z.int().min(0).brand<'Micros'>();
