import { hash } from 'node:crypto';
import type { Files } from './sample-log.ts';

/** Writes the tag files of an export again, as somebody would who changes an export and does not want to be seen. */
export function resealed(files: Files): Files {
  const payload = [...files].filter(([path]) => path.startsWith('data/'));
  const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
  const info = String(files.get('bag-info.txt')).replace(
    /^Payload-Oxum: .*$/m,
    `Payload-Oxum: ${bytes}.${payload.length}`,
  );
  const linesOf = (parts: [string, Buffer][]) =>
    Buffer.from(parts.map(([path, content]) => `${hash('sha256', content)}  ${path}\n`).join(''));
  const tagFiles: [string, Buffer][] = [
    ['bag-info.txt', Buffer.from(info)],
    ['bagit.txt', files.get('bagit.txt') ?? Buffer.of()],
    ['manifest-sha256.txt', linesOf(payload)],
  ];
  return new Map([...files, ...tagFiles, ['tagmanifest-sha256.txt', linesOf(tagFiles)]]);
}

type Line = Record<string, unknown>;

/** Changes the lines of a family. @returns a sealed export @throws Error if nothing was changed */
export function withLines(files: Files, family: string, change: (lines: Line[]) => Line[]): Files {
  const path = `data/records/${family}-0001.ndjson`;
  const text = String(files.get(path) ?? '');
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  const changed = change(structuredClone(lines)).map((line) => `${JSON.stringify(line)}\n`);
  if (changed.join('') === lines.map((line) => `${JSON.stringify(line)}\n`).join('')) {
    throw new Error(`${path} was not changed`);
  }
  const rest = [...files].filter(([one]) => one !== path);
  return resealed(new Map(changed.length === 0 ? rest : [...rest, [path, Buffer.from(changed.join(''))]]));
}

/** Changes the lines that a filter finds; the others stay. */
export const withChanged = (
  files: Files,
  family: string,
  isMeant: (line: Line) => boolean,
  change: (line: Line) => Line | null,
): Files =>
  withLines(files, family, (lines) =>
    lines.map((line) => (isMeant(line) ? change(line) : line)).filter((line) => line !== null),
  );
