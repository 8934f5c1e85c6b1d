import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type PackageUrl,
  packageOf,
  packageUrlText,
  parsePackageUrl,
  readPackage,
  readPackageUrl,
} from '#shared/components/rules/package-url.ts';

/** rules/components.md#package-urls */

const textOf = (write: (url: PackageUrl) => string) => (text: string) => {
  const url = parsePackageUrl(text);
  return url === null ? null : write(url);
};
const canonical = textOf(packageUrlText);
const key = textOf(packageOf);
const problem = (text: string): string | null => {
  const read = readPackageUrl(text);
  return 'problem' in read ? read.problem : null;
};

describe('parsePackageUrl', () => {
  test('reads every field', () => {
    expect(
      parsePackageUrl('pkg:npm/%40angular/core@12.3.1?vcs_url=git%2Bhttps://x.example/a%40b&arch=x#/src/./main/'),
    ).toEqual({
      type: 'npm',
      namespace: '@angular',
      name: 'core',
      version: '12.3.1',
      qualifiers: { arch: 'x', vcs_url: 'git+https://x.example/a@b' },
      subpath: 'src/main',
    });
  });

  test('says null where a field is missing', () => {
    expect(parsePackageUrl('pkg:gem/rails')).toEqual({
      type: 'gem',
      namespace: null,
      name: 'rails',
      version: null,
      qualifiers: {},
      subpath: null,
    });
  });

  test('keeps keys of qualifiers that objects have by themselves', () => {
    expect(parsePackageUrl('pkg:gem/rails?constructor=a')?.qualifiers['constructor']).toBe('a');
    expect(parsePackageUrl('pkg:gem/rails')?.qualifiers['constructor']).toBeUndefined();
    expect(parsePackageUrl('pkg:gem/rails?__proto__=a')).toBeNull();
  });

  test('accepts a package without the version that its type asks for', () => {
    expect(canonical('pkg:cran/A3')).toBe('pkg:cran/A3');
    expect(canonical('pkg:swift/github.com/Alamofire/Alamofire')).toBe('pkg:swift/github.com/Alamofire/Alamofire');
    expect(problem('pkg:cran/A3')).toBe('A package URL of the type cran needs a version');
    expect(readPackage('pkg:cran/A3')).toHaveProperty('url');
  });

  test('accepts versions of Go that are no semantic versions', () => {
    expect(canonical('pkg:golang/github.com/acme/lib@v1')).toBe('pkg:golang/github.com/acme/lib@v1');
    expect(canonical('pkg:golang/github.com/acme/lib@vNext')).toBe('pkg:golang/github.com/acme/lib@vNext');
  });

  test.each([
    ['', 'A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21'],
    ['lodash', 'A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21'],
    ['https://a.example/pkg:npm/a', 'A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21'],
    ['pkg:', /^The type of a package URL consists of/],
    ['pkg:3d/a', /^The type of a package URL consists of/],
    ['pkg:n%70m/a', /^The type of a package URL consists of/],
    ['pkg://user:secret@host/npm/a', /^The type of a package URL consists of/],
    ['pkg:npm', 'A package URL needs a name after its type'],
    ['pkg:npm/', 'A package URL needs a name after its type'],
    ['pkg:npm/@1.0.0', 'A package URL needs a name after its type'],
    ['pkg:npm/a/@1.0.0', 'A package URL needs a name after its type'],
    ['pkg:npm/a@b@1.0.0', 'The name of a package URL has %40 where it means the sign @'],
    ['pkg:npm/a%zz', /^The name of the package URL has a % that does not begin an encoded character/],
    ['pkg:npm/a@%ff', /^The version of the package URL has a %/],
    ['pkg:golang/a%2Fb/c', 'The namespace of a package URL has a / between its segments, and not %2F'],
    ['pkg:npm/a?arch', /^A qualifier of a package URL is a key, = and a value/],
    ['pkg:npm/a?a=b&', /^A qualifier of a package URL is a key, = and a value/],
    ['pkg:npm/a?=b', /^A qualifier of a package URL is a key, = and a value/],
    ['pkg:npm/a?a%20b=c', /^A qualifier of a package URL is a key, = and a value/],
    ['pkg:npm/a?arch=x&Arch=y', 'The qualifier arch occurs twice'],
    ['pkg:maven/io@1', 'Maven requires a namespace component'],
    ['pkg:oci/library/nginx@sha256:ab', 'Oci namespace component must be empty'],
    ['pkg:cpan/GDT/URI::PackageURL', 'A distribution of CPAN with an author has no :: in its name'],
    ['pkg:julia/Dates@1.0.0', 'A package of Julia needs the qualifier uuid'],
    ['pkg:npm/a\u0000b', 'A package URL has no control characters and no halves of characters'],
    ['pkg:npm/a\ud800', 'A package URL has no control characters and no halves of characters'],
    [`pkg:npm/${'a'.repeat(1017)}`, 'A package URL has at most 1024 characters'],
    [`pkg:npm/${'é'.repeat(400)}`, 'A package URL has at most 1024 characters'],
  ])('says what is wrong with %j', (text, sentence) => {
    expect(parsePackageUrl(text)).toBeNull();
    expect(problem(text)).toMatch(sentence);
  });

  test('a text of 1024 characters is read', () => {
    expect(canonical(`pkg:npm/${'a'.repeat(1016)}`)).toBe(`pkg:npm/${'a'.repeat(1016)}`);
  });

  test('the canonical text of anything reads as the same package URL, and nothing throws', () => {
    const piece = fc.constantFrom(
      'pkg:',
      '/',
      '@',
      '?',
      '#',
      '%',
      '%2F',
      '%40',
      '=',
      '&',
      ':',
      'npm',
      'Golang',
      'a',
      'é',
      '..',
      ' ',
      '+',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 14 }).map((pieces) => `pkg:${pieces.join('')}`),
      fc.string({ unit: 'binary', maxLength: 40 }).map((tail) => `pkg:npm/${tail}`),
      fc.string({ unit: 'binary' }),
    );
    void fc.assert(
      fc.property(text, (one) => {
        const url = parsePackageUrl(one);
        if (url === null) return;
        const again = packageUrlText(url);
        expect(again).toMatch(/^pkg:[!-~]+$/);
        expect(parsePackageUrl(again)).toEqual(url);
      }),
      { numRuns: 500 },
    );
  });
});

describe('packageOf', () => {
  test.each([
    ['pkg:npm/lodash@4.17.21?arch=x#src', 'pkg:npm/lodash'],
    ['pkg:npm/@angular/core@1.0.0', 'pkg:npm/%40angular/core'],
    ['pkg:npm/%40angular%2Fcore@1.0.0', 'pkg:npm/%40angular/core'],
    ['pkg:golang/github.com%2FGorilla%2Fmux@v1.0.0', 'pkg:golang/github.com/gorilla/mux'],
    ['pkg:golang/github.com/gorilla/mux', 'pkg:golang/github.com/gorilla/mux'],
    ['pkg:pypi/zope.interface@5', 'pkg:pypi/zope-interface'],
    ['pkg:pypi/Zope__Interface', 'pkg:pypi/zope-interface'],
    ['pkg:maven/org.apache.commons/io', 'pkg:maven/org.apache.commons/io'],
  ])('the package of %s is %s', (text, wanted) => {
    expect(key(text)).toBe(wanted);
  });
});
