/**
 * What is known of the lines of an export (rules/verification.md#scope):
 *
 * - `proved`: the line has its entry in the log, or a commitment of an entry covers the whole line
 * - `follows`: the verifier computed the line again from what is proved
 * - `erased`: the line lacks a text, and an entry of the log names the erasure
 * - `later`: the record came after the checkpoint
 */
export type Standing = 'proved' | 'follows' | 'erased' | 'later';

/** How a line stands of which nothing was erased. @param index of its entry in the log of the export */
export const standingAt = (index: number | undefined): Standing => (index === undefined ? 'later' : 'proved');

/** What was found of one kind of lines. The lines that stand nowhere are not covered. */
export interface ScopeRow {
  /** Family and kind of the lines: `policies/version`. */
  name: string;
  lines: number;
  proved: number;
  follows: number;
  erased: number;
  later: number;
  'not covered': number;
  /** What is compared of lines that are not covered as a whole. */
  note: string | undefined;
}

/** The columns that are outside of what is proved, with the words of the sentence. */
const OUTSIDE = [
  ['not covered', 'not covered'],
  ['erased', 'erased'],
  ['later', 'after the checkpoint'],
] as const;

/**
 * Counts the lines of an export, and how much of them is proved. A kind of lines that no part of the verifier knows is not
 * covered, so a new family is never taken for proved.
 */
export class Scope {
  readonly #lines = new Map<string, number>();
  readonly #stands = new Map<string, Record<Standing, number>>();
  readonly #notes = new Map<string, string>();
  readonly #counted = new Set<string>();
  readonly #objects = new Set<string>();

  /** Begins to count the lines of a file. @returns whether the file was not counted before */
  begins(path: string): boolean {
    const isFirst = !this.#counted.has(path);
    this.#counted.add(path);
    return isFirst;
  }

  /** Counts a line. @param name family and kind: `policies/version` */
  line(name: string): void {
    this.#lines.set(name, (this.#lines.get(name) ?? 0) + 1);
  }

  /** Notes that a line names a text or an attachment by its SHA-256 in hex. */
  names(sha256: string): void {
    this.#objects.add(sha256);
  }

  /** Whether a line names a text or an attachment. */
  isNamed(sha256: string): boolean {
    return this.#objects.has(sha256);
  }

  /** Says how one line stands. A line stands once at most; the caller sees to it. */
  stands(name: string, standing: Standing): void {
    const counts = this.#stands.get(name) ?? { proved: 0, follows: 0, erased: 0, later: 0 };
    counts[standing] += 1;
    this.#stands.set(name, counts);
  }

  /** Says what is compared of lines that are not covered as a whole, for readers of the result. */
  note(name: string, text: string): void {
    this.#notes.set(name, text);
  }

  rows(): ScopeRow[] {
    return [...this.#lines]
      .map(([name, lines]) => {
        const stands = this.#stands.get(name) ?? { proved: 0, follows: 0, erased: 0, later: 0 };
        const standing = Object.values(stands).reduce((sum, count) => sum + count, 0);
        if (standing > lines) throw new Error(`${standing} of ${lines} lines of ${name} were verified`);
        return { name, lines, ...stands, 'not covered': lines - standing, note: this.#notes.get(name) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns what is not proved, as parts of a sentence; empty if everything is proved or follows from what is proved. */
  exceptions(): string[] {
    const rows = this.rows();
    return OUTSIDE.flatMap(([column, words]) => {
      const outside = rows.filter((row) => row[column] > 0);
      if (outside.length === 0) return [];
      const names = outside.map((row) => `${row.name} (${row[column]})`);
      return [`${words}: ${names.join(', ')}`];
    });
  }
}

/** What was counted, in the order in which it is printed. */
export type Counts = Record<string, string | number>;

/** What was verified without a fault (rules/verification.md#outcome). */
export interface Verified {
  counts: Counts;
  /** How the lines of an export stand; empty for everything else. */
  scope: readonly ScopeRow[];
  /** What is not proved, as parts of a sentence. Empty if nothing is outside. */
  exceptions: readonly string[];
}
