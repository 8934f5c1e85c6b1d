/** A cell of a table of values. */
export type CsvCell = string | number | null;

/** A cell that begins with one of these characters is taken for a formula by spreadsheets. */
const FORMULA = /^[=+\-@\t\r]/;

/** Writes a cell so that a spreadsheet shows it as text: an apostrophe stands before what looks like a formula. */
export function csvCell(value: CsvCell): string {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== (value ?? '') ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file of comma-separated values as RFC 4180 describes it. */
export const csvText = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
