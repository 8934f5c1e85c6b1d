import { describe, expect, test } from 'vitest';
import { bindBundle } from '#shared/evidence/rules/bundles/bind-bundle.ts';
import { fingerprintOf, shaOf } from '#test/support/evidence.ts';

/** rules/verified-evidence.md#subjects-in-the-trail */

const [WEB, API, OTHER] = [fingerprintOf('web'), fingerprintOf('api'), fingerprintOf('other')];
const trail = { artifacts: new Set([WEB, API]), commits: new Set([shaOf('c')]) };
const place = { org: 'acme', flow: 'web', trail: 'run' };
const bind = (
  artifacts: (typeof WEB)[],
  { commits = [] as string[], only = null as typeof WEB | null, isOfFile = false } = {},
) => bindBundle({ artifacts, commits, about: [...artifacts, ...commits].join(', '), isOfFile }, trail, only, place);

describe('a bundle is about', () => {
  test.each([
    ['each artifact of the trail among its subjects', [OTHER, API, WEB], {}, [API, WEB]],
    ['the artifact that the report names', [API, WEB], { only: WEB }, [WEB]],
    ['its artifacts, even if it names the commit too', [WEB], { commits: [shaOf('c')] }, [WEB]],
    ['the trail, if it names its commit and no artifact of it', [OTHER], { commits: [shaOf('c')] }, [null]],
    ['the artifact that is the file which it signs', [WEB], { isOfFile: true }, [WEB]],
    ['the trail, if it signs a file that came with it and is no artifact', [OTHER], { isOfFile: true }, [null]],
    ['the trail, if nothing of it can be read', [], {}, [null]],
    ['the artifact that the report names, if nothing of it can be read', [], { only: API }, [API]],
  ])('%s', (_, artifacts, more, expected) => {
    expect(bind(artifacts, more)).toEqual(expected);
  });

  test.each([
    ['another artifact', [OTHER], {}, 'bundle_file', `It names ${OTHER}`],
    ['another commit', [], { commits: [shaOf('d')] }, 'bundle_file', `It names ${shaOf('d')}`],
    ['another artifact than the named one', [API], { only: WEB }, 'artifact_fingerprint', `It names ${API}`],
    [
      'another file than the named artifact',
      [OTHER],
      { only: WEB, isOfFile: true },
      'artifact_fingerprint',
      `It names ${OTHER}`,
    ],
  ])('nothing in the trail with %s', (_, artifacts, more, field, text) => {
    expect(() => bind(artifacts, more)).toThrow(
      expect.objectContaining({ errors: { [field]: expect.stringContaining(text) } }),
    );
  });

  test('no artifact that the trail does not have, even if the report names it', () => {
    expect(() => bind([OTHER], { only: OTHER })).toThrow(/^Artifact with fingerprint .* does not exist in trail "run"/);
  });
});
