import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { NOTICES_FILE } from '#shared/console/notices.ts';
import { ROOT } from './compiled.ts';
import { type PackageLicense, readLicense } from './licenses.ts';
import type { ZipEntry } from './zip.ts';

/**
 * Packages of the lock file that no bundle contains and that come without the text of a licence, with the reason. If a bundle
 * contains one of them, a test fails.
 */
export const NOT_BUNDLED: Readonly<Record<string, string>> = {
  'node_modules/@aws-sdk/credential-provider-http': 'bundles take credentials from the environment only',
  'node_modules/@aws-sdk/credential-provider-login': 'bundles take credentials from the environment only',
  'node_modules/@aws-sdk/nested-clients': 'only providers of credentials use it, which are left out',
};

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
      optional: z.boolean().default(false),
      link: z.boolean().default(false),
    }),
  ),
});

/**
 * Returns the folders of all packages that a bundle can contain: everything of the lock file that is neither for development nor
 * optional nor of this project. So the notices are the same for every part of the service, and no part has to be bundled first.
 */
function shippedFolders(): string[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([folder, one]) => folder !== '' && !(one.dev || one.devOptional || one.optional || one.link))
    .map(([folder]) => folder)
    .filter((folder) => folder.startsWith('node_modules/') && !(folder in NOT_BUNDLED))
    .toSorted();
}

const LINE = `\n\n${'-'.repeat(80)}\n\n`;

/**
 * Makes the third-party notices of everything that is bundled (rules/web-console.md#third-party-notices). Packages with the same text
 * share it.
 *
 * @throws Error for a package that names no licence or has no text of it
 */
export function noticesFile(folders: readonly string[] = shippedFolders()): ZipEntry {
  const byText = Map.groupBy(folders.map(readLicense), ({ text }) => text);
  const parts = [...byText].map(([text, packages]) => `${packages.map(headingOf).join('\n')}\n\n${text}`);
  const head =
    'Third-party software in the functions, the console and the verifier of this service, with its licences.';
  return { name: NOTICES_FILE, bytes: Buffer.from(`${[head, ...parts].join(LINE)}\n`) };
}

function headingOf({ name, version, license }: PackageLicense): string {
  if (license === undefined)
    throw new Error(`${name} ${version} names no licence: find it and decide whether it may be used`);
  return `${name} ${version} (${license})`;
}
