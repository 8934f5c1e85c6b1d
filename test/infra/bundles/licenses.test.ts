import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bundle, bundleService } from '#infra/bundles/bundle.ts';
import { ROOT } from '#infra/bundles/compiled.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { LICENSES_FILE, licensesFile, packageFolders, readLicense } from '#infra/bundles/licenses.ts';
import { NOT_BUNDLED, noticesFile } from '#infra/bundles/notices.ts';
import { bundleVerifier } from '#infra/bundles/verifier.ts';
import { readZip } from '#infra/bundles/zip.ts';
import { temporaryFolder } from '../synthesized.ts';

/** Licences of the libraries in the archives, and how the libraries come in (rules/storage.md#licences). */

const BUNDLING_MILLIS = 300_000;
const folder = temporaryFolder('licences-');
let bundles: Bundle[];
let consoleLicenses: string;
beforeAll(async () => {
  bundles = await bundleService(folder);
  consoleLicenses = readFileSync(join(await buildConsole(), 'LICENSES.md'), 'utf8');
}, BUNDLING_MILLIS);

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
const described = (of: string) => readJson<{ name: string; version: string }>(join(of, 'package.json'));

/** The sections of the file that the compiler of the console writes: name and version of each library, and its licence. */
const sections = (text: string) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const { name = '', version = '' } = /^(?<name>\S+) - (?<version>\S+) \(/.exec(section)?.groups ?? {};
      return { name, version, license: section.slice(section.indexOf('\n')).trim() };
    });

describe('an archive', () => {
  test('has the licence of each library that is compiled or copied into it', () => {
    for (const { name: bundle, zip, packages } of bundles) {
      const file = readZip(readFileSync(zip)).find(({ name }) => name === LICENSES_FILE);
      const text = file?.bytes.toString() ?? '';
      for (const one of packages) {
        const { name, version } = described(one);
        expect(text.split('\n'), `${bundle}: ${one}`).toContain(`${name} ${version}`);
        for (const license of readdirSync(join(ROOT, one)).filter((entry) =>
          /^(licen[cs]e|copying|notice)/i.test(entry),
        ))
          expect(text, `${bundle}: ${one}/${license}`).toContain(readFileSync(join(ROOT, one, license), 'utf8').trim());
      }
    }
    const of = (name: string) => bundles.find((bundle) => bundle.name === name)?.packages;
    expect(of('flows')).toEqual(expect.arrayContaining(['node_modules/zod', 'node_modules/@middy/core']));
    expect(of('attestations')).toEqual(expect.arrayContaining(['node_modules/ajv', 'node_modules/jq-web']));
    expect(of('reference')).toContain('node_modules/swagger-ui-dist');
  });

  test('has the licence of a library that comes without a file of it', () => {
    expect(licensesFile(['node_modules/@middy/core']).bytes.toString()).toContain('Middy contributors');
  });

  test('has the licences of the compiled console beside its files', () => {
    expect(sections(consoleLicenses).length).toBeGreaterThan(10);
    for (const { name, license } of sections(consoleLicenses)) expect(license.length, name).toBeGreaterThan(200);
  });

  test('is not made with a library whose licence nobody knows', () => {
    expect(() => licensesFile(['node_modules/zod', 'infra/no-telemetry'])).toThrow(
      'infra/no-telemetry has no file with its licence: find the licence and add it in infra/bundles/licenses.ts',
    );
  });

  test('names the innermost package of a path', () => {
    const paths = ['node_modules/a/node_modules/@b/c/lib/d.js', 'node_modules/a/e.js', 'shared/base/ids.ts'];
    expect(packageFolders(paths)).toEqual(['node_modules/a', 'node_modules/a/node_modules/@b/c']);
  });
});

describe('the third-party notices', () => {
  /** Each package as its heading, with the text below the heading. */
  const noticed = new Map(
    noticesFile()
      .bytes.toString()
      .split(`\n\n${'-'.repeat(80)}\n\n`)
      .slice(1)
      .flatMap((part) => {
        const [headings = '', ...text] = part.split('\n\n');
        return headings.split('\n').map((heading) => [heading, text.join('\n\n')] as const);
      }),
  );

  test('have name, version, licence and text of every package in a function, the console or the verifier', async () => {
    const ofConsole = sections(consoleLicenses).map(({ name }) => `node_modules/${name}`);
    const { packages: ofVerifier } = await bundleVerifier();
    const bundled = new Set([...bundles.flatMap(({ packages }) => packages), ...ofConsole, ...ofVerifier]);
    expect(bundled.size).toBeGreaterThan(60);
    for (const folder of bundled) {
      const { name, version, license, text } = readLicense(folder);
      expect(license, folder).toBeDefined();
      expect(noticed.get(`${name} ${version} (${license})`), folder).toBe(text.trim());
    }
    expect(Object.keys(NOT_BUNDLED).filter((folder) => bundled.has(folder))).toEqual([]);
  });

  test('are not made with a package that names no licence, or has no text of it', () => {
    mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/notices-'));
    try {
      const of = folder.slice(ROOT.length + 1);
      writeFileSync(join(folder, 'package.json'), '{"name":"unlicensed","version":"1.0.0"}');
      expect(() => noticesFile([of])).toThrow('has no file with its licence');
      writeFileSync(join(folder, 'LICENSE'), 'Some text');
      expect(() => noticesFile([of])).toThrow('unlicensed 1.0.0 names no licence');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('leave out packages without a text for a reason only', () => {
    for (const [folder, reason] of Object.entries(NOT_BUNDLED)) {
      expect(() => readLicense(folder), folder).toThrow('has no file with its licence');
      expect(reason).toMatch(/\w{4,}/);
    }
  });
});

interface LockedPackage {
  version?: string;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
}
const locked = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json').packages;
const manifest = readJson<{ scripts: Record<string, string>; allowScripts: Record<string, boolean> }>('package.json');

describe('the audit of known vulnerabilities', () => {
  test('leaves out development only, as SECURITY.md says', () => {
    expect(manifest.scripts['audit']).toBe('npm audit --omit=dev');
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain(manifest.scripts['audit']);
  });

  test('covers each library of an archive, also those that browsers get', () => {
    const ofConsole = sections(consoleLicenses).flatMap(({ name, version }) => {
      const found = Object.entries(locked).filter(
        ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
      );
      return found.length === 0 ? [`${name} ${version} is not locked`] : found.map(([path]) => path);
    });
    const shipped = new Set([...bundles.flatMap(({ packages }) => packages), ...ofConsole]);
    const left = [...shipped].filter((path) => {
      const found = locked[path];
      return !found || found.dev === true || found.devOptional === true;
    });
    expect(left).toEqual([]);
  });
});

/** Packages that run a program when they are installed, with the reason. All others are refused. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  'node_modules/esbuild': 'replaces its starter by the binary of the platform, which comes with an optional dependency',
  'node_modules/node': 'links the binary of Node that comes with an optional dependency',
};

describe('npm ci', () => {
  test('runs install scripts of the named packages only', () => {
    const scripted = Object.keys(locked).filter((path) => locked[path]?.hasInstallScript);
    expect(scripted.toSorted()).toEqual(Object.keys(INSTALL_SCRIPTS).toSorted());
    // npm warns about scripts that are not listed here.
    const allowed = Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`);
    expect(allowed.toSorted()).toEqual(scripted.toSorted());
  });
});
