import { expect, it } from 'vitest';
import { bagInfo } from '#shared/exports/rules/bag-texts.ts';

const log = { origin: 'acme.example', size: 7, root: 'ab'.repeat(32), witnesses: [], coversStart: true };
const record = { name: 'acme', started: 1_795_000_000_000_000, log };
const counts = { files: 2, payload: 30 };
const lines = (text: string) => text.trimEnd().split('\n');

it('bag-info.txt names the release that pinned the export, at its end', () => {
  const release = { version: '1.2.3', commit: 'c'.repeat(40), data_format: 4 };
  expect(lines(bagInfo({ ...record, release }, counts)).slice(-3)).toEqual([
    'Service-Version: 1.2.3',
    `Service-Commit: ${'c'.repeat(40)}`,
    'Data-Format: 4',
  ]);
});

it('bag-info.txt of an export that an older release pinned has no such lines', () => {
  expect(lines(bagInfo(record, counts)).at(-1)).toBe(`Log-Root-SHA256: ${log.root}`);
});
