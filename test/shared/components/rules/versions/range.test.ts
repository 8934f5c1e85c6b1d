import { describe, expect, test } from 'vitest';
import { isInRange, parseVersionRange, rangeFits, type VersionRange } from '#shared/components/rules/versions/range.ts';

/** rules/components.md#ranges */

function range(text: string): VersionRange {
  const parsed = parseVersionRange(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.range;
}

describe('parseVersionRange', () => {
  test('reads scheme, comparators and versions', () => {
    expect(range('vers:npm/>=1.0.0|!=1.2.0|<4.17.21|=5.0.0|6.0.0')).toEqual({
      scheme: 'npm',
      constraints: [
        { comparator: '>=', version: '1.0.0' },
        { comparator: '!=', version: '1.2.0' },
        { comparator: '<', version: '4.17.21' },
        { comparator: '=', version: '5.0.0' },
        { comparator: '=', version: '6.0.0' },
      ],
      isAll: false,
    });
    expect(range('vers:npm/*')).toEqual({ scheme: 'npm', constraints: [], isAll: true });
  });

  test.each([
    ['VERS:NPM/1.0.0', 'vers:npm/1.0.0'],
    [' vers:npm/ >= 1.0.0 |\t< 2.0.0 ', 'vers:npm/>=1.0.0|<2.0.0'],
    ['vers:npm/||1.0.0|2.0.0||', 'vers:npm/1.0.0|2.0.0'],
    ['vers:pypi/1%212.0', 'vers:pypi/1!2.0'],
    ['vers:deb/<1.0%2Bdfsg-1', 'vers:deb/<1.0+dfsg-1'],
  ])('%j is read like %s', (text, same) => {
    expect(range(text)).toEqual(range(same));
  });

  test.each([
    ['', 'A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['>=1.0.0', 'A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['vers:npm', 'A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['vers:/1', /^There is no scheme ``\. The schemes are cargo, /],
    ['vers:apk/1', /^There is no scheme `apk`\. The schemes are cargo, /],
    ['vers:constructor/1', /^There is no scheme `constructor`/],
    ['vers:npm/', 'A constraint has no version. A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['vers:npm/>=', 'A constraint has no version. A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['vers:npm/1.0.0||2.0.0', 'A constraint has no version. A range has the form vers:npm/>=1.0.0|<4.17.21'],
    ['vers:npm/>=1.0.0|*', '`*` is no constraint: <, <=, >, >=, = or !=, and a version'],
    ['vers:npm/>=*', '`>=*` is no constraint: <, <=, >, >=, = or !=, and a version'],
    ['vers:npm/==1.0.0', '`==1.0.0` is no constraint: <, <=, >, >=, = or !=, and a version'],
    ['vers:npm/<>1.0.0', '`<>1.0.0` is no constraint: <, <=, >, >=, = or !=, and a version'],
    ['vers:npm/>=1.0.0,<2.0.0', '`>=1.0.0,<2.0.0` is no constraint: <, <=, >, >=, = or !=, and a version'],
    ['vers:npm/>=1.x', 'Version `1.x` cannot be compared by the rules of npm'],
    ['vers:npm/abc', 'Version `abc` cannot be compared by the rules of npm'],
    ['vers:generic/<abc', 'Version `abc` cannot be compared by the rules of generic'],
    ['vers:npm/<%zz', 'The version `%zz` has a % that does not begin an encoded character'],
    ['vers:npm/>=2.0.0|<1.0.0', 'The versions of a range go up, and `1.0.0` is less than `2.0.0`'],
    ['vers:generic/2|x|1', 'The versions of a range go up, and `1` is less than `2`'],
    ['vers:npm/>=1.0.0|<1.0.0', 'Version `1.0.0` occurs twice in the range'],
    ['vers:maven/>=1.0|<2|!=1.0.0.Final', 'Version `1.0.0.Final` occurs twice in the range'],
    ['vers:generic/=a|!=a', 'Version `a` occurs twice in the range'],
    [
      `vers:npm/${Array.from({ length: 101 }, (_, index) => `${index}.0.0`).join('|')}`,
      'A range has at most 100 constraints',
    ],
    [`vers:npm/${'1'.repeat(4088)}`, 'A range has at most 4096 characters'],
    [`vers:npm/${'|'.repeat(4087)}`, /^A constraint has no version/],
    [`vers:npm/1.0.0${'|'.repeat(4000)}x`, 'A range has at most 100 constraints'],
  ])('says what is wrong with %j', (text, sentence) => {
    const parsed = parseVersionRange(text);
    expect('problem' in parsed ? parsed.problem : parsed.range).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    );
  });

  test('a range of 100 constraints is read', () => {
    expect(
      range(`vers:npm/${Array.from({ length: 100 }, (_, index) => `${index}.0.0`).join('|')}`).constraints,
    ).toHaveLength(100);
  });
});

describe('isInRange', () => {
  test.each([
    ['vers:npm/*', ['0.0.1', 'latest', null], []],
    ['vers:npm/1.2.3', ['1.2.3', 'v1.2.3', '1.2.3+x'], ['1.2.4', '1.2.3-0']],
    ['vers:npm/!=1.2.3', ['1.2.2', '9.0.0'], ['1.2.3']],
    ['vers:npm/1.0.0|!=2.0.0|3.0.0', ['1.0.0', '3.0.0'], ['2.0.0', '2.5.0', '0.1.0', '4.0.0']],
    ['vers:npm/<2.0.0', ['1.9.9', '2.0.0-rc.1', '0.0.0'], ['2.0.0', '3.0.0']],
    ['vers:npm/<=2.0.0', ['2.0.0', '1.0.0'], ['2.0.1']],
    ['vers:npm/>2.0.0', ['2.0.1', '3.0.0-0'], ['2.0.0', '1.0.0']],
    ['vers:npm/>=2.0.0', ['2.0.0', '2.0.1'], ['1.9.9', '2.0.0-rc.1']],
    ['vers:npm/>=1.0.0|<4.17.21', ['1.0.0', '4.17.20', '4.17.21-0'], ['0.9.0', '4.17.21', '5.0.0']],
    ['vers:npm/>1.0.0|<=2.0.0', ['1.0.1', '2.0.0'], ['1.0.0', '2.0.1']],
    ['vers:npm/<1.0.0|>=2.0.0|<3.0.0', ['0.5.0', '2.0.0', '2.9.0'], ['1.0.0', '1.5.0', '3.0.0', '4.0.0']],
    ['vers:npm/<1.0.0|>2.0.0', ['0.5.0', '2.1.0'], ['1.0.0', '1.5.0', '2.0.0']],
    ['vers:npm/>=1.0.0|!=1.5.0|<2.0.0', ['1.4.0', '1.6.0'], ['1.5.0', '2.0.0']],
    ['vers:npm/<1.0.0|=1.5.0|>=2.0.0', ['1.5.0', '0.1.0', '2.0.0'], ['1.4.0', '1.0.0']],
    ['vers:npm/>1.0.0|>2.0.0', ['2.0.0', '1.5.0', '3.0.0'], ['1.0.0']],
    ['vers:npm/<2.0.0|<3.0.0', ['2.0.0', '1.0.0', '2.5.0'], ['3.0.0']],
    ['vers:generic/=stretch|=buster', ['stretch', 'buster'], ['bullseye', '1.0']],
    ['vers:generic/!=stretch', ['buster', '1'], ['stretch']],
    ['vers:generic/>=1.0|<2', ['1', '1.9.9'], ['2.0', '0.9']],
    ['vers:deb/<1.1.1n-0%2Bdeb10u6', ['1.1.1n-0+deb10u3', '1.1.1n-0~x'], ['1.1.1n-0+deb10u6', '1:0']],
    ['vers:maven/>=2.0-beta9|<=2.14.1', ['2.0-beta9', '2.14.1', '2.0'], ['2.0-alpha1', '2.15.0', '1.2.17']],
    ['vers:pypi/<1.0', ['0.9', '1.0rc1'], ['1.0', '1.0.post1']],
    ['vers:golang/<v1.21.13', ['1.21.12', 'go1.21', 'v1.0.0'], ['1.21.13', 'go1.22']],
  ] as const)('%s has what lies in it and nothing else', (text, inside, outside) => {
    const own = range(text);
    expect(
      inside.filter((version) => !('within' in isInRange(own, version) && Object.values(isInRange(own, version))[0])),
    ).toEqual([]);
    expect(outside.map((version) => isInRange(own, version))).toEqual(outside.map(() => ({ within: false })));
  });

  test.each([
    ['vers:npm/<2.0.0', 'latest', 'version `latest` cannot be compared by the rules of npm'],
    ['vers:npm/=2.0.0', 'latest', 'version `latest` cannot be compared by the rules of npm'],
    ['vers:npm/<2.0.0', null, 'the version is not known'],
    ['vers:generic/<2', 'jammy', 'version `jammy` cannot be compared by the rules of generic'],
    ['vers:golang/<v2.0.0', '(devel)', 'version `(devel)` cannot be compared by the rules of golang'],
    ['vers:npm/<2.0.0', 'x'.repeat(300), `version \`${'x'.repeat(60)}…\` cannot be compared by the rules of npm`],
  ])('it is not known whether %s has %j', (text, version, unknown) => {
    expect(isInRange(range(text), version)).toEqual({ unknown });
  });
});

describe('rangeFits', () => {
  test.each([
    ['vers:npm/*', 'npm', true],
    ['vers:npm/*', 'pypi', false],
    ['vers:generic/*', 'generic', true],
    ['vers:generic/*', 'apk', true],
    ['vers:generic/*', 'npm', false],
    ['vers:deb/*', 'deb', true],
    ['vers:deb/*', 'rpm', false],
  ])('%s for packages of the type %s: %s', (text, type, fits) => {
    expect(rangeFits(range(text), type)).toBe(fits);
  });
});
