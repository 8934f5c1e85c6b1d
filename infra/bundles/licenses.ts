import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from './compiled.ts';
import type { ZipEntry } from './zip.ts';

/** The licences of the libraries that an archive contains (rules/storage.md#licences). */

/** File of each archive with the licences of the libraries that were compiled into it. */
export const LICENSES_FILE = 'LICENSES.txt';

/** Files of a package with its licence, or with notices that must accompany it. */
const LICENSE_NAMES = /^(?:licen[cs]e|copying|notice|third[-_]?party)(?!.*\.[cm]?[jt]s$)/i;

/**
 * Packages that come without a file of their licence. The text is that of the licence that the package names, with the
 * copyright line of its readme.
 */
const TEXTS_OF_OURS: Readonly<Record<string, string>> = {
  '@middy/core': 'licenses/middy.txt',
  '@middy/util': 'licenses/middy.txt',
  '@nodable/entities': 'licenses/nodable.txt',
  '@sigstore/verify': 'licenses/sigstore.txt',
};

/** A package of `node_modules`. Old packages name their licence in a list. */
const Package = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  licenses: z.array(z.looseObject({ type: z.string() })).optional(),
});

/** What accompanies the code of a package. */
export interface PackageLicense {
  name: string;
  version: string;
  /** As the package names it; undefined if it names none. */
  license: string | undefined;
  text: string;
}

/**
 * Returns the folders of the packages that files belong to, each once and in order.
 * @param paths paths from the root of the project, as the bundler names its inputs
 */
export function packageFolders(paths: Iterable<string>): string[] {
  const folders = [...paths].flatMap((path) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)].toSorted();
}

/**
 * Makes the file with the licences of packages. Packages with the same text share it.
 * @param folders from {@link packageFolders}
 * @throws Error for a package without a licence, until somebody decides what its licence is
 */
export function licensesFile(folders: readonly string[]): ZipEntry {
  const byText = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, version, text } = readLicense(folder);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`);
  return { name: LICENSES_FILE, bytes: Buffer.from(parts.join(`\n\n${'-'.repeat(80)}\n\n`)) };
}

/**
 * Reads the licence of a package, and the notices that must accompany it.
 * @param folder from the root of the project
 * @throws Error for a package without a text, until somebody decides what its licence is
 */
export function readLicense(folder: string): PackageLicense {
  const file = join(ROOT, folder, 'package.json');
  const { name, version, license, licenses } = Package.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { name, version, license: license ?? licenses?.[0]?.type, text: licenseOf(folder, name) };
}

function licenseOf(folder: string, name: string): string {
  const ours = TEXTS_OF_OURS[name];
  if (ours !== undefined) return readFileSync(join(import.meta.dirname, ours), 'utf8').trim();
  const files = readdirSync(join(ROOT, folder)).filter((file) => LICENSE_NAMES.test(file));
  if (files.length === 0) {
    throw new Error(`${folder} has no file with its licence: find the licence and add it in infra/bundles/licenses.ts`);
  }
  return files
    .toSorted()
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8').trim())
    .join('\n\n');
}
