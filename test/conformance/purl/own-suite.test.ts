import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCases } from './cases.ts';

/** The cases of the repository, in the layout of the suite of the purl specification: every rule and every type. */

const SUITE = fileURLToPath(new URL('./suite', import.meta.url));

const TYPES =
  'alpm apk bitbucket bitnami cargo cocoapods composer conan conda cpan cran deb docker gem generic github golang hackage hex huggingface julia luarocks maven mlflow npm nuget oci pub pypi qpkg rpm swid swift'.split(
    ' ',
  );

test('package URLs are read, built and refused as the specification says', () => {
  const results = runCases(SUITE);
  expect(results.filter(({ isRight }) => !isRight)).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(150);
  expect(results.filter(({ mustFail }) => mustFail).length).toBeGreaterThanOrEqual(50);
});

test('the suite has a package URL of every type of the specification', () => {
  const read = runCases(SUITE).filter(({ mustFail }) => !mustFail);
  expect(TYPES.filter((type) => !read.some(({ got }) => got.startsWith(`pkg:${type}/`)))).toEqual([]);
});
