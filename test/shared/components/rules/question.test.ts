import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Asked,
  answerOfVersion,
  answersTo,
  type NameQuestion,
  type PackageQuestion,
  parseQuestion,
  type Question,
} from '#shared/components/rules/question.ts';

/** rules/components.md#questions */

function question(asked: Asked): Question {
  const parsed = parseQuestion(asked);
  if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
  return parsed.question;
}

function packageQuestion(asked: Asked): PackageQuestion {
  const found = question(asked);
  if (found.kind !== 'package') throw new Error('No question about a package');
  return found;
}

const errorsOf = (asked: Asked): unknown => {
  const parsed = parseQuestion(asked);
  return 'errors' in parsed ? { ...parsed.errors } : parsed;
};

const LODASH = { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' };

describe('parseQuestion', () => {
  test('a package and a range make a question', () => {
    expect(question({ purl: 'pkg:npm/@angular/core', versions: 'vers:npm/<12.0.0' })).toMatchObject({
      kind: 'package',
      package: 'pkg:npm/%40angular/core',
      range: { scheme: 'npm', constraints: [{ comparator: '<', version: '12.0.0' }], isAll: false },
    });
  });

  test('a version in the package URL is a range of its own', () => {
    expect(packageQuestion({ purl: 'pkg:deb/debian/curl@7.50.3-1?arch=i386' }).range).toEqual({
      scheme: 'deb',
      constraints: [{ comparator: '=', version: '7.50.3-1' }],
      isAll: false,
    });
  });

  test('a name makes a search', () => {
    const wanted: NameQuestion = { kind: 'name', name: 'lodash' };
    expect(question({ name: ' lodash ' })).toEqual(wanted);
  });

  test('a range needs no version in types that ask for one', () => {
    expect(question({ purl: 'pkg:swift/github.com/acme/lib', versions: 'vers:generic/<2' }).kind).toBe('package');
    expect(question({ purl: 'pkg:cran/A3', versions: 'vers:generic/*' }).kind).toBe('package');
  });

  test.each<[Asked, Record<string, string>]>([
    [{}, { purl: 'Give purl, or name to search for packages' }],
    [{ versions: 'vers:npm/*' }, { purl: 'Give purl, or name to search for packages' }],
    [{ purl: 'pkg:npm/a@1.0.0', name: 'ab' }, { name: 'Give purl or name, and not both [input: ab]' }],
    [
      { name: 'ab', versions: 'vers:npm/*' },
      { versions: 'A range needs purl: versions of different packages cannot be compared [input: vers:npm/*]' },
    ],
    [{ name: 'a' }, { name: 'A name that is searched has 2 to 100 characters [input: a]' }],
    [{ name: '  ' }, { name: 'A name that is searched has 2 to 100 characters [input:   ]' }],
    [
      { name: 'a'.repeat(101) },
      { name: `A name that is searched has 2 to 100 characters [input: ${'a'.repeat(101)}]` },
    ],
    [
      { purl: 'lodash', versions: 'lodash' },
      {
        purl: 'A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21 [input: lodash]',
        versions: 'A range has the form vers:npm/>=1.0.0|<4.17.21 [input: lodash]',
      },
    ],
    [{ purl: '' }, { purl: 'A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21 [input: ]' }],
    [{ purl: 'pkg:npm/lodash' }, { versions: 'Give a range, or a version in purl. All versions are vers:npm/*' }],
    [
      { purl: 'pkg:apk/alpine/curl' },
      { versions: 'Give a range, or a version in purl. All versions are vers:generic/*' },
    ],
    [
      { purl: 'pkg:npm/lodash@1.0.0', versions: 'vers:npm/*' },
      { versions: 'Give a range or a version in purl, and not both' },
    ],
    [
      { purl: 'pkg:npm/lodash', versions: 'vers:pypi/<1' },
      { versions: 'A range of pypi does not fit a package of the type npm' },
    ],
    [
      { purl: 'pkg:npm/lodash@1.0.0#src' },
      {
        purl: 'A question is about a package, and not about a path in it. Leave out the # and what follows [input: pkg:npm/lodash@1.0.0#src]',
      },
    ],
    [
      { purl: 'pkg:npm/lodash', versions: 'vers:npm/>=2.0.0|<1.0.0' },
      { versions: 'The versions of a range go up, and `1.0.0` is less than `2.0.0` [input: vers:npm/>=2.0.0|<1.0.0]' },
    ],
  ])('%j is refused', (asked, errors) => {
    expect(errorsOf(asked)).toEqual(errors);
  });
});

const NO_VERSION = { unknown: 'the version is not known' };
const NO_PURL = { unknown: 'the component has the name of the package, and no package URL that can be read' };

describe('answersTo', () => {
  test.each<[Asked, { purl: string | null; name?: string; version?: string | null }, Answer]>([
    [LODASH, { purl: 'pkg:npm/lodash@4.17.20' }, 'yes'],
    [LODASH, { purl: 'pkg:NPM/Lodash@4.17.20?arch=x#src' }, 'yes'],
    [LODASH, { purl: 'pkg:npm/lodash@4.17.21' }, 'no'],
    [LODASH, { purl: 'pkg:npm/lodash-es@4.17.20' }, 'no'],
    [LODASH, { purl: 'pkg:npm/%40types/lodash@4.0.0' }, 'no'],
    [LODASH, { purl: 'pkg:pypi/lodash@4.0' }, 'no'],
    [LODASH, { purl: 'pkg:npm/lodash', version: '4.17.20' }, 'yes'],
    [LODASH, { purl: 'pkg:npm/lodash' }, NO_VERSION],
    [LODASH, { purl: 'pkg:npm/lodash@latest' }, { unknown: 'version `latest` cannot be compared by the rules of npm' }],
    [LODASH, { purl: null, name: 'lodash', version: '4.17.20' }, NO_PURL],
    [LODASH, { purl: 'lodash', name: 'vendor/Lodash' }, NO_PURL],
    [LODASH, { purl: null, name: 'underscore', version: '4.17.20' }, 'no'],
    [{ purl: 'pkg:npm/lodash', versions: 'vers:npm/*' }, { purl: 'pkg:npm/lodash' }, 'yes'],
    [{ purl: 'pkg:npm/lodash@4.17.20' }, { purl: 'pkg:npm/lodash@v4.17.20' }, 'yes'],
    [{ purl: 'pkg:npm/lodash@4.17.20' }, { purl: 'pkg:npm/lodash@4.17.21' }, 'no'],
    [{ purl: 'pkg:npm/lodash@next' }, { purl: 'pkg:npm/lodash@next' }, 'yes'],
    [{ purl: 'pkg:npm/lodash@next' }, { purl: 'pkg:npm/lodash@1.0.0' }, 'no'],
    [{ purl: 'pkg:npm/lodash@next' }, { purl: 'pkg:npm/lodash' }, NO_VERSION],
    [{ purl: 'pkg:docker/nginx@1.0' }, { purl: 'pkg:docker/nginx@1.0.0' }, 'no'],
    [{ purl: 'pkg:docker/nginx@1.0' }, { purl: 'pkg:docker/nginx@1.0' }, 'yes'],
    [{ purl: 'pkg:npm/%40angular/core@1.0.0' }, { purl: 'pkg:npm/%40angular%2Fcore@1.0.0' }, 'yes'],
    [{ purl: 'pkg:golang/github.com/Acme/lib@v1.2.3' }, { purl: 'pkg:golang/github.com/acme/lib@1.2.3' }, 'yes'],
    [
      { purl: 'pkg:deb/debian/curl?arch=amd64', versions: 'vers:deb/<8' },
      { purl: 'pkg:deb/debian/curl@7?arch=amd64&distro=x' },
      'yes',
    ],
    [
      { purl: 'pkg:deb/debian/curl?arch=amd64', versions: 'vers:deb/<8' },
      { purl: 'pkg:deb/debian/curl@7?arch=arm64' },
      'no',
    ],
    [{ purl: 'pkg:deb/debian/curl?arch=amd64', versions: 'vers:deb/<8' }, { purl: 'pkg:deb/debian/curl@7' }, 'no'],
    [{ purl: 'pkg:deb/debian/curl', versions: 'vers:deb/<8' }, { purl: 'pkg:deb/debian/curl@7?arch=arm64' }, 'yes'],
    [
      { purl: 'pkg:rpm/fedora/bind', versions: 'vers:rpm/<32:9.12' },
      { purl: 'pkg:rpm/fedora/bind@9.11-1?epoch=32' },
      'yes',
    ],
    [
      { purl: 'pkg:rpm/fedora/bind', versions: 'vers:rpm/<9.12' },
      { purl: 'pkg:rpm/fedora/bind@9.11-1?epoch=32' },
      'no',
    ],
    [{ purl: 'pkg:rpm/fedora/bind@9.11-1?epoch=32' }, { purl: 'pkg:rpm/fedora/bind@32:9.11-1' }, 'yes'],
    [{ name: 'LOD' }, { purl: 'pkg:npm/lodash@1.0.0', name: 'x' }, 'yes'],
    [{ name: 'core' }, { purl: 'pkg:npm/%40angular/core@1.0.0' }, 'yes'],
    [{ name: 'dash' }, { purl: 'pkg:npm/lodash@1.0.0' }, 'no'],
    [{ name: 'lod' }, { purl: null, name: 'vendor/lodash' }, 'yes'],
  ])('a question %j about the component %j is answered %j', (asked, component, answer) => {
    expect(answersTo(question(asked), { name: 'other', version: null, ...component })).toEqual(answer);
  });

  test('answerOfVersion looks at the version and the qualifiers of a package that was found', () => {
    const asked = packageQuestion({ purl: 'pkg:npm/lodash?arch=x', versions: 'vers:npm/<2.0.0' });
    expect(answerOfVersion(asked, { version: '1.0.0', qualifiers: { arch: 'x' } })).toBe('yes');
    expect(answerOfVersion(asked, { version: '1.0.0', qualifiers: {} })).toBe('no');
    expect(answerOfVersion(asked, { version: null, qualifiers: { arch: 'x' } })).toEqual(NO_VERSION);
  });
});
