import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The folders of sources. Tests lie in `test`, with the same folders again. */
export const TOP_FOLDERS = ['shared', 'functions', 'console', 'infra', 'verify'];

/** All files below a folder, relative to the root. None if the folder does not exist. */
export const filesBelow = (folder: string): string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
    : [];

/** The text of a file, by its path relative to the root. */
export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export const isSource = (file: string): boolean => /\.tsx?$/.test(file);

/** Returns what an import leads to: a file of this repository relative to its root, or the name of a package. */
export function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(file), specifier));
  return specifier;
}

export const isIn = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
