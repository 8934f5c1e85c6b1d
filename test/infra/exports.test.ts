import { expect, test } from 'vitest';
import { expectNone } from './sources/expect-none.ts';
import { filesBelow, isIn, isSource, TOP_FOLDERS, targetOf, textOf } from './sources/source-files.ts';

/**
 * A name is exported because another file imports it. Imports are read from all sources and tests. A module that is imported as
 * a whole, by `import()` or as a namespace, counts as used with all its names.
 */

/** Names that no file imports by its name, with the reason why they stay exported. */
const REACHED_OTHERWISE: readonly [file: RegExp, names: RegExp, reason: string][] = [
  [/^functions\/.*\/index\.ts$/, /^handler$/, 'the runtime of functions calls it'],
  [/^infra\/bundles\/environment-credentials\.ts$/, /^defaultProvider$/, 'bundles import it in place of the SDK'],
];

const DECLARED = /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const NAMED = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm;
const WHOLE = /\bimport\(\s*'([^']+)'\s*\)|^(?:import|export) (?:type )?\* (?:as \w+ )?from '([^']+)'/gm;

/** The members of a list in braces: the name in the module that has the list, and the name on the other side. */
const members = (list: string): { own: string; outer: string }[] =>
  list
    .replaceAll(/\/\/.*|\/\*.*?\*\//g, '')
    .split(',')
    .flatMap((member) => {
      const [, own, outer] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(member) ?? [];
      return own === undefined ? [] : [{ own, outer: outer ?? own }];
    });

const files = [...TOP_FOLDERS, 'test'].flatMap(filesBelow).filter(isSource);
const texts = new Map(files.map((file) => [file, textOf(file)]));

const exportsOf = (text: string): string[] => [
  ...[...text.matchAll(DECLARED)].map(([, name = '']) => name),
  ...[...text.matchAll(LISTED)].flatMap(([, list = '']) => members(list).map(({ outer }) => outer)),
];

/** Every use of an exported name as `file name`, and of a whole module as `file *`. */
const uses = new Set(
  [...texts].flatMap(([file, text]) => [
    ...[...text.matchAll(NAMED)].flatMap(([, list = '', from = '']) =>
      members(list).map(({ own }) => `${targetOf(file, from)} ${own}`),
    ),
    ...[...text.matchAll(WHOLE)].map(([, call, statement]) => `${targetOf(file, call ?? statement ?? '')} *`),
  ]),
);

const isReached = (file: string, name: string): boolean =>
  uses.has(`${file} ${name}`) ||
  uses.has(`${file} *`) ||
  REACHED_OTHERWISE.some(([files, names]) => files.test(file) && names.test(name));

test('every exported name is imported by another file', () => {
  expect(uses.size).toBeGreaterThan(5_000);
  const checked = [...texts].filter(([file]) => !isIn(file, 'test'));
  expect(checked.length).toBeGreaterThan(200);
  const unused = checked.flatMap(([file, text]) =>
    [...new Set(exportsOf(text))].filter((name) => !isReached(file, name)).map((name) => `${file}: ${name}`),
  );
  expectNone(unused, {
    rule: 'A name is exported only if another file imports it. Remove the keyword `export`',
    page: 'docs/code-style.md#imports',
  });
});
