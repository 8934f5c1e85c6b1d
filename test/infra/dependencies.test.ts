import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

type Dependencies = Readonly<Record<string, string>>;
interface Manifest {
  dependencies: Dependencies;
  devDependencies: Dependencies;
  optionalDependencies: Dependencies;
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8')) as T;

const { dependencies, devDependencies, optionalDependencies } = read<Manifest>('package.json');

test('every package is pinned to one version, or is a folder of the repository', () => {
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
  expect(Object.entries(all).filter(([, version]) => !/^(?:\d+\.\d+\.\d+|file:infra\/[\w-]+)$/.test(version))).toEqual(
    [],
  );
});

test('the lockfile has the same packages', () => {
  const { packages } = read<{ packages: Record<string, Partial<Manifest>> }>('package-lock.json');
  expect(packages['']).toMatchObject({ dependencies, devDependencies, optionalDependencies });
});
