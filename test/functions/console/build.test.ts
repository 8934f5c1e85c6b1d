import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { buildConsole } from '#infra/bundles/console.ts';

/** What the console may weigh and what its sources may not contain (rules/web-console.md#budgets). */

const BUILD_MILLIS = 60_000;

/** Limits in bytes, compressed by gzip. */
const FIRST_LOAD = { js: 145_000, css: 12_000 };
const CHUNK = 15_000;
/** The chunk of the palette holds a library and is loaded when the browser is idle. */
const PALETTE = 60_000;
/** Files that a page loads, with its styles. A long table and the palette are two further ones. */
const FILES_OF_PAGE = 8;

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    isDynamicEntry: z.boolean().optional(),
    imports: z.array(z.string()).default([]),
  }),
);

let folder: string;
let manifest: z.infer<typeof Manifest>;
beforeAll(async () => {
  folder = await buildConsole();
  manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
}, BUILD_MILLIS);

const sizeOf = (file: string): number => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
const totalOf = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + sizeOf(file), 0);

/** The files that the shell names. */
function namedByShell(ending: '.js' | '.css'): string[] {
  const shell = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = [...shell.matchAll(/(?:src|href)="\/-\/([^"]+)"/g)].map(([, file]) => file ?? '');
  return files.filter((file) => file.endsWith(ending));
}

/** Names of the chunks that a chunk loads at once, itself included. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const other of manifest[name]?.imports ?? []) loadedWith(other, found);
  return found;
}

function firstLoad(): Set<string> {
  const [entry] = Object.entries(manifest).find(([, { isEntry }]) => isEntry) ?? [''];
  return loadedWith(entry);
}

describe('the compiled console', () => {
  it('is within its limits at the first load', () => {
    const chunks = [...firstLoad()].flatMap((name) => manifest[name] ?? []);
    const sizes = {
      js: totalOf(new Set(chunks.map(({ file }) => file))),
      css: totalOf(namedByShell('.css')),
    };
    console.log(`First load, compressed by gzip: ${sizes.js} bytes of JS, ${sizes.css} bytes of CSS`);
    expect(sizes.js).toBeGreaterThan(60_000);
    expect(sizes.js).toBeLessThanOrEqual(FIRST_LOAD.js);
    expect(sizes.css).toBeGreaterThan(0);
    expect(sizes.css).toBeLessThanOrEqual(FIRST_LOAD.css);
  });

  it('has no later chunk above the limit', () => {
    const first = firstLoad();
    const later = Object.keys(manifest).filter((name) => !first.has(name));
    const sizes = later.map((name) => ({ name, size: sizeOf(manifest[name]?.file ?? '') }));
    const limitOf = (name: string) => (/palette/.test(name) ? PALETTE : CHUNK);
    expect(sizes.filter(({ name, size }) => size > limitOf(name))).toEqual([]);
  });

  it('has few files for each page', () => {
    const pages = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry && name.endsWith('-page.tsx'));
    expect(pages.length).toBeGreaterThan(30);
    const counts = pages.map((name) => ({
      name,
      files: loadedWith(name, firstLoad()).size + namedByShell('.css').length,
    }));
    expect(counts.filter(({ files }) => files > FILES_OF_PAGE)).toEqual([]);
  });

  it('has all styles in one file, because no other file loads styles', () => {
    expect(readdirSync(join(folder, 'assets')).filter((file) => file.endsWith('.css'))).toHaveLength(1);
    expect(namedByShell('.css')).toHaveLength(1);
  });

  it('names the order of the layers at the head of the styles, because any of them can be the first one', () => {
    const styles = readdirSync(join(folder, 'assets')).filter((file) => file.endsWith('.css'));
    const heads = styles.map((file) => readFileSync(join(folder, 'assets', file), 'utf8').slice(0, 12));
    expect(new Set(heads)).toEqual(new Set(['@layer reset']));
  });

  it('names every file that the shell loads', () => {
    const loaded = [...namedByShell('.js'), ...namedByShell('.css')];
    expect(loaded.length).toBeGreaterThanOrEqual(2);
    for (const file of loaded) expect(sizeOf(file)).toBeGreaterThan(0);
  });

  it('comes with the licences of the libraries in it', () => {
    const licences = readFileSync(join(folder, 'LICENSES.md'), 'utf8');
    expect(licences).toContain('## react-dom');
    expect(licences).not.toContain('GPL');
  });
});

const APP = fileURLToPath(new URL('../../../console', import.meta.url));
const sources = readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(APP, name), 'utf8') }));

/** The file that makes links to other hosts, after it checked their addresses. */
const LINK = 'parts/link/link.tsx';

/** A link whose address is an expression. Such an address can come from evidence. */
const COMPUTED_LINK = /<(?:a|area|base|link|form|iframe|object|embed)\s[^<]*?\b(?:href|action|src|data)=\{/;
/** Ways to make elements or scripts of a text. The content security policy refuses them too. */
const TEXT_AS_CODE =
  /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\bsrcDoc\b|\beval\(|new Function\(/;
const names = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe('the sources of the console', () => {
  test('make a link of a computed address only in the part that checks addresses', () => {
    expect('<a className={x}\n  href={trail.origin_url}>').toMatch(COMPUTED_LINK);
    expect('<OutLink href={trail.origin_url}>').not.toMatch(COMPUTED_LINK);
    expect(names(COMPUTED_LINK).filter((name) => name !== LINK)).toEqual([]);
  });

  test('make no element and no script of a text', () => {
    expect('<p dangerouslySetInnerHTML={{ __html: text }} />').toMatch(TEXT_AS_CODE);
    expect(names(TEXT_AS_CODE)).toEqual([]);
  });
});
