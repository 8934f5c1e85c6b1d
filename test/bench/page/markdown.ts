/** Tables of Markdown. The first column is aligned to the left, the others to the right. */

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(row)].join('\n');
