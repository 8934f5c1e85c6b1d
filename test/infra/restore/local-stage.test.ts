import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readLiveTable, writeLiveTable } from '#infra/local/live-table.ts';
import { localStage } from '#infra/restore/local-stage.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'local-stage-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('a restore says how to start the stack if none answers', async () => {
  const dataDir = folder();
  const refused = `No local stack answers for ${dataDir}. Start it with npm start, and repeat the command`;
  await expect(localStage(dataDir).connect()).rejects.toThrow(refused);
  // A killed stack leaves its file behind.
  const dead = 'http://127.0.0.1:1';
  const endpoints = { dynamodb: dead, s3: dead, sqs: dead, kms: dead };
  const file = { url: dead, operator: dead, endpoints, backups: dead, table: 'evidence' };
  writeFileSync(join(dataDir, 'stack.json'), JSON.stringify(file));
  await expect(localStage(dataDir).connect()).rejects.toThrow(refused);
});

it('a data directory names the table that its stack uses', () => {
  const dataDir = folder();
  expect([readLiveTable(undefined), readLiveTable(dataDir)]).toEqual(['evidence', 'evidence']);
  writeLiveTable(dataDir, 'evidence-restored-20260301T120000Z');
  expect(readLiveTable(dataDir)).toBe('evidence-restored-20260301T120000Z');
  expect(() => writeLiveTable(dataDir, '../other')).toThrow();
});
