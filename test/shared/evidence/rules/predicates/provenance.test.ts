import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readPredicate } from '#shared/evidence/rules/predicates/read-predicate.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { unsigned } from '#shared/evidence/rules/verification.ts';
import { readBundle } from '#shared/signatures/bundles.ts';
import { readStatement } from '#shared/signatures/statement.ts';
import * as samples from './sample-predicates.ts';

/** rules/verified-evidence.md#what-is-read-of-a-predicate */

const read = (predicateType: string, predicate: unknown) => readPredicate({ predicateType, predicate });

describe('what is read of provenance', () => {
  test('has builder, source, commit, run and dependencies in the version 1 of workflows', () => {
    expect(read('https://slsa.dev/provenance/v1', samples.provenanceV1())).toEqual({
      kind: 'provenance',
      statement: {
        builder: { id: 'https://github.com/actions/runner/github-hosted' },
        build_type: 'https://actions.github.io/buildtypes/workflow/v1',
        source: {
          uri: 'https://github.com/acme/web',
          ref: 'refs/heads/main',
          commit: samples.COMMIT,
          path: '.github/workflows/release.yml',
        },
        invocation: 'https://github.com/acme/web/actions/runs/71/attempts/1',
        started_at: null,
        finished_at: null,
        dependencies: [
          { uri: 'git+https://github.com/acme/web@refs/heads/main', digest: { gitCommit: samples.COMMIT } },
        ],
        dependency_count: 1,
      },
    });
  });

  test('has the same in the version 0.2', () => {
    expect(read('https://slsa.dev/provenance/v0.2', samples.provenanceV02())).toEqual({
      kind: 'provenance',
      statement: {
        builder: { id: 'https://github.com/npm/cli/gha@10.2.0' },
        build_type: 'https://github.com/npm/cli/gha/v2',
        source: {
          uri: 'https://github.com/acme/web',
          ref: 'refs/tags/v1.0.0',
          commit: samples.COMMIT,
          path: '.github/workflows/release.yml',
        },
        invocation: '71-1',
        started_at: '2026-11-01T10:00:00Z',
        finished_at: '2026-11-01T10:05:00Z',
        dependencies: [{ uri: 'git+https://github.com/acme/web@refs/tags/v1.0.0', digest: { sha1: samples.COMMIT } }],
        dependency_count: 1,
      },
    });
  });

  const sourceOf = (externalParameters: unknown, resolvedDependencies?: unknown) =>
    read('https://slsa.dev/provenance/v1', samples.provenanceV1({ externalParameters, resolvedDependencies }))
      .statement['source'];
  const at = (uri: string, digest: object) => ({ uri, digest });

  test.each<[string, unknown, unknown, unknown]>([
    [
      'a source with a digest of its own',
      { source: at('git+https://host/acme/web@refs/heads/main', { sha1: samples.COMMIT }) },
      [],
      { uri: 'https://host/acme/web', ref: 'refs/heads/main', commit: samples.COMMIT, path: null },
    ],
    [
      'a source that is a text, with the commit of its dependency',
      { source: 'https://host/acme/web', entryPoint: 'build' },
      [at('https://host/acme/web', { gitCommit: samples.COMMIT })],
      { uri: 'https://host/acme/web', ref: null, commit: samples.COMMIT, path: null },
    ],
    [
      'a file of a build service',
      { buildConfigSource: { repository: 'https://host/acme/web', ref: 'refs/heads/main', path: 'cloudbuild.yaml' } },
      [at('git+https://host/acme/web@refs/heads/main', { gitCommit: samples.COMMIT })],
      { uri: 'https://host/acme/web', ref: 'refs/heads/main', commit: samples.COMMIT, path: 'cloudbuild.yaml' },
    ],
    [
      'a user and a scope in its address',
      { source: 'git+ssh://git@host/@acme/web@v1' },
      [],
      { uri: 'ssh://git@host/@acme/web', ref: 'v1', commit: null, path: null },
    ],
    [
      'dependencies that say different commits',
      { source: 'https://host/acme/web' },
      [
        at('https://host/acme/web@refs/heads/a', { gitCommit: samples.COMMIT }),
        at('https://host/acme/web@refs/heads/b', { gitCommit: 'b'.repeat(40) }),
      ],
      { uri: 'https://host/acme/web', ref: null, commit: null, path: null },
    ],
    [
      'the commit of another repository',
      { source: 'https://host/acme/web' },
      [at('https://host/acme/webevil', { gitCommit: samples.COMMIT })],
      { uri: 'https://host/acme/web', ref: null, commit: null, path: null },
    ],
    ['parameters of an unknown type of build', { inputs: { source: 'https://host/acme/web' } }, [], null],
    ['no parameters', undefined, [at('https://host/acme/web', { gitCommit: samples.COMMIT })], null],
  ])('has the source of %s', (_, parameters, resolved, source) => {
    expect(sourceOf(parameters, resolved)).toEqual(source);
  });

  test('is what conditions of policies read', () => {
    const { statement } = read('https://slsa.dev/provenance/v1', samples.provenanceV1());
    const verification = { ...unsigned('logged'), statement };
    expect(slotProof({ verification })?.statement).toEqual({
      builder: { id: 'https://github.com/actions/runner/github-hosted' },
      source: { uri: 'https://github.com/acme/web', ref: 'refs/heads/main', commit: samples.COMMIT },
    });
  });

  test('is read of a published package', () => {
    const path = fileURLToPath(new URL('../../../signatures/published.sigstore.json', import.meta.url));
    const { content } = readBundle(readFileSync(path, 'utf8')).bundle;
    if (content.$case !== 'dsseEnvelope') throw new Error('The published bundle has no envelope');
    expect(readPredicate(readStatement(content.dsseEnvelope))).toMatchObject({
      kind: 'provenance',
      statement: {
        builder: {
          id: 'https://github.com/trailofbits/pypi-attestations/.github/workflows/release.yml@refs/tags/v0.0.19',
        },
        source: { uri: 'https://github.com/trailofbits/pypi-attestations', ref: 'refs/tags/v0.0.19' },
        invocation: 'https://github.com/trailofbits/pypi-attestations/actions/runs/12169989787/attempts/1',
      },
    });
  });
});
