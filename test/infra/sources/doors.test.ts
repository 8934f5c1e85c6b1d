import { basename, dirname } from 'node:path';
import type { ESTree } from 'vite';
import { describe, expect, it, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { filesOfGroups, filesOfWorkers, GROUPS } from './doors.ts';
import { expectNone } from './expect-none.ts';
import { parseSource } from './syntax.ts';

/**
 * Doors get the table among their services, because use cases need it. So a door could write without an import that
 * `imports.test.ts` sees. These rules read the code itself.
 */

const PAGE = 'docs/architecture.md#inside-a-domain';

/** Returns the lines on which a source names the table, apart from types such as `Pick<Stores, 'table'>`. */
function namesOfTable(file: string, text?: string): number[] {
  const source = parseSource(file, text);
  const inTypes = new Set<number>();
  const found: { start: number }[] = [];
  source.visit({
    TSLiteralType: ({ literal }) => inTypes.add(literal.start),
    Identifier: (node) => node.name === 'table' && found.push(node),
    Literal: (node) => node.value === 'table' && found.push(node),
  });
  const lines = found.filter(({ start }) => !inTypes.has(start)).map(source.lineOf);
  return [...new Set(lines)];
}

/** The name of a variable, and of a member the name after its last dot. */
function nameOf(node: ESTree.Node | null): string | undefined {
  if (node?.type === 'MemberExpression') return nameOf(node.property);
  return node?.type === 'Identifier' ? node.name : undefined;
}

/** Returns the lines on which a source uses a member of the table, or gives the table another name. */
function usesOfTable(file: string, text?: string): number[] {
  const source = parseSource(file, text);
  const found: ESTree.Node[] = [];
  source.visit({
    MemberExpression: (node) => nameOf(node.object) === 'table' && found.push(node),
    VariableDeclarator: (node) => nameOf(node.init) === 'table' && nameOf(node.id) !== 'table' && found.push(node),
    ObjectPattern: ({ properties }) => {
      for (const property of properties) {
        if (property.type !== 'Property' || nameOf(property.key) !== 'table') continue;
        if (nameOf(property.value) !== 'table') found.push(property);
      }
    },
  });
  return [...new Set(found.map(source.lineOf))];
}

describe('doors', () => {
  test('every endpoint group of the service is found, with the files beside its list of endpoints', () => {
    expect(GROUPS.map((folder) => basename(folder)).toSorted()).toEqual(groups.map(({ name }) => name).toSorted());
    const isDoor = (file: string) => !['index.ts', 'endpoints.ts'].includes(basename(file));
    const without = GROUPS.filter((folder) => !filesOfGroups.some((file) => dirname(file) === folder && isDoor(file)));
    expect(without).toEqual([]);
  });

  test('endpoint groups and shared forms pass their services on as a whole, and never name the table', () => {
    expectNone(
      filesOfGroups.flatMap((file) => namesOfTable(file).map((line) => `${file}:${line}`)),
      {
        rule: 'A door calls a use case with its services. It neither reads nor writes the table itself, so it never names the table',
        page: PAGE,
      },
    );
  });

  test('workers hand the table to use cases, and call none of its functions', () => {
    expect(filesOfWorkers.length).toBeGreaterThan(25);
    expectNone(
      filesOfWorkers.flatMap((file) => usesOfTable(file).map((line) => `${file}:${line}`)),
      { rule: 'A worker hands the table to a use case. It neither reads nor writes the table itself', page: PAGE },
    );
  });
});

describe('namesOfTable', () => {
  it.each([
    ['a call', 'await stores.table.write(move);'],
    ['a computed member', "await stores['table'].transact([]);"],
    ['a destructured table', 'const { table } = stores;'],
    ['a renamed table', 'const { table: store } = stores;'],
    ['a parameter', 'const read = ({ table }: Stores) => table;'],
  ])('finds %s', (_, text) => {
    expect(namesOfTable('door.ts', `// A comment.\n${text}`)).toEqual([2]);
  });

  it('skips types, texts and comments', () => {
    const text =
      "/** the table */\nconst door = (stores: Pick<Stores, 'table'>) => read(stores, `the table`); // table";
    expect(namesOfTable('door.ts', text)).toEqual([]);
  });
});

describe('usesOfTable', () => {
  it.each([
    ['a call', 'await services.table.get(key);'],
    ['a call of a destructured table', 'await table.transact([]);'],
    ['a renamed table', 'const { table: store } = services;'],
    ['a table with another name', 'const store = services.table;'],
    ['a renamed parameter', 'const read = ({ table: store }: Stores) => store;'],
  ])('finds %s', (_, text) => {
    expect(usesOfTable('worker.ts', `\n${text}`)).toEqual([2]);
  });

  it('skips a table that is handed on', () => {
    const text = 'const { table } = services; await readActive(table); await readActive(services.table); f({ table });';
    expect(usesOfTable('worker.ts', text)).toEqual([]);
  });
});
