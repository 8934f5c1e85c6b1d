import { diffArrays } from 'diff';
import { count } from './words.ts';

/** A line of two versions side by side. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Number of the line in the older and in the newer text; null where it is not part of one. */
  before: number | null;
  after: number | null;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** The lines of two texts, in the order in which they are read. */
export function diffLines(older: string, newer: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  for (const { value, added, removed } of diffArrays(linesOf(older), linesOf(newer))) {
    for (const text of value) {
      if (!added) before += 1;
      if (!removed) after += 1;
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      lines.push({ kind, text, before: added ? null : before, after: removed ? null : after });
    }
  }
  return lines;
}

const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');

/** Leaves out what is far from every change. `null` stands for lines that were left out. */
export function nearChanges(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const near = lines.map((_, n) =>
    lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (DiffLine | null)[] = [];
  for (const [n, line] of lines.entries()) {
    if (near[n]) shown.push(line);
    else if (shown.length === 0 || shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}

export function changeText(lines: readonly DiffLine[]): string {
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  return added + removed === 0 ? 'The texts are the same.' : `${count(added, 'line')} added, ${removed} removed.`;
}
