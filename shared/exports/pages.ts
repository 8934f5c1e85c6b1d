import type { ExportContext, ExportedFile } from './context.ts';
import type { Line } from './record-lines.ts';

/**
 * A place in a family of records, behind everything that was exported: a key of the family, and the last item of one of
 * the key's ranges. If the key is finished, `range` is above all its ranges.
 */
export interface Place {
  key: string;
  range: number;
  after: string | null;
}

export interface Page {
  lines: Line[];
  place: Place;
}

interface PageExtras {
  files?: ExportedFile[];
  /** Texts that are collected to files as lines are. */
  texts?: { file: string; text: string }[];
}

export interface Section<C = ExportContext> {
  name: string;
  /** Makes the pages behind a place; null stands for the beginning. */
  pages(context: C, place: Place | null): AsyncGenerator<Page & PageExtras>;
}
