import { describe, expect, it } from 'vitest';
import { askedFor, askedForPackage, problemsByField, versionsText } from '#console/model/component-question.ts';
import { VERSION_SCHEMES } from '#shared/base/versions/schemes.ts';

const asked = (component: string, versions = '', at = '') => askedFor({ component, versions, at });

describe('a question about components', () => {
  it('is about every version, where neither the package URL nor the range names any', () => {
    expect(asked(' pkg:npm/lodash ')).toEqual({ purl: 'pkg:npm/lodash', versions: 'vers:npm/*', at: undefined });
    expect(asked('PKG:npm/@angular/core').versions).toBe('vers:npm/*');
    expect(asked('pkg:npm/%40angular/core?arch=x64@2').versions).toBe('vers:npm/*');
    expect(asked('pkg:apk/alpine/zlib').versions).toBe('vers:generic/*');
    expect(asked('pkg:npm/lodash@4.17.20').versions).toBeUndefined();
    expect(asked('pkg:npm/%40angular/core@12.3.1').versions).toBeUndefined();
  });

  it('has a range with the scheme of the package', () => {
    expect(asked('pkg:npm/lodash', ' <4.17.21 ').versions).toBe('vers:npm/<4.17.21');
    expect(asked('pkg:swift/x/y/z', '>=1|<2').versions).toBe('vers:generic/>=1|<2');
    expect(asked('pkg:npm/lodash', 'VERS:npm/<1').versions).toBe('VERS:npm/<1');
    // The service says that one of them is too much.
    expect(asked('pkg:npm/lodash@1', '<2').versions).toBe('vers:npm/<2');
  });

  it('is a search without a package URL, and keeps the range for the package that is found', () => {
    const search = asked('lod', '<4.17.21', '2026-07-01T12:00Z');
    expect(search).toEqual({ q: 'lod', versions: '<4.17.21', at: '2026-07-01T12:00Z' });
    const found = { package: 'pkg:npm/lodash', name: 'lodash' };
    expect(askedForPackage(found, search)).toEqual({
      purl: 'pkg:npm/lodash',
      versions: 'vers:npm/<4.17.21',
      at: '2026-07-01T12:00Z',
    });
    expect(askedForPackage(found, { versions: 'vers:npm/<2' }).versions).toBe('vers:npm/<2');
    expect(askedForPackage(found, { versions: 'vers:pypi/<2' }).versions).toBe('vers:npm/*');
    expect(askedForPackage(found, {}).versions).toBe('vers:npm/*');
  });

  it('asks for a component without a package URL by its name, in every version', () => {
    const found = { package: null, name: 'a b@c' };
    const question = askedForPackage(found, { versions: '<2' });
    expect(question).toEqual({ purl: 'pkg:generic/a%20b%40c', versions: 'vers:generic/*', at: undefined });
  });

  it('says which versions are meant', () => {
    expect(VERSION_SCHEMES.map((scheme) => versionsText(`vers:${scheme}/*`))).toEqual(
      VERSION_SCHEMES.map(() => 'all versions'),
    );
    expect(versionsText('vers:npm/<2')).toBe('vers:npm/<2');
    expect(versionsText(undefined)).toBeNull();
  });

  it('that was refused has the reasons at the fields of the form', () => {
    const errors = new Map([
      ['query.purl', 'A package URL begins with pkg: [input: x]'],
      ['query.at', 'Input should not be in the future [input: 9]'],
    ]);
    expect(problemsByField(errors)).toEqual(
      new Map([
        ['component', 'A package URL begins with pkg:'],
        ['at', 'Input should not be in the future'],
      ]),
    );
    expect(problemsByField(new Map([['name', 'too short']]))).toEqual(new Map([['component', 'too short']]));
    expect(problemsByField(new Map([['query.cursor', 'wrong']]))).toBeNull();
    expect(problemsByField(new Map())).toBeNull();
  });
});
