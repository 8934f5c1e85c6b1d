import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Each page of docs/decisions has a title, a date and a status in one form, and the index has them all. */

const FOLDER = fileURLToPath(new URL('../../docs/decisions/', import.meta.url));
const textOf = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');

const HEAD =
  /^# (?<number>\d{4}): (?<title>[^\n]+)\n\n- Date: (?<date>\d{4}-\d{2}-\d{2})\n- Status: (?<status>[^\n]+)\n(?:- Joined: (?<joined>\d{4}(?:, \d{4})*)\n)?\n/;
const STATUS = /^(?:accepted|superseded by \[\d{4}\]\((?<by>[\w-]+\.md)\))$/;

const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const pages = files.map((file) => ({ file, head: HEAD.exec(textOf(file))?.groups }));
const index = textOf('README.md');

/** The rows of a table of the index, without its head. */
const rowsBelow = (heading: string): string[] =>
  (index.split(`${heading}\n`)[1] ?? '').split(/^#/m)[0]?.match(/^\| \[?\d{4}.*$/gm) ?? [];

describe('a decision', () => {
  it('begins with number, title, date and status', () => {
    expect(pages.filter(({ head }) => head === undefined).map(({ file }) => file)).toEqual([]);
    expect(pages.length).toBeGreaterThan(30);
  });

  it('has the number of its file', () => {
    expect(pages.filter(({ file, head }) => !file.startsWith(`${head?.['number']}-`)).map(({ file }) => file)).toEqual(
      [],
    );
  });

  it('has a date that exists', () => {
    const isDate = (text = '') => new Date(text).toJSON()?.startsWith(text);
    expect(pages.filter(({ head }) => !isDate(head?.['date'])).map(({ file }) => file)).toEqual([]);
  });

  it('is accepted, or names the page that replaces it', () => {
    const wrong = pages.filter(({ head }) => {
      const match = STATUS.exec(head?.['status'] ?? '');
      return !match || (match.groups?.['by'] !== undefined && !files.includes(match.groups['by']));
    });
    expect(wrong.map(({ file, head }) => `${file}: ${head?.['status']}`)).toEqual([]);
  });

  it('has a number that no other page has or had', () => {
    const numbers = pages.flatMap(({ head }) => [head?.['number'], ...(head?.['joined']?.split(', ') ?? [])]);
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('has a row for each page, with title, date and status', () => {
    const expected = pages.map(
      ({ file, head }) =>
        `| [${head?.['number']}](${file}) | ${head?.['title']} | ${head?.['date']} | ${head?.['status']} |`,
    );
    expect(rowsBelow('# Decisions')).toEqual(expected.toSorted());
  });

  it('says where each joined decision is', () => {
    const expected = pages.flatMap(({ file, head }) =>
      (head?.['joined']?.split(', ') ?? []).map((number) => `| ${number} | [${head?.['number']}](${file}) |`),
    );
    expect(rowsBelow('## Joined pages')).toEqual(expected.toSorted());
  });
});
