import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readBatch } from '#functions/relay/stream/read-batch.ts';

const PAGE = readFileSync('docs/rules/storage.md', 'utf8');

/** The rows of the table of lost effects, as cells. */
const rows = (PAGE.split('### Lost effects\n')[1]?.split('\n### ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test('every subject of a batch has its row in the table of lost effects, and no other has one', () => {
  const { environments, unreadable, ...batch } = readBatch([]);
  expect(unreadable).toEqual([]);
  const subjects = [...Object.keys(batch), ...Object.keys(environments)].map((subject) => `\`${subject}\``);
  expect(new Set(rows.map(([, subject]) => subject))).toEqual(new Set(subjects));
});

test('every row names who makes the effect, who makes up for it, and when at the latest', () => {
  for (const [effect, , maker = '', sweep = '', after] of rows) {
    const files = [...`${maker} ${sweep}`.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
    expect([effect, files.filter((file) => !existsSync(file))]).toEqual([effect, []]);
    expect([effect, sweep]).toEqual([effect, expect.stringMatching(/^`(?:functions|shared)\/[\w/]+\/sweep-/)]);
    expect([effect, after]).toEqual([effect, expect.stringMatching(/^\d+ minutes$/)]);
  }
});
