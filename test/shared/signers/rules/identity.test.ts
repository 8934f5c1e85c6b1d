import { describe, expect, test } from 'vitest';
import { identityErrors, identityRefusal } from '#shared/signers/rules/identity.ts';

const issuer = 'https://token.actions.githubusercontent.com';
const workflow = 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v1';
const errorsOf = (subjects: string[], claims: [string, string][] = []) =>
  Object.fromEntries(
    identityErrors(
      { issuer, subjects, claims: claims.map(([name, value]) => ({ name, values: [value] })) },
      'sigstore',
    ),
  );

describe('the identity of a signer', () => {
  test.each([
    [[workflow], []],
    [['https://github.com/acme/web/.github/workflows/*@refs/tags/*'], []],
    [['*@acme.example', 'release@acme.example'], []],
    [[], [['source_repository_identifier', '74']]],
    [[], [['build_signer_uri', 'https://github.com/acme/ci/.github/workflows/release.yml@*']]],
    [[workflow], [['source_repository_ref', 'refs/tags/*']]],
  ] as [string[], [string, string][]][])('may be %j with the claims %j', (subjects, claims) => {
    expect(errorsOf(subjects, claims)).toEqual({});
  });

  const WIDE = expect.stringMatching(/^'\*' is possible after the repository only/);
  test.each([
    [['*'], [], { 'subjects[0]': "A pattern should have a letter or a digit beside '*'" }],
    [['https://*/acme/web/x'], [], { 'subjects[0]': WIDE }],
    [['https://github.com/*/web/x'], [], { 'subjects[0]': WIDE }],
    [['https://github.com/acme*/web/x'], [], { 'subjects[0]': WIDE }],
    [['https://github.com/acme/web*/x'], [], { 'subjects[0]': WIDE }],
    [[workflow, 'https://github.com/acme/*'], [], { 'subjects[1]': WIDE }],
    [['release@*'], [], { 'subjects[0]': WIDE }],
    [['release@*.example'], [], { 'subjects[0]': WIDE }],
    [['release*'], [], { 'subjects[0]': WIDE }],
    [[], [['build_trigger', 'push']], { subjects: expect.stringMatching(/^Give subjects, or bind one of/) }],
    [
      [],
      [['source_repository_identifier', '7*']],
      { 'claims.source_repository_identifier': expect.stringMatching(/^A claim that names an owner/) },
    ],
    [
      [workflow],
      [['source_repository_owner_uri', 'https://github.com/acme*']],
      { 'claims.source_repository_owner_uri': expect.stringMatching(/^A claim that names an owner/) },
    ],
    [[], [['build_signer_uri', 'https://github.com/*/ci/x']], { 'claims.build_signer_uri': WIDE }],
    [
      [workflow],
      [['build_trigger', '*']],
      { 'claims.build_trigger': "Each pattern should have a letter or a digit beside '*'" },
    ],
  ] as [string[], [string, string][], object][])('may not be %j with the claims %j', (subjects, claims, errors) => {
    expect(errorsOf(subjects, claims)).toEqual(errors);
  });

  const found = {
    kind: 'certificate',
    issuer,
    subject: workflow,
    subjectKind: 'uri',
    claims: { build_trigger: 'push' },
  } as const;
  test.each([
    ['the same issuer and subject', {}, undefined],
    ['a pattern', { subjects: ['x', 'https://github.com/acme/web/.github/workflows/*@refs/tags/*'] }, undefined],
    [
      'another issuer',
      { issuer: 'https://gitlab.com' },
      `The certificate has the issuer '${issuer}'. The signer 'release' has 'https://gitlab.com'`,
    ],
    [
      'another subject',
      { subjects: ['https://github.com/acme/web'] },
      `The certificate names '${workflow}', which no subject of the signer 'release' matches`,
    ],
    ['a claim', { claims: [{ name: 'build_trigger', values: ['release', 'pu*'] }] }, undefined],
    [
      'another claim',
      { claims: [{ name: 'build_trigger', values: ['release'] }] },
      "The certificate has build_trigger 'push', which the signer 'release' does not accept",
    ],
    [
      'a claim that is not there',
      { claims: [{ name: 'runner_environment', values: ['x'] }] },
      "The certificate does not have the claim runner_environment of the signer 'release'",
    ],
    [
      'a claim with the name of a prototype',
      { claims: [{ name: 'constructor', values: ['x'] }] },
      "The certificate does not have the claim constructor of the signer 'release'",
    ],
  ])('compares %s', (_, changed, sentence) => {
    const signer = { name: 'release', issuer, subjects: [workflow], claims: [], ...changed };
    expect(identityRefusal(signer, found)).toBe(sentence);
  });
});
