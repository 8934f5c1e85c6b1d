import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromMillis, micros } from '#shared/base/time.ts';
import { PLACES, placesLeft } from '#shared/exports/rules/erasure-places.ts';

it('the places that an erasure does not reach are those of the page', () => {
  const page = readFileSync('docs/rules/erasure.md', 'utf8').split('### Places that no command reaches')[1] ?? '';
  const rows = [...(page.split('\n### ')[0] ?? '').matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell);
  expect(rows.slice(1)).toEqual(PLACES.map(({ what }) => what));
});

it('each place has what removes the copy, and a time where there is one', () => {
  const places = placesLeft('attachment', fromMillis(Date.UTC(2026, 10, 23)));
  expect(places).toHaveLength(PLACES.length - 1);
  expect(places.slice(0, 3)).toEqual([
    'the stream of the table: removed by the database, until 2026-11-24T00:00:00.000Z',
    'files in `uploads/`: removed by the bucket, until 2026-11-29T00:00:00.000Z',
    'backups of the table: removed by the database, until 2026-12-28T00:00:00.000Z',
  ]);
  expect(placesLeft('flow', micros(0))).toContain(
    'earlier facts of the flow that were too large for the table: removed by nobody',
  );
});
