import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import type { Files } from './bag.ts';
import type { Json } from './json-changes.ts';

export type LineRecord = { [name: string]: Json };

/** A line of the records of an export. */
export interface ExportLine {
  /** File and number of the line, as faults name them. */
  place: string;
  path: string;
  /** From 0 on. */
  index: number;
  /** Family and kind: `policies/version`. */
  kind: string;
  record: LineRecord;
}

const RECORDS = /^data\/records\/(.+)-\d{4}\.ndjson$/;

/** Reads all lines of the records of an export. */
export function linesIn(files: Files): ExportLine[] {
  return [...files].flatMap(([path, bytes]) => {
    const [, family] = RECORDS.exec(path) ?? [];
    if (family === undefined) return [];
    return textsOf(bytes).map((text, index) => {
      const record = JSON.parse(text) as LineRecord;
      return { place: `${path}: line ${index + 1}`, path, index, kind: `${family}/${String(record['item'])}`, record };
    });
  });
}

const textsOf = (bytes: Buffer): string[] => bytes.toString('utf8').split('\n').slice(0, -1);

/** Returns the text of a line as an export has it. */
export const textOf = (record: Json): string => canonicalJson(record);

/**
 * Replaces lines of one file.
 * @param changed texts by the number of the line; an empty list removes the line
 * @param added lines after the last one
 */
export function withLines(
  files: Files,
  path: string,
  changed: ReadonlyMap<number, readonly string[]>,
  added: readonly string[] = [],
): Files {
  const texts = [...textsOf(files.get(path) ?? Buffer.of()).flatMap((text, i) => changed.get(i) ?? [text]), ...added];
  // An export has no empty files of records.
  if (texts.length === 0) return new Map([...files].filter(([one]) => one !== path));
  return new Map([...files, [path, Buffer.from(texts.map((text) => `${text}\n`).join(''))]]);
}
