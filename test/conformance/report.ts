import type { Result, Run } from './conformance.ts';

/** Characters of a wanted or given value that are printed. */
const MAX_VALUE = 2000;

const COLUMNS = ['run', 'passed', 'failed', 'unsupported', 'known'] as const;
type Column = (typeof COLUMNS)[number];
type Counts = Record<Column, number>;

/** The lines that the command prints about a run: every difference, what is unsupported, and the counts by class. */
export function report({ results, stale }: Run): string[] {
  return [
    ...results.flatMap(difference),
    ...listed('Unsupported features, with the number of cases that use them:', features(results)),
    ...listed('Known differences, with the number of cases:', reasons(results)),
    ...listed('Known differences that did not show. Remove them from the list:', stale),
    ...table(results),
  ];
}

function difference({ id, outcome }: Result): string[] {
  if (outcome.status !== 'failed') return [];
  return [`failed: ${id}`, `  wanted: ${short(outcome.wanted)}`, `  got:    ${short(outcome.got)}`, ''];
}

function short(text: string): string {
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… (${text.length} characters)`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}

function features(results: readonly Result[]): string[] {
  return counted(results.flatMap(({ outcome }) => (outcome.status === 'unsupported' ? [outcome.feature] : [])));
}

function reasons(results: readonly Result[]): string[] {
  return counted(results.flatMap(({ outcome }) => (outcome.status === 'known' ? [outcome.reason] : [])));
}

function counted(texts: readonly string[]): string[] {
  const groups = Map.groupBy(texts, (text) => text);
  return [...groups].map(([text, all]) => `${text}: ${all.length}`).sort();
}

function table(results: readonly Result[]): string[] {
  const groups = Map.groupBy(results, ({ group }) => group);
  const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([group, all]) => [group, count(all)] as const);
  const width = Math.max('class'.length, ...rows.map(([group]) => group.length));
  const line = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(11)).join('  ')}`;
  const cells = (counts: Counts) => COLUMNS.map((column) => counts[column]);
  return [
    line('class', COLUMNS),
    ...rows.map(([group, counts]) => line(group, cells(counts))),
    line('all', cells(count(results))),
  ];
}

function count(results: readonly Result[]): Counts {
  const counts: Counts = { run: results.length, passed: 0, failed: 0, unsupported: 0, known: 0 };
  for (const { outcome } of results) counts[outcome.status] += 1;
  return counts;
}
