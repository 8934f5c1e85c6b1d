import { table } from './markdown.ts';

/** The figures of the README, which are taken from the page of the benchmarks. */

const BEGIN = '<!-- figures of docs/benchmarks.md: begin -->';
const END = '<!-- figures of docs/benchmarks.md: end -->';

/** The rows of a section's table, by the heads of its columns. */
type Row = ReadonlyMap<string, string>;

/** A figure and where the page has it. A figure is left out if the page has no such section. */
interface Figure {
  question: string;
  section: string;
  /** @throws Error if the section does not have the figure */
  read: (rows: readonly Row[]) => string;
}

const bare = (cell: string): string => cell.replaceAll('*', '');

function cell(rows: readonly Row[], label: string, column: string): string {
  const row = rows.find((one) => bare([...one.values()][0] ?? '') === label && one.has(column));
  const found = row?.get(column);
  if (found === undefined) throw new Error(`No table has a row '${label}' with a column '${column}'`);
  return bare(found);
}

/** The rows whose table has a column. @throws Error if there is no such row */
function rowsWith(rows: readonly Row[], column: string): Row[] {
  const found = rows.filter((row) => row.has(column));
  if (found.length === 0) throw new Error(`No table has a column '${column}'`);
  return found;
}

const FIGURES: readonly Figure[] = [
  {
    question: 'A million attestations, with everything that they cause',
    section: 'Cost of operations',
    read: (rows) => `$ ${cell(rows, 'attestation', 'together $')}`,
  },
  ...['10 developers', '300 developers', '5,000 developers'].map((name) => ({
    question: `A month for ${name}`,
    section: "A month's bill",
    read: (rows: readonly Row[]) => `$ ${cell(rows, 'Together', name)}`,
  })),
  {
    question: 'A month of one region without any request',
    section: "A month's bill",
    read: (rows) => `$ ${cell(rows, 'What runs without any request', '300 developers')}`,
  },
  {
    question: 'AWS calls of the list of artifacts',
    section: 'As a client sees it',
    read: (rows) => cell(rows, 'list artifacts, page 1', 'AWS calls'),
  },
  {
    question: 'Webhook after an attestation, at 100 writes per second, median and 99th percentile',
    section: 'The whole way',
    read: (rows) =>
      `${cell(rows, 'webhook at its target', '100 per second: median')} and ${cell(rows, 'webhook at its target', '100 per second: 99th percentile')} ms`,
  },
  {
    question: 'Requests that need no more calls and units as one kind of record grows',
    section: 'Growth',
    read: (rows) => {
      const verdicts = rowsWith(rows, 'verdict').map((row) => row.get('verdict'));
      return `${verdicts.filter((verdict) => verdict === 'equal').length} of ${verdicts.length}`;
    },
  },
];

/** Returns the figures of the page as a table of Markdown. */
export function readmeFigures(page: string): string {
  const sections = sectionsOf(page);
  const rows = FIGURES.flatMap(({ question, section, read }) => {
    const text = sections.get(section);
    return text === undefined ? [] : [[`[${question}](docs/benchmarks.md#${anchorOf(section)})`, read(rowsOf(text))]];
  });
  return table(['What', 'Figure'], rows);
}

/** Returns the README with the figures of the page. @throws Error if the README has no place for them */
export function withFigures(readme: string, page: string): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The README has no lines '${BEGIN}' and '${END}'`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${readmeFigures(page)}\n\n${readme.slice(end)}`;
}

const sectionsOf = (page: string): Map<string, string> =>
  new Map(
    page.split(/^## /m).map((section): [string, string] => {
      const [title = ''] = section.split('\n', 1);
      return [title, section];
    }),
  );

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Reads the rows of all tables of a section. */
function rowsOf(section: string): Row[] {
  const cellsOf = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((text) => text.trim());
  const blocks = section.split(/\n\n+/).filter((block) => block.startsWith('|'));
  return blocks.flatMap((block) => {
    const [head = '', , ...lines] = block.trim().split('\n');
    const columns = cellsOf(head);
    return lines.map((line) => new Map(cellsOf(line).map((text, i) => [columns[i] ?? '', text])));
  });
}
